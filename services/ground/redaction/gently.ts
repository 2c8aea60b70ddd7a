import { setImmediate } from 'node:timers/promises'
import { redact } from './redaction.js'
import { createStreamMask } from './stream.js'

const atOnceChars = 32_768
const pieceChars = 8_192

/** What {@link redact} makes of a text; a long one in pieces, between which everyone else gets a turn: megabytes take seconds. */
export async function redactGently (text: string): Promise<string> {
  if (text.length <= atOnceChars) return redact(text)
  const mask = createStreamMask()
  const shown: string[] = []
  for (let from = 0; from < text.length; from += pieceChars) {
    shown.push(mask.push(text.slice(from, from + pieceChars)))
    await setImmediate()
  }
  return [...shown, mask.end()].join('')
}
