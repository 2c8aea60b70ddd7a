import { type Static } from '@sinclair/typebox'
import { type SearchAnswer } from '../../schemas/sessions.js'
import { inPortions, type Database } from '../ground/database/index.js'
import { withKeys, type ListEntry } from './list.js'
import { largestRowBytes } from './unreadable.js'

export interface SearchInput {
  query: string
  /** Look into messages as well. */
  content: boolean
  /** Only the last so many messages of each session; 0 = all of them. */
  depth: number
}

/** The index holds sequences of three characters; shorter queries are looked for in texts themselves. */
const indexedChars = 3
/** A longer phrase costs the index a step for each of its characters; the texts themselves are looked at anyway. */
const indexedLimit = 24
const previewChars = 120
const mostFound = 200
/** What one search may look at before it gives up: newest messages first. */
const mostHits = 20_000
const matchesAtOnce = 256
const mostScanned = 20_000

interface Hit { sessionId: string, position: number, content: string }

/** Finds sessions by title, then by what was said in them, newest first. */
export function createSearch ({ db, isMasked }: { db: Database, isMasked: () => boolean }) {
  const { sqlite } = db
  const matching = sqlite.prepare<[string, number], { id: number, sessionId: string, position: number, length: number }>(
    `select messages.id as id, messages.session_id as sessionId, messages.position as position, sessions.message_count as length
     from message_texts join messages on messages.id = message_texts.rowid join sessions on sessions.id = messages.session_id
     where message_texts match ? and message_texts.rowid < ? order by message_texts.rowid desc limit ${matchesAtOnce}`)
  const lastOf = sqlite.prepare<[string, number], { id: number, position: number }>(
    `select messages.id as id, position from messages join sessions on sessions.id = session_id
     where session_id = ? and position >= message_count - ? and role in ('user', 'assistant') order by position desc`)
  const newest = sqlite.prepare<[number], { id: number, sessionId: string, position: number }>(
    "select id, session_id as sessionId, position from messages where role in ('user', 'assistant') order by id desc limit ?")
  const contentOf = (body: string) => sqlite.prepare<[number], { content: string | null, type: string | null }>(
    `select json_extract(${body}, '$.content') as content, json_type(${body}, '$.content') as type from messages where id = ? and octet_length(${body}) <= ${largestRowBytes} and json_valid(${body})`)
  const contents = { masked: contentOf('coalesce(redacted_body, body)'), plain: contentOf('body') }

  /** What a person reads of a message, on the letters that searches compare. */
  function textOf (id: number): string {
    const { content, type } = contents[isMasked() ? 'masked' : 'plain'].get(id) ?? { content: null, type: null }
    return (type === 'array' ? partsText(content ?? '[]') : content ?? '').normalize('NFC')
  }

  /** The newest first. */
  function matchesOf (needle: string) {
    const wanted = phrases(needle)
    return inPortions<{ id: number, sessionId: string, position: number, length: number }>(matchesAtOnce, (last) => matching.all(wanted, last?.id ?? Number.MAX_SAFE_INTEGER))
  }

  /** The newest hit of each session that is listed. */
  function contentHits (needle: string, depth: number, listed: ReadonlyMap<string, ListEntry>): Map<string, Hit> {
    const hits = new Map<string, Hit>()
    const look = (id: number, sessionId: string, position: number): void => {
      const content = textOf(id)
      // What is masked cannot be found: a search must not tell whether a guess was right.
      if (fold(content).includes(needle)) hits.set(sessionId, { sessionId, position, content })
    }
    // The index's own language has no way to ask for a NUL.
    if ([...needle].length >= indexedChars && !needle.includes('\0')) {
      let seen = 0
      for (const { id, sessionId, position, length } of matchesOf(needle)) {
        if (++seen > mostHits || hits.size >= mostFound) break
        if (hits.has(sessionId) || !listed.has(sessionId) || (depth > 0 && position < length - depth)) continue
        look(id, sessionId, position)
      }
    } else if (depth > 0) {
      let seen = 0
      for (const sessionId of listed.keys()) {
        for (const { id, position } of lastOf.all(sessionId, depth)) {
          if (!hits.has(sessionId)) look(id, sessionId, position)
          seen++
        }
        if (seen > mostScanned || hits.size >= mostFound) break
      }
    } else {
      for (const { id, sessionId, position } of newest.all(mostScanned)) {
        if (hits.size >= mostFound) break
        if (!hits.has(sessionId) && listed.has(sessionId)) look(id, sessionId, position)
      }
    }
    return hits
  }

  return {
    /** Rows as JSON texts, with `match_type` and, for messages, `match_preview`. A blank query finds everything, in the list's order. */
    search (entries: ListEntry[], { query, content, depth }: SearchInput): string[] {
      const needle = fold(query.trim())
      if (needle === '') return entries.map((entry) => entry.text)
      const byTitle = entries.filter((entry) => fold(entry.title).includes(needle))
      const found = byTitle.slice(0, mostFound).map((entry) => withKeys(entry.text, { match_type: 'title' }))
      if (!content || found.length >= mostFound) return found
      const titled = new Set(byTitle.map((entry) => entry.id))
      const rest = new Map(entries.filter((entry) => entry.isOwn && !titled.has(entry.id)).map((entry) => [entry.id, entry]))
      const hits = contentHits(needle, depth, rest)
      for (const [id, entry] of rest) {
        const hit = hits.get(id)
        if (hit !== undefined && found.length < mostFound) found.push(withKeys(entry.text, { match_type: 'content', match_preview: preview(hit.content, needle) }))
      }
      return found
    }
  }
}

