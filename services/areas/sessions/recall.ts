import { largestRowBytes, maskedText, type Database } from '../../ground/database/index.js'
import { beginningOf, redact } from '../../ground/redaction/index.js'
import { wholeAt } from '../../ground/text/whole-characters.js'
import { isListed } from './list-conditions.js'
import { indexedChars } from './text-index.js'

export interface RecallInput {
  /** Words, and "phrases in quotes". */
  query: string
  limit: number
  /** Epoch seconds; null = no bound. */
  since: number | null
  until: number | null
}

/** A message of an earlier conversation, with credentials masked. */
export interface Recalled { sessionId: string, title: string, messageId: string, role: string, createdAt: number, excerpt: string }

const mostTerms = 12
const longestTerm = 64
/** How many messages one search reads at most, newest first. */
const mostLooked = 2_000
const mostPerSession = 3
const excerptChars = 800

/** Searches other conversations of a profile: those that its list shows. */
export function createRecall ({ sqlite }: Database) {
  const body = maskedText('body')
  const text = `case json_type(${body}, '$.content') when 'text' then json_extract(${body}, '$.content') else null end`
  const matching = sqlite.prepare<[string, string, string, number, number], {
    sessionId: string
    title: string
    messageId: string
    role: string
    createdAt: number
    text: string | null
  }>(
    `select messages.session_id as sessionId, sessions.title as title, messages.message_id as messageId, messages.role as role, messages.created_at as createdAt,
       case when octet_length(${body}) <= ${largestRowBytes} and json_valid(${body}) then ${text} end as text
     from message_texts join messages on messages.id = message_texts.rowid join sessions on sessions.id = messages.session_id
     where message_texts match ? and sessions.profile = ? and sessions.id <> ? and messages.created_at >= ? and messages.created_at <= ?
       and messages.position < sessions.message_count and messages.role in ('user', 'assistant') and ${isListed}
     order by message_texts.rowid desc limit ${mostLooked}`)

  /**
   * Returns messages that contain all words, or if there are none those with the most; the newest first, and a few per conversation at
   * most. Masked text cannot be found. `except`: the conversation that asks.
   */
  return function recall (profile: string, except: string, { query, limit, since, until }: RecallInput): Recalled[] {
    const terms = termsOf(query)
    const indexed = terms.filter((term) => [...term].length >= indexedChars)
    if (indexed.length === 0) return []
    const rows = (joint: string) => matching.all(
      indexed.map((term) => `"${term.replaceAll('"', '""')}"`).join(joint), profile, except, since ?? 0, until ?? Number.MAX_SAFE_INTEGER
    )
    const hits = (joint: string) => rows(joint).flatMap((row) => {
      const shown = (row.text ?? '').normalize('NFC')
      const folded = fold(shown)
      const places = terms.map((term) => folded.indexOf(fold(term))).filter((at) => at !== -1)
      return places.length === 0 ? [] : [{ ...row, shown, at: Math.min(...places), count: places.length }]
    })
    const all = indexed.length > 1 ? hits(' AND ') : []
    const found = all.some(({ count }) => count >= indexed.length)
      ? all
      : hits(' OR ').sort((a, b) => b.count - a.count || b.createdAt - a.createdAt)
    const perSession = new Map<string, number>()
    const kept = found.filter(({ sessionId }) => {
      const count = (perSession.get(sessionId) ?? 0) + 1
      perSession.set(sessionId, count)
      return count <= mostPerSession
    })
    return kept.slice(0, limit).map(({ sessionId, title, messageId, role, createdAt, shown, at }) => ({
      sessionId, title: redact(title), messageId, role, createdAt, excerpt: excerptOf(shown, at)
    }))
  }
}

function termsOf (query: string): string[] {
  const found = [...query.normalize('NFC').replaceAll('\0', ' ').matchAll(/"([^"]+)"|([^\s"]+)/g)].map(([, phrase, word]) =>
    (phrase ?? word ?? '').trim())
  return [...new Set(found.filter((term) => term !== ''))].slice(0, mostTerms).map((term) => [...term].slice(0, longestTerm).join(''))
}

/** Folds as the index does, for Latin letters. The length stays the same. */
function fold (text: string): string {
  return text.replace(/[^\0-\x7f]/gu, (letter) => {
    const base = letter.normalize('NFD').charAt(0)
    return /[a-z]/i.test(base) ? base : letter
  }).replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

/** The text is masked already, so cutting it reveals no credential. */
function excerptOf (text: string, at: number): string {
  const from = wholeAt(text, Math.max(0, at - excerptChars / 4))
  const piece = beginningOf(text.slice(from), excerptChars).trim()
  return `${from > 0 ? '…' : ''}${piece}${from + excerptChars < text.length ? '…' : ''}`
}
