import { type Random } from '../torture/random.js'

const keptOfEach = 12
const mostNodes = 2_000
const longestText = 300
/** Under which names an answer says what a request calls otherwise. */
const also: Record<string, readonly string[]> = {
  job_id: ['crons.id', 'crons.job_id'],
  path: ['path', 'file', 'old_path'],
  paths: ['path'],
  ref: ['sha', 'hash', 'name', 'branch'],
  branch: ['branch', 'current'],
  filename: ['filename', 'file'],
  checkpoint: ['checkpoint', 'checkpoint_id', 'hash', 'id'],
  version: ['version'],
  keep_count: ['message_count'],
  model: ['model', 'id'],
  provider: ['provider', 'id'],
  token: ['token', 'share_token'],
  section: ['section', 'name']
}

/** What earlier answers said, by its name: with it requests get as far as what is there. */
export interface Pool {
  /** Remembers the texts and numbers of an answer of an area. */
  harvest (area: string, body: unknown): void
  add (name: string, value: unknown): void
  /** Forgets values that nothing is found by any more. */
  drop (values: readonly unknown[]): void
  /** A value that a field of this name could have; undefined where none is known. */
  take (area: string, name: string): unknown
}

export function createPool (random: Random): Pool {
  const known = new Map<string, unknown[]>()
  const add = (name: string, value: unknown): void => {
    const values = known.get(name) ?? []
    if (values.includes(value)) return
    if (values.length >= keptOfEach) values.splice(random.whole(0, values.length - 1), 1)
    known.set(name, [...values, value])
  }
  return {
    add,
    harvest (area, body) {
      let left = mostNodes
      const walk = (value: unknown, name: string): void => {
        if (left-- <= 0) return
        if (typeof value === 'number' || (typeof value === 'string' && value.length > 0 && value.length < longestText)) {
          add(name, value)
          add(`${area}.${name}`, value)
        } else if (Array.isArray(value)) value.forEach((each) => walk(each, name))
        else if (typeof value === 'object' && value !== null) Object.entries(value).forEach(([key, each]) => walk(each, key))
      }
      walk(body, '')
    },
    drop (values) {
      for (const [name, held] of known) {
        const left = held.filter((value) => !values.includes(value))
        if (left.length === 0) known.delete(name)
        else known.set(name, left)
      }
    },
    take (area, name) {
      const names = [`${area}.${name}`, name, ...also[name] ?? []].filter((candidate) => known.has(candidate))
      if (names.length === 0) return undefined
      return random.pick(known.get(random.pick(names)) ?? [])
    }
  }
}
