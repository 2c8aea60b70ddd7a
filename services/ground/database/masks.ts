import type Sqlite from 'better-sqlite3'
import { redactAhead, redactDeepOver } from '../redaction/index.js'
import { tried } from '../tried.js'

/** A row of `messages` that is larger than this is not read as a whole. No row that is stored today comes near it. */
export const largestRowBytes = 32 * 1024 * 1024

/** Key of a setting that exists while messages have masks of earlier rules: those with ids after `after`, up to `upto`. */
export const remaskingKey = 'remasking'

const place = (name: string): string => `(select value ->> '$.${name}' from settings where key = '${remaskingKey}')`

/** SQL for whether the stored masks of a row of `messages` are from earlier rules. */
export const hasOldMask = (table = 'messages'): string => `${table}.id > ${place('after')} and ${table}.id <= ${place('upto')}`

/**
 * Returns SQL for a text of `messages` with credentials masked; null if there is nothing to mask. It reads the stored mask, or masks the
 * text again if the stored mask is from earlier rules. That delays other work unless {@link maskAhead} was called for a long text.
 */
export function maskOf (column: 'body' | 'card', table = 'messages'): string {
  return `case when ${hasOldMask(table)} and octet_length(${table}.${column}) <= ${largestRowBytes}
    then mask_of(${table}.${column}, ${table}.redacted_${column}) else ${table}.redacted_${column} end`
}

/** Returns SQL for a text of `messages` as it is shown where credentials are masked. */
export const maskedText = (column: 'body' | 'card'): string => `coalesce(${maskOf(column)}, messages.${column})`

/** Adds to a connection the function that {@link maskOf} uses. */
export function provideMasks (sqlite: Sqlite.Database): void {
  // Several columns of one row ask for the same text.
  let last: { text: string, before: string | null, mask: string | null } | undefined
  sqlite.function('mask_of', { deterministic: true }, (text: unknown, stored: unknown) => {
    if (typeof text !== 'string') return null
    const before = typeof stored === 'string' ? stored : null
    if (last?.text !== text || last.before !== before) last = { text, before, mask: maskOfJson(text, before) }
    return last.mask
  })
}

/**
 * Returns a JSON text with credentials masked; null if there are none, or if it is not JSON. Values that a stored mask hides stay hidden,
 * because secrets that this process no longer knows were masked by their value.
 */
export function maskOfJson (text: string, before: string | null): string | null {
  const value = parsed(text)
  if (value === undefined) return null
  const masked = redactDeepOver(value, before === null ? value : parsed(before))
  return masked === value ? null : JSON.stringify(masked)
}

/** The JSON texts of a row of `messages`, with their masks as they are stored. */
export interface RowTexts { body: string, card: string | null, redactedBody: string | null, redactedCard: string | null }

/** Masks the long texts of a row with pauses, so that {@link maskOfJson} is fast soon after. */
export async function maskAhead ({ body, card, redactedBody, redactedCard }: RowTexts): Promise<void> {
  for (const [text, before] of [[body, redactedBody], [card, redactedCard]] as const) {
    const value = text === null ? undefined : parsed(text)
    if (value !== undefined) await redactAhead(value, before === null ? value : parsed(before))
  }
}

const parsed = (text: string): unknown => tried(() => JSON.parse(text), undefined)
