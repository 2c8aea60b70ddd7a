import { type Api, type Wire } from '../core/service/api.js'
import { rowsOf } from './facts.js'
import { type Section } from './documents.js'

type Version = Wire<'MemoryHistory'>['versions'][number]
export interface Origin extends Pick<Version, 'author' | 'created_at'> {
  /** Whether it may be older, because earlier versions were not examined. */
  isOlder: boolean
}

/** How many versions are examined at most; each is a request. */
const mostVersions = 10

/** Returns the author and the time of each fact of a document, by its text. */
export async function readOrigins (api: Api, section: Section): Promise<ReadonlyMap<string, Origin>> {
  const { versions } = await api.get('/api/memory/history', { section })
  const looked = await Promise.all(versions.slice(0, mostVersions).map(async (version) => ({
    version,
    facts: version.missing
      ? new Set<string>()
      : new Set(rowsOf((await api.get('/api/memory/compare', { section, from: String(version.id) })).text).map(({ text }) => text))
  })))
  return originsIn(looked, versions.length > looked.length)
}

/**
 * Returns the origins of the facts. `looked`: the examined versions, the newest first. The origin of a fact is the oldest version since
 * which it has always been there.
 */
export function originsIn (
  looked: ReadonlyArray<{ version: Pick<Version, 'author' | 'created_at'>, facts: ReadonlySet<string> }>, hasOlder: boolean
): ReadonlyMap<string, Origin> {
  const origins = new Map<string, Origin>()
  for (const fact of looked[0]?.facts ?? []) {
    const gone = looked.findIndex(({ facts }) => !facts.has(fact))
    const first = gone === -1 ? looked.at(-1) : looked[gone - 1]
    if (first === undefined) continue
    const { author, created_at: createdAt } = first.version
    origins.set(fact, { author, created_at: createdAt, isOlder: gone === -1 && hasOlder })
  }
  return origins
}
