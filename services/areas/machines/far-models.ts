import { DomainError, NotFound, Unavailable } from '../../ground/errors.js'
import { type ChoiceElsewhere, type ModelChoice, type ModelGroup, type ModelGroups } from '../models/index.js'
import { unreachable, type Asking } from './asking.js'
import { type Description } from './description.js'

export interface FarModelsOptions {
  asking: Pick<Asking, 'ask'> & { names: () => string[] }
  /** What a machine last reported about itself; null if nothing. */
  told: (machine: string) => Pick<Description, 'models'> | null
}

/** Longer than a machine waits for its own providers. */
const answerMs = 10_000

/** The models of other machines: which ones each has, and which one a turn there gets. */
export function createFarModels ({ asking, told }: FarModelsOptions) {
  return {
    /**
     * Returns what the picker shows; for a machine that is away, what it last reported. Throws NotFound for a profile that the machine does
     * not have, and Unavailable.
     */
    async picker (machine: string, profile: string): Promise<ModelGroups> {
      try {
        if (!asking.names().includes(machine)) throw unreachable(machine)
        return await asking.ask(machine, 'models', { profile }, { timeoutMs: answerMs })
      } catch (error) {
        const known = told(machine)?.models.filter((model) => model.profile === profile) ?? []
        if (!(error instanceof Unavailable) || known.length === 0) throw error
        return groupsOf(known, error.message)
      }
    },

    /** Returns null if the machine does not answer. */
    async choose (machine: string, asked: ChoiceElsewhere): Promise<ModelChoice | null> {
      if (!asking.names().includes(machine)) return null
      try {
        return await asking.ask(machine, 'choose_model', asked, { timeoutMs: answerMs })
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
