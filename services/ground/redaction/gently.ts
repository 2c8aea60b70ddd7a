import { createPace, type Pace } from '../concurrency/pace.js'
import { redactDeep, textsIn } from './objects.js'
import { knowMasked, redact } from './redaction.js'
import { StreamMask } from './stream.js'

/** A text of this size is masked at once: the way through pieces takes longer than it holds up anybody. */
const atOnceChars = 8_192
const pieceChars = 4_096
/** What {@link redact} makes of a text of any length; a long one in pieces, between which everyone else gets a turn. */
export async function redactGently (text: string, pace: Pace = createPace()): Promise<string> {
  if (text.length <= atOnceChars) return redact(text)
  const mask = new StreamMask({ isComplete: true })
  const shown: string[] = []
  for (let from = 0; from < text.length; from += pieceChars) {
    shown.push(mask.push(text.slice(from, from + pieceChars)))
    await pace()
  }
  const whole = [...shown, mask.end()].join('')
  return whole === text ? text : whole
}

/** What {@link redactDeep} makes of a value whose texts are of any length or number, in pieces as well. */
export async function redactDeepGently<T> (value: T): Promise<T> {
  const texts = textsIn(value)
  if (texts.reduce((sum, text) => sum + text.length, 0) <= atOnceChars) return redactDeep(value)
  const pace = createPace()
  const shown = new Map<string, string>()
  for (const text of texts) {
    shown.set(text, await redactGently(text, pace))
    await pace()
  }
  return redactDeep(value, (text) => shown.get(text) ?? redact(text))
}

/** Has the long texts of a value masked in pieces, so that {@link redact} need not look at them soon after, where it cannot wait. */
export async function redactAhead (value: unknown): Promise<void> {
  const pace = createPace()
  for (const text of textsIn(value)) if (text.length > atOnceChars) knowMasked(text, await redactGently(text, pace))
}

/** Whether it is worth that. */
export const isLong = (text: string): boolean => text.length > atOnceChars
