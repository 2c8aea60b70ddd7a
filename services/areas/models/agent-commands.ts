import { type ModelCatalog } from './catalog.js'

/** Where a command is typed, as far as that matters here. */
interface Typed { profile: string, model?: string | null, provider?: string | null }

/**
 * The slash commands of the external agent that answers in a conversation, as it last announced them. The agent gets such a message as it
 * was typed.
 */
export class AgentCommands {
  constructor (private readonly catalog: Pick<ModelCatalog, 'describe'>) {}

  async list ({ profile, model = null, provider = null }: Typed) {
    const found = await this.catalog.describe(profile, { model, provider })
    return (found?.entry.agent?.commands ?? []).map(({
      name, description, hint
    }) => ({ name, description, category: 'Plugin', aliases: [], argsHint: hint, subcommands: [] }))
  }

  /** None of its commands expands to another text. */
  async resolve (): Promise<null> { return null }
}
