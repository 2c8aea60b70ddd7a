import { Listeners, type Heard } from '../ground/listeners.js'
import { type ModelCatalog } from './catalog.js'

export interface DefaultModel { model: string | null, provider: string | null }

export interface DefaultModelEvents {
  /** A profile answers with another model than before. */
  changed (profile: string): void
}

const unknown: DefaultModel = { model: null, provider: null }
const freshMs = 15_000

export interface DefaultModelsOptions {
  models: Pick<ModelCatalog, 'choose'>
  /** Milliseconds of a clock that nobody sets. */
  nowMs: () => number
  log: (message: string, details: Record<string, unknown>) => void
}

/**
 * The model each profile answers with, at hand without waiting. Asking for one that is missing or no longer fresh looks
 * it up in the background.
 */
export function createDefaultModels ({ models, nowMs, log }: DefaultModelsOptions) {
  const listeners = new Listeners<DefaultModelEvents>((event, error) => log('what follows from a default model went wrong', { event, reason: String(error) }))
  const known = new Map<string, { value: DefaultModel, atMs: number }>()
  const running = new Map<string, Promise<DefaultModel>>()

  async function lookUp (profile: string): Promise<DefaultModel> {
    const choice = await models.choose(profile, {}, 8_000)
    const found: DefaultModel = 'error' in choice ? unknown : { model: choice.model.id, provider: choice.entry.id }
    const before = known.get(profile)?.value
    known.set(profile, { value: found, atMs: nowMs() })
    if (before?.model !== found.model || before?.provider !== found.provider) listeners.emit('changed', profile)
    return found
  }

  function refresh (profile: string): Promise<DefaultModel> {
    const current = running.get(profile)
    if (current !== undefined) return current
    const started = lookUp(profile).catch(() => unknown).finally(() => running.delete(profile))
    running.set(profile, started)
    return started
  }

  return {
    on: listeners.on.bind(listeners) as Heard<DefaultModelEvents>['on'],

    of (profile: string): DefaultModel {
      const found = known.get(profile)
      if (found === undefined || Math.abs(nowMs() - found.atMs) > freshMs) void refresh(profile)
      return found?.value ?? unknown
    },
    refresh,

    /** Waits for the first answer, not longer than `timeoutMs`; later ones are at hand. */
    async known (profile: string, timeoutMs: number): Promise<void> {
      if (known.has(profile)) return
      await Promise.race([refresh(profile), new Promise((resolve) => setTimeout(resolve, timeoutMs).unref())])
    }
  }
}

export type DefaultModels = ReturnType<typeof createDefaultModels>
