import { hash } from 'node:crypto'
import { setTimeout as after } from 'node:timers/promises'
import { keepNewest } from '../../ground/keep-newest.js'
import { KeyRefused, listModels, staticModels, type ModelInfo, type ProviderEntry } from '../../providers/index.js'
import { monotonicMs, type Clock } from '../../ground/clock.js'
import { redact } from '../../ground/redaction/index.js'

/** A provider's own list, or why there is none. */
export interface ModelList { models: ModelInfo[] | null, error: string | null }

/** `isRefused`: the provider does not take the key. `askedMs`: when somebody began to ask, `atMs`: when this was known. */
interface Kept extends ModelList { version: string, askedMs: number, atMs: number, isRefused: boolean }

/** What asking came to. */
type Outcome = Pick<Kept, 'models' | 'error' | 'isRefused'>

/** How long somebody waits for lists. */
const waitMs = 8_000
/** How long a provider may take, for the next one who asks. */
const requestMs = 60_000
const freshMs = 60_000
const keptMs = 24 * 60 * 60_000
const limit = 512

export interface ModelListsOptions {
  clock: Clock
  fetch: typeof globalThis.fetch
  /** Resolves when so much time has passed, and rejects when the signal is aborted before. */
  passed?: (ms: number, signal: AbortSignal) => Promise<unknown>
}

/**
 * The providers' own model lists, remembered per profile and provider. One request at a time for each; a failure is tried
 * again after a minute, and never replaces a list that was had before. Only a provider that was never asked is waited for,
 * a while; what it says after that is there for the next one who asks.
 */
export class ModelLists {
  readonly #kept = new Map<string, Kept>()
  readonly #running = new Map<string, Promise<Outcome>>()
  readonly #options: Required<ModelListsOptions>
  #changes = 0

  constructor (options: ModelListsOptions) {
    this.#options = { passed: async (ms, signal) => await after(ms, undefined, { signal, ref: false }), ...options }
  }

  /** Raised by whatever changes what these lists say. */
  get changes (): number {
    return this.#changes
  }

  /**
   * All lists. Waits for providers that were not asked before, at most `timeoutMs` for all of them together; others are
   * asked again beside that when it is time.
   */
  async all (profile: string, entries: readonly ProviderEntry[], timeoutMs = waitMs): Promise<Map<string, ModelList>> {
    const askedMs = monotonicMs(this.#options.clock)
    const missing: Array<Promise<unknown>> = []
    for (const entry of entries) {
      // What an agent has is told by its own offer, and nobody starts it for a list.
      if (entry.kind === 'acp') continue
      const found = this.#found(profile, entry)
      if (found !== undefined && this.#isFresh(found)) continue
      const asked = this.#ask(profile, entry)
      if (found === undefined) missing.push(asked)
    }
    if (missing.length > 0) await this.#within(timeoutMs, Promise.all(missing))
    return new Map(entries.filter(({ kind }) => kind !== 'acp').map((entry) =>
      [entry.id, this.#found(profile, entry) ?? this.#late(profile, entry, askedMs)]))
  }

  /** One list, at most a minute old. The request goes on when the caller stops waiting, for the next one to find. */
  async one (profile: string, entry: ProviderEntry, timeoutMs = waitMs): Promise<ModelList> {
    if (entry.kind === 'acp') return { models: staticModels(entry), error: null }
    const found = this.#found(profile, entry)
    if (found !== undefined && this.#ageOf(found) < freshMs) return found.error === null ? found : { models: null, error: found.error }
    const askedMs = monotonicMs(this.#options.clock)
    const outcome = await this.#within(timeoutMs, this.#ask(profile, entry))
    if (outcome === undefined && timeoutMs >= waitMs && this.#found(profile, entry) === undefined) this.#late(profile, entry, askedMs)
    return outcome ?? { models: null, error: lateWords(entry) }
  }

  /** A provider is asked again when its list is next wanted. */
  forget (profile: string, providerId: string): void {
    if (this.#kept.delete(keyOf(profile, providerId))) this.#changes++
  }

  /** What is remembered of a provider's list, whatever its age. */
  known (profile: string, providerId: string): ModelInfo[] | undefined {
    return this.#kept.get(keyOf(profile, providerId))?.models ?? undefined
  }

  /** Why the provider does not take the key it was last asked with; null when it did, or was not asked. */
  refusal (profile: string, entry: ProviderEntry): string | null {
    const found = this.#found(profile, entry)
    return found?.isRefused === true ? found.error : null
  }

  #ask (profile: string, entry: ProviderEntry): Promise<Outcome> {
    const version = versionOf(entry)
    const flight = `${keyOf(profile, entry.id)} ${version}`
    const current = this.#running.get(flight)
    if (current !== undefined) return current
    const askedMs = monotonicMs(this.#options.clock)
    const request = listModels(entry, { signal: AbortSignal.timeout(requestMs), fetch: this.#options.fetch })
      .then((models): Outcome => ({ models, error: null, isRefused: false }), (error: unknown): Outcome => ({
        models: null, error: error instanceof Error ? redact(error.message) : `${entry.displayName} could not list its models.`,
        isRefused: error instanceof KeyRefused
      }))
      .then((outcome) => {
        this.#keep(profile, entry, outcome, askedMs)
        return outcome
      })
      .finally(() => this.#running.delete(flight))
    this.#running.set(flight, request)
    return request
  }

  #keep (profile: string, entry: ProviderEntry, { models, error, isRefused }: Outcome, askedMs: number): ModelList {
    const key = keyOf(profile, entry.id)
    const version = versionOf(entry)
    const before = this.#kept.get(key)
    const isSame = before?.version === version
    const kept = {
      models: models ?? (isSame ? before.models : null), error, isRefused, version, askedMs, atMs: monotonicMs(this.#options.clock)
    }
    // Somebody has set another key or address since, and its list is here already.
    if (before !== undefined && !isSame && before.askedMs > askedMs) return kept
    this.#kept.delete(key)
    this.#kept.set(key, kept)
    keepNewest(this.#kept, limit)
    this.#changes++
    return kept
  }

  /** It did not answer in time: the next ones do not wait for it any more, and hear of it when it has. */
  #late (profile: string, entry: ProviderEntry, askedMs: number): ModelList {
    return this.#keep(profile, entry, { models: null, error: lateWords(entry), isRefused: false }, askedMs)
  }

  /** A list of the same address and key, whatever its age. */
  #found (profile: string, entry: ProviderEntry): Kept | undefined {
    const found = this.#kept.get(keyOf(profile, entry.id))
    return found?.version === versionOf(entry) ? found : undefined
  }

  #isFresh (found: Kept): boolean {
    return this.#ageOf(found) < (found.error === null ? keptMs : freshMs)
  }

  #ageOf ({ atMs }: Kept): number {
    return monotonicMs(this.#options.clock) - atMs
  }

  /** What a promise resolves with; undefined when it takes longer than somebody wants to wait. */
  async #within<T> (timeoutMs: number, work: Promise<T>): Promise<T | undefined> {
    const done = new AbortController()
    const late = this.#options.passed(timeoutMs, done.signal).then(() => undefined, () => undefined)
    return await Promise.race([work, late]).finally(() => done.abort())
  }
}

const keyOf = (profile: string, providerId: string): string => `${profile} ${providerId}`

const lateWords = (entry: ProviderEntry): string => `${entry.displayName} did not list its models in time.`

/** A list holds for the address and the key that it was had with. */
function versionOf ({ kind, baseUrl, apiKey }: ProviderEntry): string {
  return `${kind} ${baseUrl ?? ''} ${hash('sha256', apiKey ?? '')}`
}
