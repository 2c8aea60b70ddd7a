import { hash } from 'node:crypto'
import { listModels, type ModelInfo, type ProviderEntry } from '../providers/index.js'
import { monotonicMs, type Clock } from '../ground/clock.js'
import { redact } from '../ground/redaction/index.js'

/** A provider's own list, or why there is none. */
export interface ModelList { models: ModelInfo[] | null, error: string | null }

interface Kept extends ModelList { version: string, atMs: number }

const requestMs = 8000
const freshMs = 60_000
const keptMs = 24 * 60 * 60_000
const limit = 512

/**
 * The providers' own model lists, remembered per profile and provider. One request at a time for each; a failure is tried
 * again after a minute, and never replaces a list that was had before.
 */
export function createModelLists ({ clock, fetch }: { clock: Clock, fetch: typeof globalThis.fetch }) {
  const kept = new Map<string, Kept>()
  const running = new Map<string, Promise<ModelList>>()
  const ageOf = ({ atMs }: Kept): number => monotonicMs(clock) - atMs
  const keyOf = (profile: string, providerId: string): string => `${profile} ${providerId}`

  function ask (profile: string, entry: ProviderEntry): Promise<ModelList> {
    const key = keyOf(profile, entry.id)
    const version = versionOf(entry)
    const flight = `${key} ${version}`
    const current = running.get(flight)
    if (current !== undefined) return current
    const request = listModels(entry, { signal: AbortSignal.timeout(requestMs), fetch })
      .then((models): ModelList => ({ models, error: null }), (error: unknown): ModelList => ({
        models: null, error: error instanceof Error ? redact(error.message) : `${entry.displayName} could not list its models.`
      }))
      .then((list) => {
        const before = kept.get(key)
        const models = list.models ?? (before?.version === version ? before.models : null)
        kept.delete(key)
        kept.set(key, { models, error: list.error, version, atMs: monotonicMs(clock) })
        if (kept.size > limit) kept.delete(kept.keys().next().value as string)
        return list
      })
      .finally(() => running.delete(flight))
    running.set(flight, request)
    return request
  }

  function keptFor (profile: string, entry: ProviderEntry): Kept | undefined {
    const found = kept.get(keyOf(profile, entry.id))
    if (found?.version !== versionOf(entry)) return undefined
    const maxAgeMs = found.error === null ? keptMs : freshMs
    return ageOf(found) < maxAgeMs ? found : undefined
  }

  return {
    /** All lists, from memory where it is at most a day old. Waits at most 8 s for those that are not. */
    async all (profile: string, entries: readonly ProviderEntry[]): Promise<Map<string, ModelList>> {
      return new Map(await Promise.all(entries.map(async (entry): Promise<[string, ModelList]> =>
        [entry.id, keptFor(profile, entry) ?? await ask(profile, entry)])))
    },

    /** One list, at most a minute old. The request goes on when the caller stops waiting, for the next one to find. */
    async one (profile: string, entry: ProviderEntry, timeoutMs = requestMs): Promise<ModelList> {
      const found = keptFor(profile, entry)
      if (found !== undefined && ageOf(found) < freshMs) return found.error === null ? found : { models: null, error: found.error }
      return await withinTime(ask(profile, entry), timeoutMs, entry)
    },

    /** A provider is asked again when its list is next wanted. */
    forget (profile: string, providerId: string): void {
      kept.delete(keyOf(profile, providerId))
    },

    /** What is remembered of a provider's list, whatever its age. */
    known (profile: string, providerId: string): ModelInfo[] | undefined {
      return kept.get(keyOf(profile, providerId))?.models ?? undefined
    }
  }
}

export type ModelLists = ReturnType<typeof createModelLists>

/** A list holds for the address and the key that it was had with. */
function versionOf ({ kind, baseUrl, apiKey }: ProviderEntry): string {
  return `${kind} ${baseUrl ?? ''} ${hash('sha256', apiKey ?? '')}`
}

/** A request that somebody else started may run longer than this caller wants to wait. */
async function withinTime (list: Promise<ModelList>, timeoutMs: number, entry: ProviderEntry): Promise<ModelList> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<ModelList>((resolve) => {
    timer = setTimeout(() => resolve({ models: null, error: `${entry.displayName} did not list its models in time.` }), timeoutMs)
  })
  return await Promise.race([list, late]).finally(() => clearTimeout(timer))
}
