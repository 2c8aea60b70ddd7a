import { common } from './common.js'
import { composer } from './composer.js'
import { conversation } from './conversation.js'
import { files } from './files.js'
import { inbox } from './inbox.js'
import { markdown } from './markdown.js'
import { mcp } from './mcp.js'
import { memory } from './memory.js'
import { models } from './models.js'
import { offline } from './offline.js'
import { palette } from './palette.js'
import { profiles } from './profiles.js'
import { prompts } from './prompts.js'
import { settings } from './settings.js'
import { setup } from './setup.js'
import { shell } from './shell.js'
import { skills } from './skills.js'
import { tasks } from './tasks.js'
import { ui } from './ui.js'
import { usage } from './usage.js'

/** English. Each area has its words in a file of its own, in both languages. */
export const en = {
  common,
  composer,
  conversation,
  files,
  inbox,
  markdown,
  mcp,
  memory,
  models,
  offline,
  palette,
  profiles,
  prompts,
  settings,
  setup,
  shell,
  skills,
  tasks,
  ui,
  usage
}

/** All that the app says, by area. Other languages have to have the same keys: the compiler sees to that. */
export type Words = typeof en
