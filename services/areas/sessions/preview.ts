import { fieldsOf } from '../../ground/fields.js'
import { type MessageRows } from './message-rows.js'
import { textOf } from './message-text.js'

/**
 * The beginning of what was said, as it was written; `masked` where that differs. It stands in the row of
 * its session, so that lists read no message.
 */
export interface Said { plain: string, masked: string | null }

/** Enough for a preview whatever marks it is written with. */
const storedChars = 400
const shownChars = 120
/** What is looked at for a line: of a longer text, nobody misses what stands behind so many marks. */
const lookedChars = 8_000

/** Null for a message without text. `masked` is the message with credentials masked as a whole: what is cut afterwards shows none. */
export function saidIn (body: Record<string, unknown>, masked: Record<string, unknown>): Said | null {
  const plain = beginning(textOf(body.content))
  if (plain === '') return null
  const shown = body === masked ? plain : beginning(textOf(masked.content))
  return { plain, masked: shown === plain ? null : shown }
}

/** What a person or the assistant said last in a session, by its messages. */
export function lastSaid (rows: Pick<MessageRows, 'said'>, sessionId: string, before?: number): Said | null {
  for (const { body, redactedBody } of rows.said(sessionId, before)) {
    const message = fieldsOf(JSON.parse(body))
    const found = saidIn(message, redactedBody === null ? message : fieldsOf(JSON.parse(redactedBody)))
    if (found !== null) return found
  }
  return null
}

/** One line of plain text, without the marks of Markdown and what no screen shows; null when nothing is left. */
export function previewOf (said: string): string | null {
  const line = plainLine(said)
  return line === '' ? null : shortened(line, shownChars)
}

/**
 * The first sentences that fit together into so many characters, as one line of plain text; of a longer first one, its beginning. Empty
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
    .replaceAll(/^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+(?:\[[ x]\][ \t]+)?)+/gm, '')
    .replaceAll(/!?\[([^\][]*)\]\([^()\s]*\)/g, '$1')
    .replaceAll(/\*\*|~~|`/g, '')
    .replaceAll(/(?<![\w*])\*(?=\S)([^*\n]*\S)\*(?![\w*])/g, '$1')
    .replaceAll(/(?<!\w)_(?=[^\s_])([^_\n]*[^\s_])_(?!\w)/g, '$1')
    .replaceAll(/[\s\p{Cc}\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu, ' ')
    .trim()
}

/** The last of so many characters is an ellipsis where there are more. */
function shortened (line: string, chars: number): string {
  const characters = [...line]
  return characters.length <= chars ? line : `${characters.slice(0, chars - 1).join('').trimEnd()}…`
}

function beginning (text: string): string {
  const from = text.search(/\S/)
  // No half of a character stays.
  return from === -1 ? '' : text.slice(from, from + storedChars).replace(/[\ud800-\udbff]$/, '')
}
