import { type ModelCatalog } from './catalog.js'

/** Where a command is typed, as far as that counts here. */
interface Typed { profile: string, model?: string | null, provider?: string | null }

/**
 * What the agent of another maker that answers in a conversation takes behind a slash, as it told last.
 * It reads such a message as it was typed.
 */
export class AgentCommands {
  constructor (private readonly catalog: Pick<ModelCatalog, 'describe'>) {}

  async list ({ profile, model = null, provider = null }: Typed) {
    const found = await this.catalog.describe(profile, { model, provider })
    return (found?.entry.agent?.commands ?? []).map(({
      name, description, hint
    }) => ({ name, description, category: 'Plugin', aliases: [], argsHint: hint, subcommands: [] }))
  }

  /** Nothing of it stands for another text. */
  async resolve (): Promise<null> { return null }
}
