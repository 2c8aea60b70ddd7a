import { type Api, type Wire } from '../core/service/api.js'
import { rowsOf } from './facts.js'
import { type Section } from './documents.js'

type Version = Wire<'MemoryHistory'>['versions'][number]
export interface Origin extends Pick<Version, 'author' | 'created_at'> {
  /** It is at least that old: earlier versions are not looked at. */
  isOlder: boolean
}

/** Versions that are looked at: each is a request. */
const mostVersions = 10

/** By whom and when each fact of a document was written, by its text. */
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

/** `looked`: the newest first. The origin of a fact is the oldest version that has had it ever since. */
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
