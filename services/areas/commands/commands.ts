import { join } from 'node:path'
import { Invalid, NotFound, Unavailable } from '../../ground/errors.js'
import { acceptedPlugins } from '../../ground/home/accepted-plugins.js'
import { wholeTo } from '../../ground/text/whole-characters.js'
import { type Profiles } from '../profiles/index.js'
import { type Skills } from '../skills/index.js'
import { agentCommands, builtins, neverExposed, unserved } from './builtins.js'
import { Bundles } from './bundles.js'
import {
  canonical, longestExpansion, parseCommand, type Command, type CommandContext, type CommandSource, type Expansion
} from './command.js'
import { MarkdownCommands } from './markdown-commands.js'
import { pluginCategory, pluginCommands } from './plugin-commands.js'
import { SkillCommands } from './skill-commands.js'
import { WorkspaceCommands, type RemoteCommands } from './workspace-commands.js'

/** Runs a command of the service; resolves with its output. `args` is the text after the name. */
export type RunCommand = (profile: string, args: string) => Promise<string>

export interface CommandsOptions {
  profiles: Pick<Profiles, 'existing' | 'settings'>
  skills: Pick<Skills, 'enabled' | 'invoke' | 'note' | 'reload'>
  /** Holds the records of what confined commands have changed in workspaces. */
  boundaryFolder: string
  remote: RemoteCommands
}

/** The length limit of a command's output. */
const longestOutput = 64_000

/**
 * Everything that can be typed after a slash. If several have the same name, the first in this order counts: built-in commands, the
 * profile's own commands, its skills, its bundles of skills, the workspace's commands, those of plugins, other sources.
 */
export class Commands {
  readonly bundles: Bundles
  readonly #sources: CommandSource[]
  readonly #served = new Map<string, RunCommand>()
  readonly #pluginMessages: CommandSource

  constructor ({ profiles, skills, boundaryFolder, remote }: CommandsOptions) {
    this.bundles = new Bundles({ profiles, skills })
    this.#pluginMessages = pluginCommands((profile) => acceptedPlugins(profiles.existing(profile).home))
    this.#sources = [
      new MarkdownCommands({
        category: 'Commands', folders: ({ profile }) => [{ folder: join(profiles.existing(profile).home, 'commands') }]
      }),
      new SkillCommands(skills),
      this.bundles,
      new WorkspaceCommands(boundaryFolder, remote),
      this.#pluginMessages
    ]
    this.serve('reload-skills', async (profile) => {
      const found = await skills.reload(profile)
      const off = found.filter(({ isDisabled }) => isDisabled).length
      return `${found.length} skill${found.length === 1 ? '' : 's'}${off === 0 ? '' : `, ${off} switched off`}.`
    })
  }

  /** Adds a source of commands that expand to messages, after the existing ones. */
  addSource (source: CommandSource): void {
    this.#sources.push(source)
  }

  /** Makes `run` the implementation of one of the agent's commands. */
  serve (name: string, run: RunCommand): void {
    this.#served.set(name, run)
  }

  /** Lists commands in order of precedence, each name once. Throws NotFound for an unknown profile. */
  async list (context: CommandContext): Promise<Command[]> {
    const taken = new Set<string>()
    const commands: Command[] = []
    const add = (command: Command): void => {
      const name = canonical(command.name)
      if (neverExposed.has(name) || taken.has(name)) return
      const aliases = command.aliases.filter((alias) => canonical(alias) === name || !taken.has(canonical(alias)))
      for (const each of [name, ...aliases]) taken.add(canonical(each))
      commands.push({ ...command, aliases })
    }
    for (const command of [...builtins, ...agentCommands.filter(({ name }) => this.#served.has(name))]) add(command)
    for (const source of this.#sources) {
      for (const command of await source.list(context)) if (!isReserved(canonical(command.name))) add(command)
    }
    return commands
  }

  /**
   * Returns what a model reads instead of a message that begins with a command; null for every other message: a path, a command that
   * clients run themselves, an unknown name.
   */
  async expand (context: CommandContext, message: string): Promise<Expansion | null> {
    const parsed = message.startsWith('/') ? parseCommand(message) : null
    if (parsed === null || isReserved(parsed.name)) return null
    for (const source of this.#sources) {
      const found = await source.resolve(context, parsed.name, parsed.args)
      if (found === null) continue
      if (found.text.length > longestExpansion) {
        throw new Invalid(`/${parsed.name} expands to a message of more than ${longestExpansion} characters`)
      }
      return found
    }
    return null
  }

  /**
   * Runs one of the agent's commands; resolves with its output, shortened if it is too long. For a plugin's command, the output is the
   * message that it expands to. Throws Invalid for an empty command, NotFound for an unknown one, Unavailable for what this service does
   * not have, and the errors of the command.
   */
  async exec (profile: string, command: string): Promise<string> {
    if (command.trim().replace(/^\//, '') === '') throw new Invalid('command is required')
    const parsed = parseCommand(command)
    const served = this.#served.get(parsed?.name ?? '')
    const why = unserved.get(parsed?.name ?? '')
    if (served === undefined && why !== undefined) throw new Unavailable(why)
    const output = parsed === null ? null : served === undefined ? await this.#message(profile, parsed) : await served(profile, parsed.args)
    if (output === null) throw new NotFound('Plugin command not found')
    return output.length <= longestOutput
      ? output
      : `${wholeTo(output, longestOutput)}\n[… ${output.length - longestOutput} more characters]`
  }

  /**
   * Returns the message of a plugin's command; for a command that another maker's agent handles itself, the command line. Returns null if
   * there is none of this name.
   */
  async #message (profile: string, { name, args }: { name: string, args: string }): Promise<string | null> {
    const context = { profile, workspace: null }
    const found = await this.#pluginMessages.resolve(context, name, args)
    if (found !== null) return found.text
    const listed = (await this.list(context)).find((command) => command.category === pluginCategory && canonical(command.name) === name)
    return listed === undefined ? null : `/${listed.name} ${args}`.trimEnd()
  }
}

const reserved: ReadonlySet<string> = new Set([
  ...neverExposed, ...[...builtins, ...agentCommands].flatMap(({ name, aliases }) => [name, ...aliases]).map(canonical)
])

/** Whether no skill and no file can have this name as a command. */
const isReserved = (name: string): boolean => reserved.has(name)
