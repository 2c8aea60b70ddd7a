import { hash } from 'node:crypto'
import { setTimeout as after } from 'node:timers/promises'
import { keepNewest } from '../../ground/keep-newest.js'
import { KeyRefused, listModels, staticModels, type ModelInfo, type ProviderEntry } from '../../providers/index.js'
import { monotonicMs, type Clock } from '../../ground/time/clock.js'
import { redact } from '../../ground/redaction/index.js'

/** A provider's own list, or why it is missing. */
export interface ModelList { models: ModelInfo[] | null, error: string | null }

/** `isRefused`: whether the provider refused the key. `askedMs`: when the request began, `atMs`: when it ended. */
interface CachedModels extends ModelList { version: string, askedMs: number, atMs: number, isRefused: boolean }

/** The result of a request. */
type Outcome = Pick<CachedModels, 'models' | 'error' | 'isRefused'>

/** How long a caller waits for lists. */
const waitMs = 8_000
/** How long a request may take; its result is used by the next caller. */
const requestMs = 60_000
const freshMs = 60_000
const keptMs = 24 * 60 * 60_000
const limit = 512

export interface ModelListsOptions {
  clock: Clock
  fetch: typeof globalThis.fetch
  /** Resolves after this time, and rejects when the signal is aborted before. */
  passed?: (ms: number, signal: AbortSignal) => Promise<unknown>
}

/**
 * Caches the providers' own model lists, per profile and provider. Each has at most one request at a time; a failure is retried after a
 * minute, and never replaces an older list. Callers wait only for providers that were never asked, and only for a while; a late answer is
 * there for the next caller.
 */
export class ModelLists {
  readonly #kept = new Map<string, CachedModels>()
  readonly #running = new Map<string, Promise<Outcome>>()
  readonly #options: Required<ModelListsOptions>
  #changes = 0

  constructor (options: ModelListsOptions) {
    this.#options = { passed: async (ms, signal) => await after(ms, undefined, { signal, ref: false }), ...options }
  }

  /** Rises with every change of these lists. */
  get changes (): number {
    return this.#changes
  }

  /**
   * Returns all lists. Waits for providers that were never asked, at most `timeoutMs` for all of them together; stale lists of others are
   * refreshed in the background.
   */
  async all (profile: string, entries: readonly ProviderEntry[], timeoutMs = waitMs): Promise<Map<string, ModelList>> {
    const askedMs = monotonicMs(this.#options.clock)
    const missing: Array<Promise<unknown>> = []
    for (const entry of entries) {
      // An agent announces its models itself; it is not started for a list.
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

  /** Returns one list, at most a minute old. If the caller stops waiting, the request continues for the next caller. */
  async one (profile: string, entry: ProviderEntry, timeoutMs = waitMs): Promise<ModelList> {
    if (entry.kind === 'acp') return { models: staticModels(entry), error: null }
    const found = this.#found(profile, entry)
    if (found !== undefined && this.#ageOf(found) < freshMs) return found.error === null ? found : { models: null, error: found.error }
    const askedMs = monotonicMs(this.#options.clock)
    const outcome = await this.#within(timeoutMs, this.#ask(profile, entry))
    if (outcome === undefined && timeoutMs >= waitMs && this.#found(profile, entry) === undefined) this.#late(profile, entry, askedMs)
    return outcome ?? { models: null, error: lateWords(entry) }
  }

  /** Drops a list, so that the provider is asked again when the list is next needed. */
  forget (profile: string, providerId: string): void {
    if (this.#kept.delete(keyOf(profile, providerId))) this.#changes++
  }

  /** Returns the cached list of a provider, whatever its age. */
  known (profile: string, providerId: string): ModelInfo[] | undefined {
    return this.#kept.get(keyOf(profile, providerId))?.models ?? undefined
  }

  /** Returns why the provider refused the key at the last request; null if it did not, or was not asked. */
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
    // Another key or address was set in the meantime, and its list is here already.
    if (before !== undefined && !isSame && before.askedMs > askedMs) return kept
    this.#kept.delete(key)
    this.#kept.set(key, kept)
    keepNewest(this.#kept, limit)
    this.#changes++
    return kept
  }

  /** Stores that a provider did not answer in time: later callers do not wait for it, and get the list once it has arrived. */
  #late (profile: string, entry: ProviderEntry, askedMs: number): ModelList {
    return this.#keep(profile, entry, { models: null, error: lateWords(entry), isRefused: false }, askedMs)
  }

  /** Returns a list of the same address and key, whatever its age. */
  #found (profile: string, entry: ProviderEntry): CachedModels | undefined {
    const found = this.#kept.get(keyOf(profile, entry.id))
    return found?.version === versionOf(entry) ? found : undefined
  }

  #isFresh (found: CachedModels): boolean {
    return this.#ageOf(found) < (found.error === null ? keptMs : freshMs)
  }

  #ageOf ({ atMs }: CachedModels): number {
    return monotonicMs(this.#options.clock) - atMs
  }

  /** Returns what a promise resolves with; undefined if that takes longer than `timeoutMs`. */
  async #within<T> (timeoutMs: number, work: Promise<T>): Promise<T | undefined> {
    const done = new AbortController()
    const late = this.#options.passed(timeoutMs, done.signal).then(() => undefined, () => undefined)
    return await Promise.race([work, late]).finally(() => done.abort())
  }
}

const keyOf = (profile: string, providerId: string): string => `${profile} ${providerId}`

const lateWords = (entry: ProviderEntry): string => `${entry.displayName} did not list its models in time.`

/** A list is valid for the address and the key with which it was fetched. */
function versionOf ({ kind, baseUrl, apiKey }: ProviderEntry): string {
  return `${kind} ${baseUrl ?? ''} ${hash('sha256', apiKey ?? '')}`
}
