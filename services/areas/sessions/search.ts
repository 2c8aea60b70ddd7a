import { type Static } from '@sinclair/typebox'
import { type SearchAnswer } from '../../../schemas/sessions.js'
import { createPace, type Pace } from '../../ground/concurrency/pace.js'
import { largestRowBytes, maskedText, type Database } from '../../ground/database/index.js'
import { fieldsOf } from '../../ground/fields.js'
import { wholeAt } from '../../ground/text/whole-characters.js'
import { type ListEntry } from './list-blocks.js'
import { withKeys } from './list.js'
import { createTextIndex, indexedChars } from './text-index.js'

export interface SearchInput {
  query: string
  /** Whether messages are searched too. */
  content: boolean
  /** How many of the last messages of each session are searched; 0 = all of them. */
  depth: number
}

const previewChars = 120
/** How many titles are compared without a pause. */
const titlesAtOnce = 16
const mostFound = 200
/** How many messages one search looks at before it stops, newest first. */
const mostHits = 20_000
const matchesAtOnce = 256
const mostScanned = 20_000
/** How much of a message is compared without a pause. */
const comparedChars = 65_536

interface Place { id: number, sessionId: string, position: number }
/** `at`: where the text begins in the content. */
interface Hit { sessionId: string, position: number, content: string, at: number }

/** Finds sessions by title, then by message text, newest first. */
export function createSearch ({ db, isMasked }: { db: Database, isMasked: () => boolean }) {
  const { sqlite } = db
  const index = createTextIndex(db)
  const lastOf = sqlite.prepare<[string, number], { id: number, position: number }>(
    `select messages.id as id, position from messages join sessions on sessions.id = session_id
     where session_id = ? and position >= message_count - ? and position < message_count and role in ('user', 'assistant') order by position desc`)
  const newest = sqlite.prepare<[number], Place>(
    `select messages.id as id, session_id as sessionId, position from messages join sessions on sessions.id = session_id
     where role in ('user', 'assistant') and messages.id < ? and position < message_count order by messages.id desc limit ${matchesAtOnce}`)
  const contentOf = (body: string) => sqlite.prepare<[number], { content: string | null, type: string | null }>(
    `with shown as materialized (select ${body} as body from messages where id = ?)
     select json_extract(body, '$.content') as content, json_type(body, '$.content') as type from shown where octet_length(body) <= ${largestRowBytes} and json_valid(body)`)
  const contents = { masked: contentOf(maskedText('body')), plain: contentOf('body') }

  /** Returns what a person reads of a message, in the normal form that searches compare. */
  function textOf (id: number): string {
    const { content, type } = contents[isMasked() ? 'masked' : 'plain'].get(id) ?? { content: null, type: null }
    return (type === 'array' ? partsText(content ?? '[]') : content ?? '').normalize('NFC')
  }

  function * newestFirst (): Generator<Place[]> {
    for (let before = Number.MAX_SAFE_INTEGER; ;) {
      const found = newest.all(before)
      yield found
      if (found.length < matchesAtOnce) return
      before = found.at(-1)?.id ?? 0
    }
  }

  /** Returns the newest hit of each listed session. */
  async function contentHits (
    needle: string, depth: number, listed: ReadonlyMap<string, ListEntry>, pace: Pace
  ): Promise<Map<string, Hit>> {
    const hits = new Map<string, Hit>()
    const look = async ({ id, sessionId, position }: Place): Promise<void> => {
      if (hits.has(sessionId)) return
      const content = textOf(id)
      // Masked text cannot be found: a search must not confirm a guess.
      const at = await indexIn(content, needle, pace)
      if (at !== -1) hits.set(sessionId, { sessionId, position, content, at })
      await pace()
    }
    let seen = 0
    // The query language of the index cannot express a NUL.
    if ([...needle].length >= indexedChars && !needle.includes('\0')) {
      for (const found of index.matches(needle)) {
        await pace()
        for (const place of found) {
          if (++seen > mostHits || hits.size >= mostFound) return hits
          if (listed.has(place.sessionId) && (depth === 0 || place.position >= place.length - depth)) await look(place)
        }
      }
    } else if (depth > 0) {
      for (const sessionId of listed.keys()) {
        const last = lastOf.all(sessionId, depth)
        for (const { id, position } of last) await look({ id, sessionId, position })
        seen += last.length
        if (seen > mostScanned || hits.size >= mostFound) break
      }
    } else {
      for (const found of newestFirst()) {
        await pace()
        for (const place of found) {
          if (++seen > mostScanned || hits.size >= mostFound) return hits
          if (listed.has(place.sessionId)) await look(place)
        }
      }
    }
    return hits
  }

  return {
    /** Returns rows as JSON texts, with `match_type` and, for messages, `match_preview`. Other requests get their turn in between. */
    async search (entries: readonly ListEntry[], { query, content, depth }: SearchInput): Promise<string[]> {
      const pace = createPace()
      const needle = fold(query.trim())
      const byTitle: ListEntry[] = []
      const rest = new Map<string, ListEntry>()
      for (const [at, entry] of entries.entries()) {
        if (fold(entry.title).includes(needle)) byTitle.push(entry)
        else if (content && entry.isOwn) rest.set(entry.id, entry)
        if (at % titlesAtOnce === 0) await pace()
      }
      const found = byTitle.slice(0, mostFound).map((entry) => withKeys(entry.text, { match_type: 'title' }))
      if (!content || found.length >= mostFound) return found
      const hits = await contentHits(needle, depth, rest, pace)
      for (const [id, entry] of rest) {
        const hit = hits.get(id)
        if (hit !== undefined && found.length < mostFound) {
          found.push(withKeys(entry.text, { match_type: 'content', match_preview: preview(hit, needle) }))
        }
      }
      return found
    }
  }
}

