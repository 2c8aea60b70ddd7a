import { isRecord } from '../../ground/fields.js'
import { keepNewest } from '../../ground/keep-newest.js'

/** A line of a session file, parsed and not trusted. */
export type Entry = Record<string, unknown>

/** How much a title is worth; a better one replaces a lesser one, and of two explicit ones the newer counts. */
export const titleRanks = { none: 0, command: 1, text: 2, summary: 3, generated: 4, given: 5 } as const
export type TitleRank = typeof titleRanks[keyof typeof titleRanks]

/** `args`: as it stands in the file, an object or JSON text. */
export interface ForeignCall { id: string, name: string, args: unknown }

/** Where a fact comes from: the entry's own id, and epoch seconds. */
export interface Stamp { uuid?: string, atS?: number }

/**
 * What a line says, in words that both formats share. Parts of an answer with the same `answer` key belong to one call
 * of the model, hence to one row; each carries at least one of text, reasoning and call. `usage` without a key is the
 * conversation's total so far; with one it replaces what was said of that answer before. `request`: what the user typed,
 * where the text holds more than that; `rank`: what it is worth as a title. `id`: the front end's own, of the whole.
 * `pace`: whether the program is at a turn, where it says so.
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

/** Turns the entries of one file, in their order, into facts. Must not throw. */
export interface Reader {
  read (entry: Entry): Fact[]
  /** The id of an entry and of the one that it follows, where its front end names them. */
  link? (entry: Entry): Link
}
export interface Link { id: string | null, parent: string | null }

export function asEntry (value: unknown): Entry | null {
  return isRecord(value) ? value : null
}

export function asEntries (value: unknown): Entry[] {
  return Array.isArray(value) ? value.map(asEntry).filter((item) => item !== null) : []
}

/** A string that is not empty, cut at `chars`. */
export function asText (value: unknown, chars = Infinity): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, chars) : null
}

export function asCount (value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0
}

/** Epoch seconds of an ISO time. */
export function asTime (value: unknown): number | undefined {
  if (typeof value !== 'string' || value.length > 40) return undefined
  const ms = Date.parse(value)
  return Number.isNaN(ms) || ms < 0 ? undefined : ms / 1000
}

/** `text` without `<tag>…</tag>` for these tags. Time grows with the text and no faster, whatever the text is. */
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

/** What stands in the first `<tag>…</tag>`, trimmed. */
export function insideBlock (text: string, tag: string): string | null {
  const open = text.indexOf(`<${tag}>`)
  if (open === -1) return null
  const start = open + tag.length + 2
  const close = text.indexOf(`</${tag}>`, start)
  return close === -1 ? null : text.slice(start, close).trim()
}

/** As many keys as this are remembered: what a file comes back to lies at most a few lines behind. */
const rememberedKeys = 32

/** A map that forgets the keys it got first. */
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
