import { inOtherWords } from '../commands/index.js'
import { Invalid } from '../../ground/errors.js'
import { type Mcp, type McpPromptView } from './mcp.js'

/** A command as clients list it and as it is resolved; everything that can be typed after a slash has this form. */
interface PromptCommand { name: string, description: string, category: string, aliases: string[], argsHint: string, subcommands: string[] }

const longestName = 100

/**
 * Prompts of MCP servers as commands, `mcp:server:prompt`, as the servers last reported them: listing commands starts no server. The text
 * after the name holds the arguments in order; the last one takes the rest.
 */
export class McpPromptCommands {
  constructor (private readonly mcp: Pick<Mcp, 'knownPrompts' | 'prompts' | 'prompt'>) {}

  async list ({ profile }: { profile: string }): Promise<PromptCommand[]> {
    return this.mcp.knownPrompts(profile).flatMap((prompt) => {
      const name = commandName(prompt)
      if (name.length > longestName) return []
      const argsHint = prompt.arguments.map(({ name, required }) => required ? `<${name}>` : `[${name}]`).join(' ')
      return [{
        name, description: prompt.description, category: 'MCP', aliases: name.includes('-') ? [name.replaceAll('-', '_')] : [], argsHint,
        subcommands: []
      }]
    })
  }

  /** Throws Invalid if a required argument is missing, and the errors of `Mcp.prompt`. */
  async resolve ({ profile }: { profile: string }, name: string, args: string): Promise<{ text: string, started: () => void } | null> {
    // Other commands must not start servers.
    if (!name.startsWith(prefix)) return null
    const isIt = (prompt: McpPromptView): boolean => commandName(prompt) === name
    const found = this.mcp.knownPrompts(profile).find(isIt) ?? (await this.mcp.prompts(profile)).find(isIt)
    if (found === undefined) return null
    const values = argumentsOf(found, args)
    const missing = found.arguments.find(({ name, required }) => required && values[name] === undefined)
    if (missing !== undefined) throw new Invalid(`/${name} needs <${missing.name}>`)
    const text = await this.mcp.prompt(profile, found.server, found.name, values)
    return { text: inOtherWords(name, `the MCP server "${found.server}"`, text), started: () => {} }
  }
}

const prefix = 'mcp:'

const commandName = ({ server, name }: McpPromptView): string =>
  `${prefix}${server}:${name}`.replace(/[^\p{L}\p{N}:._-]/gu, '-').toLowerCase().replaceAll('_', '-')

/** Splits at blanks; quoted text stays together. */
function argumentsOf ({ arguments: wanted }: McpPromptView, typed: string): Record<string, string> {
  const values: Array<[string, string]> = []
  let rest = typed.trim()
  for (const [index, { name }] of wanted.entries()) {
    if (rest === '') break
    const quoted = /^"([^"]*)"|^'([^']*)'/.exec(rest)
    const word = quoted !== null ? quoted[0] : index === wanted.length - 1 ? rest : rest.replace(/\s[^]*$/, '')
    values.push([name, quoted === null ? word : quoted[1] ?? quoted[2] ?? ''])
    rest = rest.slice(word.length).trim()
  }
  return Object.fromEntries(values)
}
