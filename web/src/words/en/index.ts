import { type screens } from './screens.js'
import { bar } from './bar.js'
import { common } from './common.js'
import { composer } from './composer.js'
import { conversation } from './conversation.js'
import { markdown } from './markdown.js'
import { offline } from './offline.js'
import { setup } from './setup.js'
import { shell } from './shell.js'
import { ui } from './ui.js'

/** English: what is said from the start. Each area has its words in a file of its own, in both languages. */
export const en = {
  bar,
  common,
  composer,
  conversation,
  markdown,
  offline,
  setup,
  shell,
  ui
}

export type StartWords = typeof en
export type ScreenWords = typeof screens

/** All that the app says, by area. Other languages have to have the same keys: the compiler sees to that. */
export type Words = StartWords & ScreenWords
