import { DomainError, NotFound, Unavailable } from '../../ground/errors.js'
import { type ChoiceElsewhere, type ModelChoice, type ModelGroup, type ModelGroups } from '../models/index.js'
import { unreachable, type Asking } from './asking.js'
import { type Description } from './description.js'

export interface FarModelsOptions {
  asking: Pick<Asking, 'ask'> & { names: () => string[] }
  /** What a machine has told of itself last; null: nothing. */
  told: (host: string) => Pick<Description, 'models'> | null
}

/** Longer than a machine waits for its providers. */
const answerMs = 10_000

/** The models of other machines: what each has, and which one a turn there gets. */
export function createFarModels ({ asking, told }: FarModelsOptions) {
  return {
    /**
     * What the picker shows; of a machine that is away what it told last. Throws NotFound for a profile that it has not, and Unavailable.
     */
    async picker (host: string, profile: string): Promise<ModelGroups> {
      try {
        if (!asking.names().includes(host)) throw unreachable(host)
        return await asking.ask(host, 'models', { profile }, { timeoutMs: answerMs })
      } catch (error) {
        const known = told(host)?.models.filter((model) => model.profile === profile) ?? []
        if (!(error instanceof Unavailable) || known.length === 0) throw error
        return groupsOf(known, error.message)
      }
    },

    /** Null when it does not answer. */
    async choose (host: string, asked: ChoiceElsewhere): Promise<ModelChoice | null> {
      if (!asking.names().includes(host)) return null
      try {
        return await asking.ask(host, 'choose_model', asked, { timeoutMs: answerMs })
      } catch (error) {
        if (error instanceof NotFound) return { error: error.message }
        if (error instanceof DomainError) return null
        throw error
      }
    }
  }
}

function groupsOf (known: Description['models'], problem: string): ModelGroups {
  const groups = new Map<string, ModelGroup>()
  for (const { provider, id, label } of known) {
    const group = groups.get(provider) ??
      { providerId: provider, displayName: provider, models: [], extraModels: [], endpointError: problem }
    group.models.push({ id: `@${provider}:${id}`, label, contextLength: null, cost: null, sees: null, thinks: null })
    groups.set(provider, group)
  }
  return { activeProvider: null, defaultModel: null, groups: [...groups.values()], aliases: {}, badges: {} }
}
