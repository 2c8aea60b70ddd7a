import { isRecord } from '../../ground/fields.js'
import { keepNewest } from '../../ground/keep-newest.js'

/** A parsed line of a session file; not trusted. */
export type Entry = Record<string, unknown>

/** The rank of a title: a higher one replaces a lower one, and of two explicit titles of the same rank the newer counts. */
export const titleRanks = { none: 0, command: 1, text: 2, summary: 3, generated: 4, given: 5 } as const
export type TitleRank = typeof titleRanks[keyof typeof titleRanks]

/** `args` as they are in the file: an object or JSON text. */
export interface ForeignCall { id: string, name: string, args: unknown }

/** The origin of a fact: the entry's own id, and the time in epoch seconds. */
export interface Stamp { uuid?: string, atS?: number }

/**
 * The content of a line, in terms shared by all formats. Parts of an answer with the same `answer` key belong to one model call, and so to
 * one row; each carries at least one of text, reasoning and call. `usage` without a key is the conversation's total so far; with one, it
 * replaces what was reported for that answer before. `request`: what the user typed, if the text contains more than that; `rank`: its rank
 * as a title. `id`: the front end's own id of the conversation. `pace`: whether the program is working on a turn, if it says so.
 */
export type Fact =
  | { t: 'began', atS: number }
  | { t: 'id', id: string }
  | ({ t: 'user', text: string, rank: TitleRank, request?: string } & Stamp)
  | ({ t: 'answer', answer: string, text?: string, reasoning?: string, call?: ForeignCall, isError?: boolean } & Stamp)
  | ({ t: 'result', callId: string, text: string, isError: boolean } & Stamp)
  | { t: 'title', text: string, rank: TitleRank }
  | { t: 'workspace', path: string }
  | { t: 'model', model: string }
  | { t: 'usage', answer: string | null, inputTokens: number, outputTokens: number, cacheReadTokens: number }
  | { t: 'left_out' }
  | { t: 'pace', isAtWork: boolean }

/** Converts the entries of one file, in their order, into facts. Must not throw. */
export interface Reader {
  read (entry: Entry): Fact[]
  /** Returns the id of an entry and of its predecessor, if the front end names them. */
  link? (entry: Entry): Link
}
export interface Link { id: string | null, parent: string | null }

export function asEntry (value: unknown): Entry | null {
  return isRecord(value) ? value : null
}

export function asEntries (value: unknown): Entry[] {
  return Array.isArray(value) ? value.map(asEntry).filter((item) => item !== null) : []
}

/** Returns a string that is not empty, cut at `chars`; null otherwise. */
export function asText (value: unknown, chars = Infinity): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, chars) : null
}

export function asCount (value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0
}

/** Parses an ISO time to epoch seconds. */
export function asTime (value: unknown): number | undefined {
  if (typeof value !== 'string' || value.length > 40) return undefined
  const ms = Date.parse(value)
  return Number.isNaN(ms) || ms < 0 ? undefined : ms / 1000
}

/** Returns `text` without `<tag>…</tag>` for these tags. Takes linear time, whatever the text. */
export function withoutBlocks (text: string, tags: ReadonlySet<string>): string {
  if (!text.includes('<')) return text
  const unclosed = new Set<string>()
  const opening = /<([a-z][a-z_-]{0,40})(?: [^<>]{0,200})?>/g
  let rest = ''
  let kept = 0
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const [, tag = ''] = match
    if (!tags.has(tag) || unclosed.has(tag)) continue
    const close = text.indexOf(`</${tag}>`, opening.lastIndex)
    if (close === -1) {
      unclosed.add(tag)
      continue
    }
    rest += text.slice(kept, match.index)
    kept = opening.lastIndex = close + tag.length + 3
  }
  return rest + text.slice(kept)
}

/** Returns the content of the first `<tag>…</tag>`, trimmed; null if there is none. */
export function insideBlock (text: string, tag: string): string | null {
  const open = text.indexOf(`<${tag}>`)
  if (open === -1) return null
  const start = open + tag.length + 2
  const close = text.indexOf(`</${tag}>`, start)
  return close === -1 ? null : text.slice(start, close).trim()
}

/** How many keys are remembered: a file refers back only a few lines. */
const rememberedKeys = 32

/** A map that forgets its oldest keys. */
export class RecentKeys<T> {
  readonly #entries = new Map<string, T>()

  get (key: string): T | undefined {
    return this.#entries.get(key)
  }

  set (key: string, value: T): void {
    this.#entries.set(key, value)
    keepNewest(this.#entries, rememberedKeys)
  }
}
