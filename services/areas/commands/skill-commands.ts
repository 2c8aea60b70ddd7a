import { type Skill, type Skills } from '../skills/index.js'
import { canonical, withAliases, type Command, type CommandContext, type CommandSource, type Expansion } from './command.js'

type CommandSkills = Pick<Skills, 'enabled' | 'invoke' | 'note'>

/** Skills as commands: a message that begins with one is sent with its instructions. */
export class SkillCommands implements CommandSource {
  constructor (readonly skills: CommandSkills) {}

  async list ({ profile }: CommandContext): Promise<Command[]> {
    return (await this.#inOrder(profile)).map(({ name, description }) => {
      const command = commandName(name)
      return { name: command, description, category: 'Skills', aliases: withAliases(command), argsHint: '[what to do]', subcommands: [] }
    })
  }

  async resolve ({ profile }: CommandContext, name: string, args: string): Promise<Expansion | null> {
    const skill = (await this.#inOrder(profile)).find((candidate) => commandName(candidate.name) === name)
    if (skill === undefined) return null
    const { message, loaded } = await this.skills.invoke(profile, [skill.name], args)
    return loaded.length === 0 ? null : { text: message, started: () => this.skills.note(profile, skill.name, 'use') }
  }

  /** Names that differ only in case and blanks are one command: that of the skill with precedence. */
  async #inOrder (profile: string): Promise<Skill[]> {
    return (await this.skills.enabled(profile)).sort((one, other) => origins.indexOf(one.origin) - origins.indexOf(other.origin))
  }
}

const origins: ReadonlyArray<Skill['origin']> = ['profile', 'external', 'plugin', 'claude', 'shipped']

const commandName = (name: string): string => canonical(name.replaceAll(' ', '-'))
