import type * as screens from './screens.js'
import { asking } from './asking.js'
import { away } from './away.js'
import { bar } from './bar.js'
import { common } from './common.js'
import { composer } from './composer.js'
import { conversation } from './conversation.js'
import { errors } from './errors.js'
import { home, homeRows } from './home.js'
import { markdown } from './markdown.js'
import { offline } from './offline.js'
import { setup } from './setup.js'
import { shell } from './shell.js'
import { times } from './times.js'
import { ui } from './ui.js'

/** The English words that the start of the app needs. Each area has a file of its own, in every language. */
export const en = {
  asking,
  away,
  bar,
  common,
  composer,
  conversation,
  errors,
  home,
  homeRows,
  markdown,
  offline,
  setup,
  shell,
  times,
  ui
}

export type StartWords = typeof en
export type ScreenWords = typeof screens

/** All words of the app, by area. The compiler checks that other languages have the same keys. */
export type Words = StartWords & ScreenWords
