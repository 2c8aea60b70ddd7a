import { fieldsOf } from '../../ground/fields.js'
import { wholeTo } from '../../ground/text/whole-characters.js'
import { type MessageRows } from './message-rows.js'
import { textOf } from './message-text.js'

/**
 * The beginning of a message as it was written; `masked` if that differs. It is stored in the row of its session, so that lists read no
 * message.
 */
export interface Said { plain: string, masked: string | null }

/** Enough for a preview, whatever markup the text has. */
const storedChars = 400
const shownChars = 120
/** How much of a text is read for a line: text behind so much markup is not missed. */
const lookedChars = 8_000

/**
 * Returns null for a message without text. `masked` is the message with credentials masked as a whole, so cutting it afterwards reveals
 * none.
 */
export function saidIn (body: Record<string, unknown>, masked: Record<string, unknown>): Said | null {
  const plain = beginning(textOf(body.content))
  if (plain === '') return null
  const shown = body === masked ? plain : beginning(textOf(masked.content))
  return { plain, masked: shown === plain ? null : shown }
}

/** Returns the last message of a person or the assistant in a session that has text. */
export function lastSaid (rows: Pick<MessageRows, 'said'>, sessionId: string, before?: number): Said | null {
  for (const { body, redactedBody } of rows.said(sessionId, before)) {
    const message = fieldsOf(JSON.parse(body))
    const found = saidIn(message, redactedBody === null ? message : fieldsOf(JSON.parse(redactedBody)))
    if (found !== null) return found
  }
  return null
}

/** Returns one line of plain text, without Markdown and invisible characters; null when nothing is left. */
export function previewOf (said: string): string | null {
  const line = plainLine(said)
  return line === '' ? null : shortened(line, shownChars)
}

/**
 * Returns the first sentences that fit into `chars` characters, as one line of plain text; if the first one is longer, its beginning. Empty
 * when nothing is left.
 */
export function excerptOf (said: string, chars: number): string {
  const line = plainLine(said)
  if ([...line].length <= chars) return line
  const whole = [...line].slice(0, chars + 1).join('').match(/^.*(?:[.!?…]["'”’)]?(?= )|[。！？])/u)?.[0]
  return whole ?? shortened(line, chars)
}

function plainLine (said: string): string {
  return said.slice(0, lookedChars)
    .replaceAll(/^[ \t]*(?:```|~~~).*$/gm, '')
    .replaceAll(/^[ \t|:]*(?:[-*_=][ \t|:]*){3,}$/gm, '')
    .replaceAll(/^[ \t]*\|(.*)$/gm, (_, row: string) => `- ${row.split('|').map((cell) => cell.trim()).filter((cell) => cell !== '').join(', ')}`)
    // On one line, items that end without a sign would run into each other.
    .replaceAll(/^([ \t]*(?:[-*+]|\d{1,9}[.)])[ \t].*[^\s.,:;!?…。，：；！？])[ \t]*$(?=\n\s*\S)/gm, '$1 ·')
    .replaceAll(/^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+(?:\[[ x]\][ \t]+)?)+/gm, '')
    .replaceAll(/!?\[([^\][]*)\]\([^()\s]*\)/g, '$1')
    .replaceAll(/\*\*|~~|`/g, '')
    .replaceAll(/(?<![\w*])\*(?=\S)([^*\n]*\S)\*(?![\w*])/g, '$1')
    .replaceAll(/(?<!\w)_(?=[^\s_])([^_\n]*[^\s_])_(?!\w)/g, '$1')
    .replaceAll(/[\s\p{Cc}\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu, ' ')
    .trim()
}

/** Shortens a line to `chars` characters, the last of which is then an ellipsis. */
function shortened (line: string, chars: number): string {
  const characters = [...line]
  return characters.length <= chars ? line : `${characters.slice(0, chars - 1).join('').trimEnd()}…`
}

function beginning (text: string): string {
  const from = text.search(/\S/)
  return from === -1 ? '' : wholeTo(text.slice(from), storedChars)
}
