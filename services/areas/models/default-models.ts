import { inTime } from '../../ground/concurrency/in-time.js'
import { Listeners } from '../../ground/listeners.js'
import { table } from '../../ground/lookup-table.js'
import { type Log } from '../../ground/log.js'
import { type ModelCatalog } from './catalog.js'

export interface DefaultModel { model: string | null, provider: string | null }

/** The default model, with that of machines which have another one, by their names. */
export interface DefaultModelByPlace extends DefaultModel { elsewhere?: Readonly<Record<string, DefaultModel>> }

export interface DefaultModelEvents {
  /** A profile has another default model than before, here or on a machine. */
  changed (profile: string): void
}

const unknown: DefaultModel = { model: null, provider: null }
const freshMs = 15_000

export interface DefaultModelsOptions {
  /** Returns the default model on another machine, as far as that tells it; null: unknown. Default: no other machines. */
  elsewhere?: (machine: string, profile: string) => Promise<DefaultModel | null>
  /** Returns the connected machines. */
  machines?: () => string[]
  models: Pick<ModelCatalog, 'choose'>
  /** Milliseconds of a monotonic clock. */
  nowMs: () => number
  log: Log
}

/**
 * Keeps the default model of each profile ready to be read without waiting. Reading one that is missing or stale looks it up in the
 * background.
 */
export function createDefaultModels ({ models, nowMs, log, elsewhere = async () => null, machines = () => [] }: DefaultModelsOptions) {
  const listeners = new Listeners<DefaultModelEvents>((event, error) =>
    log('a listener failed after a change of the default model', { event, reason: String(error) }))
  const known = new Map<string, { value: DefaultModel, atMs: number }>()
  const running = new Map<string, Promise<DefaultModel>>()
  /** By profile. */
  const far = new Map<string, Readonly<Record<string, DefaultModel>>>()

  async function lookUp (profile: string): Promise<DefaultModel> {
    const choice = await models.choose(profile, {}, 8_000)
    const found: DefaultModel = 'error' in choice ? unknown : { model: choice.model.id, provider: choice.entry.id }
    const before = known.get(profile)?.value
    known.set(profile, { value: found, atMs: nowMs() })
    if (!isSame(before, found)) {
      listeners.emit('changed', profile)
      for (const machine of machines()) void lookUpOn(machine, profile)
    }
    return found
  }

  async function lookUpOn (machine: string, profile: string): Promise<void> {
    const found = await elsewhere(machine, profile).catch(() => null)
    const before = far.get(profile) ?? {}
    if (found === null || isSame(before[machine], found)) return
    far.set(profile, table({ ...before, [machine]: found }))
    listeners.emit('changed', profile)
  }

  function refresh (profile: string): Promise<DefaultModel> {
    const current = running.get(profile)
    if (current !== undefined) return current
    const started = lookUp(profile).catch(() => unknown).finally(() => running.delete(profile))
    running.set(profile, started)
    return started
  }

  return {
    on: listeners.on,

    of (profile: string): DefaultModel {
      const found = known.get(profile)
      if (found === undefined || Math.abs(nowMs() - found.atMs) > freshMs) void refresh(profile)
      return found?.value ?? unknown
    },
    refresh,

    /** Returns the default model with those of other machines. */
    everywhere (profile: string): DefaultModelByPlace {
      const found = far.get(profile)
      return found === undefined ? this.of(profile) : { ...this.of(profile), elsewhere: found }
    },

    /** Called when a machine has connected, or has another default model. */
    lookUpOn,

    /** Waits at most `timeoutMs` for the first answer; later ones need no wait. */
    async known (profile: string, timeoutMs: number): Promise<void> {
      if (known.has(profile)) return
      await inTime(timeoutMs, refresh(profile))
    }
  }
}

const isSame = (one: DefaultModel | undefined, other: DefaultModel): boolean =>
  one?.model === other.model && one?.provider === other.provider

export type DefaultModels = ReturnType<typeof createDefaultModels>