/** Rows that are JSON texts, among the other keys of an answer. */
export function searchAnswer (found: string[], rest: Omit<Static<typeof SearchAnswer>, 'sessions'>): string {
  return `{"sessions":[${found.join(',')}],${JSON.stringify(rest).slice(1)}`
}

/** In the index's own language; texts in it may have their letters and marks apart. */
function phrases (needle: string): string {
  return [...new Set([needle, needle.normalize('NFD')])].map((phrase) => `"${[...phrase].slice(0, indexedLimit).join('').replaceAll('"', '""')}"`).join(' OR ')
}

/** The texts of a content in parts, as imports have it. */
function partsText (content: string): string {
  const parts = JSON.parse(content) as Array<{ text?: unknown }>
  return parts.flatMap(({ text }) => typeof text === 'string' ? [text] : []).join('\n')
}

/**
 * Case does not count, nor do accents on Latin letters: as in the index, since it decides what is looked at. Elsewhere a
 * mark makes another letter. The length stays, so that places in the folded text are places in the text.
 */
function fold (text: string): string {
  const composed = text.normalize('NFC')
  // eslint-disable-next-line no-control-regex -- plain ASCII has no accents to take off
  if (/^[\x00-\x7f]*$/.test(composed)) return composed.toLowerCase()
  return composed.replace(/[^\x00-\x7f]/gu, folded).toLowerCase() // eslint-disable-line no-control-regex -- as above
}

function folded (letter: string): string {
  const base = letter.normalize('NFD')[0]!
  if (/[a-z]/i.test(base)) return base
  const lower = letter.toLowerCase()
  return lower.length === letter.length ? lower : letter
}

/** The text around a hit, on one line; of a long hit its beginning. */
function preview (content: string, needle: string): string {
  const at = fold(content).indexOf(needle)
  const from = Math.max(0, at - Math.max(0, Math.floor((previewChars - needle.length) / 2)))
  const piece = content.slice(from, from + previewChars).replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '').replaceAll(/\s+/g, ' ').trim()
  return `${from > 0 ? '…' : ''}${piece}${from + previewChars < content.length ? '…' : ''}`
}
