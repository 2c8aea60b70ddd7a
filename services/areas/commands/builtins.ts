import { withAliases, type Command } from './command.js'

const conversation = 'Session'
const turn = 'Conversation'
const setup = 'Configuration'
const about = 'Info'

const row = (
  name: string, description: string, category: string, argsHint = '',
  { aliases = [], subcommands = [] }: { aliases?: string[], subcommands?: string[] } = {}
): Command =>
  ({ name, description, category, aliases: withAliases(name, aliases), argsHint, subcommands })

/** Commands that clients carry out themselves, through the ordinary endpoints. */
export const builtins: readonly Command[] = [
  row('help', 'Show the commands there are', about),
  row('new', 'Begin a new conversation', conversation, '', { aliases: ['reset'] }),
  row('clear', 'Empty this conversation', conversation),
  row('title', 'Give this conversation a title', conversation, '<title>', { aliases: ['rename'] }),
  row('branch', 'Go on in a copy of this conversation', conversation, '[title]', { aliases: ['fork'] }),
  row('undo', 'Take the last exchange back', turn),
  row('retry', 'Send the last message again', turn),
  row('compress', 'Summarise the earlier part of this conversation', turn, '[what matters]', { aliases: ['compact'] }),
  row('stop', 'Stop the running turn', turn, '', { aliases: ['cancel'] }),
  row('steer', 'Say something to the running turn', turn, '<text>'),
  row('goal', 'Let the agent work on a goal until it is reached', turn, '[goal]', { subcommands: ['status', 'pause', 'resume', 'clear'] }),
  row('btw', 'Ask something on the side', turn, '<question>'),
  row('background', 'Run a task beside this conversation', turn, '<task>', { aliases: ['bg'] }),
  row('yolo', 'Run everything in this conversation without asking', setup, '[on|off]', { subcommands: ['on', 'off'] }),
  row('model', 'Choose the model', setup, '[model]'),
  row('reasoning', 'Set how long the model thinks, and whether that is shown', setup, '[level|show|hide]', {
    subcommands: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max', 'show', 'hide']
  }),
  row('personality', 'Choose how the agent speaks', setup, '[name]'),
  row('workspace', 'Work in another folder', setup, '[folder]'),
  row('profile', 'Work in another profile', setup, '[name]'),
  row('skills', 'Show the skills, or switch one on or off', about, '[enable|disable name]', { subcommands: ['list', 'enable', 'disable'] }),
  row('usage', 'Show what this conversation has used', about),
  row('status', 'Show how this conversation stands', about)
]

/** Commands that the service runs itself (`POST /api/commands/exec`) once a part of it serves them. */
export const agentCommands: readonly Command[] = [
  row('reload-skills', 'Look for skills again', setup),
  row('reload-mcp', 'Connect to the MCP servers again', setup),
  row('codex-runtime', 'Choose the runtime of Codex models', setup),
  row('credits', 'Show the credits that are left', about)
]

/** Why a command cannot be run while nothing serves it. */
export const unserved: ReadonlyMap<string, string> = new Map([
  ['codex-runtime', 'This service has one runtime, its own: there is none to choose'],
  ['credits', 'This service has no credits: models are paid where their keys come from']
])

/** Reserved names: a client or a gateway would take them for its own. */
export const neverExposed: ReadonlySet<string> = new Set(['sethome', 'restart', 'update', 'commands', 'approve', 'deny'])
