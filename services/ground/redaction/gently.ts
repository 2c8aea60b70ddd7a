import { createPace, type Pace } from '../concurrency/pace.js'
import { knownSecrets } from './find.js'
import { type Span } from './known.js'
import { earlierMasks, redactDeep, textsIn } from './objects.js'
import { hiddenIn, knowMasked, knownMasked, redact, redactOver } from './redaction.js'
import { longestHeld, StreamMask } from './stream.js'

/** A text up to this size is masked at once: masking it in pieces takes longer than it would block other work. */
const atOnceChars = 8_192
const pieceChars = 4_096

/**
 * Masks like {@link redact}, but a long text in pieces, so that other work can run in between. `hidden`: ranges that are masked anyway. If
 * another secret becomes known meanwhile, it begins again.
 */
export async function redactGently (text: string, pace: Pace = createPace(), hidden: Span[] = []): Promise<string> {
  if (text.length <= atOnceChars) return redact(text)
  const { version } = knownSecrets
  const mask = new StreamMask({ isComplete: true, hidden })
  const shown: string[] = []
  for (let from = 0; from < text.length; from += pieceChars) {
    shown.push(mask.push(text.slice(from, from + pieceChars)))
    await pace()
  }
  if (version !== knownSecrets.version) return await redactGently(text, pace, hidden)
  const whole = [...shown, mask.end()].join('')
  return whole === text ? text : whole
}

/** Masks like {@link redactDeep}, but as {@link redactGently} does, and with pauses between many texts. */
export async function redactDeepGently<T> (value: T): Promise<T> {
  const texts = textsIn(value)
  const { version } = knownSecrets
  if (texts.reduce((sum, text) => sum + text.length, 0) <= atOnceChars) return redactDeep(value)
  const pace = createPace()
  const shown = new Map<string, string>()
  for (const text of texts) {
    shown.set(text, await redactGently(text, pace))
    await pace()
  }
  if (version !== knownSecrets.version) return await redactDeepGently(value)
  return redactDeep(value, (text) => shown.get(text) ?? redact(text))
}

/** Masks like {@link redactOver}, but a long text in pieces. */
async function redactOverGently (text: string, before: string, pace: Pace): Promise<string> {
  const hidden = hiddenIn(text, before)
  if (hidden === null) return await redactGently(before, pace)
  // Pieces hold back less than that.
  if (hidden.some(({ start, end }) => end - start >= longestHeld)) return redactOver(text, before)
  return await redactGently(text, pace, hidden)
}

/**
 * Masks the long texts of a value in pieces and caches the results, so that {@link redact} is fast soon after, where it cannot wait. With
 * `before`, an earlier masked copy of the value, the same for {@link redactDeepOver}.
 */
export async function redactAhead (value: unknown, before: unknown = value): Promise<void> {
  const pace = createPace()
  const earlier = earlierMasks(value, before)
  for (const text of textsIn(value)) {
    const shown = earlier.get(text)
    if (text.length <= atOnceChars || knownMasked(text, shown) !== undefined) continue
    knowMasked(text, shown === undefined ? await redactGently(text, pace) : await redactOverGently(text, shown, pace), shown)
  }
}

/** Whether a text is long enough for {@link redactAhead}. */
export const isLong = (text: string): boolean => text.length > atOnceChars
