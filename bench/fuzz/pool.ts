import { type Random } from '../torture/random.js'

const keptOfEach = 12
const mostNodes = 2_000
const longestText = 300
/** Names under which answers contain what requests call differently. */
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

/** Values from earlier answers, by name: with them, requests reach existing things. */
export interface Pool {
  /** Collects the texts and numbers in an answer of an area. */
  harvest (area: string, body: unknown): void
  add (name: string, value: unknown): void
  /** Forgets values that no longer identify anything. */
  drop (values: readonly unknown[]): void
  /** Returns a value for a field of this name; undefined if none is known. */
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
