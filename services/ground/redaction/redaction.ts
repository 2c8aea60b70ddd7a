import { findSecrets, knownSecrets, mask } from './find.js'
import { type Span } from './known.js'
import { wholeAt } from '../text/whole-characters.js'

/** A cache of long texts that were just masked in pieces, each with the earlier masked copy whose ranges stay hidden. */
const ahead = new Map<string, { shown: string, before: string | undefined }>()
let aheadChars = 0
let aheadVersion = knownSecrets.version
const shortestAhead = 8_192
const mostAheadChars = 16 * 1024 * 1024

/** Caches the masked form of a long text for a while. `before`: see {@link redactOver}. */
export function knowMasked (text: string, shown: string, before?: string): void {
  if (aheadVersion !== knownSecrets.version || aheadChars > mostAheadChars) {
    ahead.clear()
    aheadChars = 0
    aheadVersion = knownSecrets.version
  }
  if (!ahead.has(text)) aheadChars += text.length
  ahead.set(text, { shown, before })
}

/** Returns what {@link knowMasked} has cached; undefined if that is nothing, or if other secrets are known since. */
export function knownMasked (text: string, before?: string): string | undefined {
  if (text.length < shortestAhead || aheadVersion !== knownSecrets.version) return undefined
  const known = ahead.get(text)
  return known?.before === before ? known?.shown : undefined
}

/** Returns the text with everything masked that looks like a credential; the same text if there is nothing. */
export function redact (text: string): string {
  const known = knownMasked(text)
  if (known !== undefined) return known
  const spans = findSecrets(text)
  return spans.length === 0 ? text : masked(text, spans, 0, text.length)
}

/**
 * Returns the text masked by the current rules, and also hides what an earlier masked copy hides, which may be a secret whose value is no
 * longer known.
 */
export function redactOver (text: string, before: string): string {
  const known = knownMasked(text, before)
  if (known !== undefined) return known
  const hidden = hiddenIn(text, before)
  if (hidden === null) return redact(before)
  const spans = findSecrets(text, { known: hidden })
  return spans.length === 0 ? text : masked(text, spans, 0, text.length)
}

/** Returns the ranges that a masked copy hides in a text; null if that is ambiguous. */
export function hiddenIn (text: string, before: string): Span[] | null {
  const [first = '', ...others] = before.split(mask)
  if (!text.startsWith(first)) return null
  const spans: Span[] = []
  let at = first.length
  for (const [index, shown] of others.entries()) {
    const isLast = index === others.length - 1
    const end = isLast ? text.length - shown.length : text.indexOf(shown, at + 1)
    const isCertain = isLast ? text.endsWith(shown) && end >= at : shown !== '' && end !== -1 && text.indexOf(shown, end + 1) === -1
    if (!isCertain) return null
    spans.push({ start: at, end })
    at = end + shown.length
  }
  return spans
}

/** Masks the part from `from` to `to`, neither of which lies inside a span. */
export function masked (text: string, spans: Span[], from: number, to: number): string {
  let shown = ''
  let at = from
  for (const { start, end } of spans) {
    if (start < at || start >= to) continue
    shown += text.slice(at, start) + mask
    at = end
  }
  return shown + text.slice(at, to)
}

/** How far beyond the cut a text is searched before it is cut. */
const lookChars = 2_000

/**
 * Returns the beginning of a text, at most `max` characters, without a cut inside a credential, because a cut credential is not recognised
 * any more, or inside a character.
 */
export function beginningOf (text: string, max: number): string {
  if (text.length <= max) return text
  const cut = findSecrets(text.slice(0, max + lookChars)).find(({ start, end }) => start < max && end > max)
  return text.slice(0, cut?.start ?? wholeAt(text, max))
}

/** Does the same, counting characters as a person does: none is cut in two. */
export function firstCharacters (text: string, max: number): string {
  return beginningOf(text, [...text.slice(0, 2 * max)].slice(0, max).join('').length)
}
