import { type ScreenWords } from '../en/index.js'
import { agents } from './agents.js'
import { attempts } from './attempts.js'
import { audit } from './audit.js'
import { away } from './away.js'
import { chat } from './chat.js'
import { checks } from './checks.js'
import { commands } from './commands.js'
import { devices } from './devices.js'
import { diagnostics } from './diagnostics.js'
import { diff } from './diff.js'
import { files } from './files.js'
import { homeRows } from './home.js'
import { hooks } from './hooks.js'
import { inbox } from './inbox.js'
import { machines } from './machines.js'
import { mcp } from './mcp.js'
import { plan } from './plan.js'
import { plugins } from './plugins.js'
import { memory } from './memory.js'
import { models } from './models.js'
import { output } from './output.js'
import { palette } from './palette.js'
import { problems } from './problems.js'
import { profiles } from './profiles.js'
import { prompts } from './prompts.js'
import { pulls } from './pulls.js'
import { queue } from './queue.js'
import { rail } from './rail.js'
import { reasons } from './reasons.js'
import { review } from './review.js'
import { settings } from './settings.js'
import { skills } from './skills.js'
import { talk } from './talk.js'
import { tasks } from './tasks.js'
import { usage } from './usage.js'

export const screens: ScreenWords = {
  agents,
  attempts,
  audit,
  away,
  chat,
  checks,
  commands,
  devices,
  diagnostics,
  diff,
  files,
  homeRows,
  hooks,
  inbox,
  machines,
  mcp,
  plugins,
  memory,
  models,
  output,
  palette,
  problems,
  profiles,
  prompts,
  pulls,
  queue,
  rail,
  plan,
  reasons,
  review,
  settings,
  skills,
  talk,
  tasks,
  usage
}
