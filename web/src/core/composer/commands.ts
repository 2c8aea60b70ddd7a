import { type Wire } from '../service/api.js'

export type Command = Wire<'Command'>

/** What was typed behind a slash. */
export interface TypedCommand { name: string, args: string }

/** The form in which names are compared: `Reload_MCP` is `reload-mcp`. */
const canonical = (name: string): string => name.toLowerCase().replaceAll('_', '-')

const typed = /^\/([\p{L}\p{N}][\p{L}\p{N}:._-]{0,99})(?:\s+([^]*))?$/u

/** The command that a message begins with; null for every other message, such as one that begins with a path. */
export function parseCommand (text: string): TypedCommand | null {
  const [, name, args = ''] = typed.exec(text.trim()) ?? []
  return name === undefined ? null : { name: canonical(name), args: args.trim() }
}

/** The command of that name, or of which it is another name; null when there is none. */
export function findCommand (commands: readonly Command[], name: string): Command | null {
  const sought = canonical(name)
  return commands.find((command) => canonical(command.name) === sought) ??
    commands.find(({ aliases }) => aliases.some((alias) => canonical(alias) === sought)) ?? null
}

/** How well a name answers to what was typed, 0 being best; null: not at all. */
export function rankOf (name: string, sought: string): number | null {
  const [within, search] = [canonical(name), canonical(sought)]
  if (within.startsWith(search)) return 0
  const at = within.indexOf(search)
  if (at === -1) return null
  return /[-:._/ ]/.test(within.charAt(at - 1)) ? 1 : 2
}

/** Those that answer to what was typed, the best first. A command is also found by its other names, after those of its own name. */
export function matchCommands (commands: readonly Command[], sought: string): Command[] {
  const ranked = commands.flatMap((command, at) => {
    const ofAlias = command.aliases.flatMap((alias) => rankOf(alias, sought) === 0 ? [0.5] : [])
    const rank = Math.min(rankOf(command.name, sought) ?? Infinity, ...ofAlias)
    return rank === Infinity ? [] : [{ command, rank, at }]
  })
  return ranked.sort((one, other) => one.rank - other.rank || one.at - other.at).map(({ command }) => command)
}

/** Commands of this app alone, which the service does not list. */
const ownCommands: readonly Command[] = [
  {
    name: 'export', description: 'Save this conversation as a file', category: 'Session', aliases: [], args_hint: '[json|html]',
    subcommands: ['json', 'html'], cli_only: false, gateway_only: false
  }
]

/** What the service lists, and what only this app has where nobody else has the name. */
export function withOwn (commands: readonly Command[]): Command[] {
  return [...commands, ...ownCommands.filter(({ name }) => findCommand(commands, name) === null)]
}
