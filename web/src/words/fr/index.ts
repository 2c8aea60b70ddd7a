import { type StartWords } from '../en/index.js'
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

export const fr: StartWords = {
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
