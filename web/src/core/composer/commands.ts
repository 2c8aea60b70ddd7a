import { type Wire } from '../service/api.js'

export type Command = Wire<'Command'>

/** A command as it was typed. */
export interface TypedCommand { name: string, args: string }

/** The form in which names are compared: `Reload_MCP` is `reload-mcp`. */
const canonical = (name: string): string => name.toLowerCase().replaceAll('_', '-')

const typed = /^\/([\p{L}\p{N}][\p{L}\p{N}:._-]{0,99})(?:\s([^]*))?$/u

/** Returns the command that a message begins with; null for any other message, such as one that begins with a path. */
export function parseCommand (text: string): TypedCommand | null {
  const [, name, args = ''] = typed.exec(text.trim()) ?? []
  return name === undefined ? null : { name: canonical(name), args: args.trim() }
}

/** Returns the command with that name or alias; null if there is none. */
export function findCommand (commands: readonly Command[], name: string): Command | null {
  const sought = canonical(name)
  return commands.find((command) => canonical(command.name) === sought) ??
    commands.find(({ aliases }) => aliases.some((alias) => canonical(alias) === sought)) ?? null
}

/** Ranks how well a name matches what was typed, 0 being best; null for no match. */
export function rankOf (name: string, sought: string): number | null {
  const [within, search] = [canonical(name), canonical(sought)]
  if (within.startsWith(search)) return 0
  const at = within.indexOf(search)
  if (at === -1) return null
  return /[-:._/ ]/.test(within.charAt(at - 1)) ? 1 : 2
}

/** Returns the matching commands, the best first. An alias ranks behind a name. */
export function matchCommands (commands: readonly Command[], sought: string): Command[] {
  const ranked = commands.flatMap((command, at) => {
    const ofAlias = command.aliases.flatMap((alias) => rankOf(alias, sought) === 0 ? [0.5] : [])
    const rank = Math.min(rankOf(command.name, sought) ?? Infinity, ...ofAlias)
    return rank === Infinity ? [] : [{ command, rank, at }]
  })
  return ranked.sort((one, other) => one.rank - other.rank || one.at - other.at).map(({ command }) => command)
}

/** Commands of this app that the service does not list. */
export const ownCommands: readonly Command[] = [
  {
    name: 'export', description: 'Save this conversation as a file', category: 'Session', aliases: [], args_hint: '[json|html]',
    subcommands: ['json', 'html'], cli_only: false, gateway_only: false
  },
  {
    name: 'plan', description: 'Plan first: the agent reads and asks, and changes nothing', category: 'Conversation', aliases: [],
    args_hint: '[on|off|message]', subcommands: ['on', 'off'], cli_only: false, gateway_only: false
  }
]

export const isOwn = (command: Command): boolean => ownCommands.includes(command)

/** Returns the service's commands, and this app's own where the name is free. */
export function withOwn (commands: readonly Command[]): Command[] {
  return [...commands, ...ownCommands.filter(({ name }) => findCommand(commands, name) === null)]
}