/** Inserts rows (a JSON object up to the end of its first value) before the other keys of an answer. */
export function searchAnswer (rows: readonly Buffer[], rest: Omit<Static<typeof SearchAnswer>, 'sessions'>): Buffer[] {
  return [...rows, Buffer.from(`,${JSON.stringify(rest).slice(1)}`)]
}

/** Returns the texts of a content in parts, as imports have it. */
function partsText (content: string): string {
  const parts: unknown = JSON.parse(content)
  return (Array.isArray(parts) ? parts.map(fieldsOf) : []).flatMap(({ text }) => typeof text === 'string' ? [text] : []).join('\n')
}

/** Returns where a folded text begins in a content; -1 if it is not there. Lets others have their turn while it reads a long one. */
async function indexIn (content: string, needle: string, pace: Pace): Promise<number> {
  for (let from = 0; ; from += comparedChars) {
    // What begins here may end in the next portion.
    const at = fold(content.slice(from, from + comparedChars + needle.length)).indexOf(needle)
    if (at !== -1) return from + at
    if (from + comparedChars >= content.length) return -1
    await pace()
  }
}

/**
 * Ignores case, and accents on Latin letters, as the index does, which selects the candidates. In other scripts a mark makes another
 * letter. The length stays the same, so that positions in the folded text are positions in the text.
 */
function fold (text: string): string {
  // It is composed, and has no accents.
  if (/^\p{ASCII}*$/u.test(text)) return text.toLowerCase()
  return text.normalize('NFC').replace(/(?!\p{ASCII})[\p{Script=Latin}\p{Changes_When_Lowercased}]/gu, folded).toLowerCase()
}

/** Of the letters that folding changes, about 2,400, those that have occurred. */
const foldedLetters = new Map<string, string>()

function folded (letter: string): string {
  const known = foldedLetters.get(letter)
  if (known !== undefined) return known
  const base = letter.normalize('NFD').charAt(0)
  const lower = letter.toLowerCase()
  const result = /[a-z]/i.test(base) ? base : lower.length === letter.length ? lower : letter
  foldedLetters.set(letter, result)
  return result
}

/** Returns the text around a hit, on one line; of a long hit its beginning. */
function preview ({ content, at }: Hit, needle: string): string {
  const from = wholeAt(content, Math.max(0, at - Math.max(0, Math.floor((previewChars - needle.length) / 2))))
  const piece = content.slice(from, wholeAt(content, from + previewChars)).replaceAll(/\s+/g, ' ').trim()
  return `${from > 0 ? '…' : ''}${piece}${from + previewChars < content.length ? '…' : ''}`
}
