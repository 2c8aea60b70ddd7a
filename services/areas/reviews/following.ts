import { diffArrays } from 'diff'

/** Lines from `line` to `endLine`, counted from 1. If `endLine` is before `line`, the place between two lines, as after a deletion. */
export interface Range { line: number, endLine: number }

/** Lines and those around them: enough to find them in a text that has not been compared with theirs. */
export interface Anchor { before: string[], lines: string[], after: string[] }

/** A changed part of a text; lines from 0, each end exclusive. */
export interface Hunk { from: number, to: number, nowFrom: number, nowTo: number }

type Span = readonly [from: number, to: number]

/** Where lines are now. `isChanged`: whether they differ; `isNear`: whether they differ, or something next to them was added or removed. */
export interface Followed extends Range { isChanged: boolean, isNear: boolean, isDeleted: boolean }

/** Texts with more differences than this are not compared: lines are searched for by their content instead. */
const mostEdits = 500
/** From this similarity on, two lines count as the same line, rewritten. */
const alikeFrom = 0.5
/** How many characters at the beginning of a long line are compared. */
const mostLikenedChars = 400
/** The greatest distance between the lines around a deleted one. */
const widestGap = 200

/** Returns the lines of a text, without line ends. */
export function linesOf (text: string): string[] {
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** Returns the differences between two texts; null if there are too many. */
export function hunksOf (before: readonly string[], now: readonly string[]): Hunk[] | null {
  const parts = diffArrays([...before], [...now], { maxEditLength: mostEdits })
  if (parts === undefined) return null
  const hunks: Hunk[] = []
  let [old, fresh] = [0, 0]
  for (const { added, removed, value: { length } } of parts) {
    const last = hunks.at(-1)
    if (added || removed) {
      const hunk = last?.to === old && last.nowTo === fresh ? last : { from: old, to: old, nowFrom: fresh, nowTo: fresh }
      if (hunk !== last) hunks.push(hunk)
      if (removed) hunk.to += length
      else hunk.nowTo += length
    }
    if (!added) old += length
    if (!removed) fresh += length
  }
  return hunks
}

/** Follows lines of a text into its present version. */
export function follow (before: readonly string[], now: readonly string[], { line, endLine }: Range, hunks: readonly Hunk[]): Followed {
  const [start, end] = [line - 1, endLine]
  const touching = hunks.filter(({ from, to }) => start === end ? from <= start && to >= end : from < end && to > start && from < to)
  const inside = hunks.filter(({ from, to }) => from === to && from > start && from < end)
  const isChanged = touching.length + inside.length > 0
  const isNear = isChanged || hunks.some(({ from, to }) => to === start || from === end)
  if (!isChanged) {
    // Lines inserted directly before these have moved them, like everything inserted above.
    const above = hunks.findLast(({ to }) => to <= start)
    const first = start + (above === undefined ? 0 : above.nowTo - above.to)
    return { line: first + 1, endLine: first + end - start, isChanged, isNear, isDeleted: false }
  }
  const place = span(before, now, start, end, hunks)
  if (place.endLine >= place.line || start === end) return { ...place, isChanged, isNear, isDeleted: false }
  const moved = movedTo(before.slice(start, end), now, hunks)
  return moved === null
    ? { ...place, isChanged, isNear, isDeleted: true }
    : { ...moved, isChanged: false, isNear, isDeleted: false }
}

/** Returns the range from the place of the first line to that of the last one. */
function span (before: readonly string[], now: readonly string[], start: number, end: number, hunks: readonly Hunk[]): Range {
  const wordsIn = memorised((at: number) => countedIn(now[at] ?? ''))
  const places = start === end
    ? [gapOf(start, hunks)]
    : Array.from({ length: end - start }, (_, at) => placeOf(before, wordsIn, start + at, hunks))
  const there = places.filter(([from, to]) => to > from)
  const [first] = places[0] ?? [0, 0]
  if (there.length === 0) return { line: first + 1, endLine: first }
  return { line: Math.min(...there.map(([from]) => from)) + 1, endLine: Math.max(...there.map(([, to]) => to)) }
}

/** Returns the lines that were inserted into a gap between lines. */
function gapOf (at: number, hunks: readonly Hunk[]): Span {
  const hunk = hunks.find(({ from, to }) => from <= at && to >= at)
  return hunk === undefined ? [at, at] : [hunk.nowFrom, hunk.nowTo]
}

/** Returns the place of one line: itself, the line that it was rewritten to, everything that replaced it, or nothing (from = to). */
function placeOf (before: readonly string[], wordsIn: WordsIn, at: number, hunks: readonly Hunk[]): Span {
  let shift = 0
  for (const { from, to, nowFrom, nowTo } of hunks) {
    if (from > at) break
    if (to > at) {
      if (nowTo === nowFrom) return [nowFrom, nowFrom]
      if (to - from === nowTo - nowFrom) return [nowFrom + at - from, nowFrom + at - from + 1]
      return closest(countedIn(before[at] ?? ''), wordsIn, nowFrom, nowTo)
    }
    shift = nowTo - to
  }
  return [at + shift, at + shift + 1]
}

/** Returns the words of a line of the present text. */
type WordsIn = (at: number) => Words

function memorised<T> (make: (at: number) => T): (at: number) => T {
  const made = new Map<number, T>()
  return (at) => {
    const value = made.get(at) ?? make(at)
    made.set(at, value)
    return value
  }
}

function closest (words: Words, wordsIn: WordsIn, from: number, to: number): Span {
  let [best, found] = [alikeFrom, -1]
  for (let at = from; at < to; at++) {
    const alike = likeness(words, wordsIn(at))
    if (alike > best) [best, found] = [alike, at]
  }
  return found === -1 ? [from, to] : [found, found + 1]
}

/** Returns the similarity of two lines, from 0 to 1, by the words that they share. */
function likeness (a: Words, b: Words): number {
  if (a.count + b.count === 0) return 0
  let shared = 0
  for (const [word, count] of a.counts) shared += Math.min(count, b.counts.get(word) ?? 0)
  return 2 * shared / (a.count + b.count)
}

/** How often each word occurs in a line, and how many words it has. */
interface Words { counts: ReadonlyMap<string, number>, count: number }

function countedIn (line: string): Words {
  const words = wordsOf(line.slice(0, mostLikenedChars))
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return { counts, count: words.length }
}

const wordsOf = (line: string): string[] => line.match(/\w+|[^\s\w]/g) ?? []

/** Finds lines that were moved unchanged to another place; null if they were not, or several places match. */
function movedTo (lines: readonly string[], now: readonly string[], hunks: readonly Hunk[]): Range | null {
  if (lines.every((line) => wordsOf(line).length < 2)) return null
  const places = matches(lines, now)
    .filter((at) => hunks.some(({ nowFrom, nowTo }) => at >= nowFrom && at + lines.length <= nowTo))
  const [at] = places
  return at === undefined || places.length > 1 ? null : { line: at + 1, endLine: at + lines.length }
}

/** Finds lines in a text in a single pass (Knuth, Morris, Pratt), however much of it resembles them. */
function matches (lines: readonly string[], text: readonly string[]): number[] {
  const places: number[] = []
  if (lines.length === 0) return places
  // For each number of matching lines: how many of the last ones are also the first ones.
  const shorter: number[] = [0]
  const fitting = (line: string | undefined, so: number): number => {
    let fit = so
    while (fit > 0 && lines[fit] !== line) fit = shorter[fit - 1] ?? 0
    return lines[fit] === line ? fit + 1 : 0
  }
  for (let at = 1; at < lines.length; at++) shorter.push(fitting(lines[at], shorter[at - 1] ?? 0))
  let fit = 0
  for (const [at, line] of text.entries()) {
    fit = fitting(line, fit)
    if (fit < lines.length) continue
    places.push(at + 1 - fit)
    fit = shorter[fit - 1] ?? 0
  }
  return places
}

/**
 * Finds lines in a text by their content, the lines around them and, if several places match, the line where they are expected. For lines
 * of the old side, which are gone, finds the place between the lines around them. Returns null if they are not found.
 */
export function locate ({ before, lines, after }: Anchor, text: readonly string[], expected: number, side: 'old' | 'new'): Range | null {
  if (side === 'old') return between(before, after, text, expected)
  const exact = matches(lines, text)
  const trimmed = (of: readonly string[]): string[] => of.map((line) => line.trim())
  const places = exact.length > 0 ? exact : lines.every((line) => line.trim() === '') ? [] : matches(trimmed(lines), trimmed(text))
  const scored = places.map((at) => ({ at, around: around(at, lines.length, { before, after }, text), away: Math.abs(at + 1 - expected) }))
  const [best] = scored.sort((a, b) => b.around - a.around || a.away - b.away)
  return best === undefined ? null : { line: best.at + 1, endLine: best.at + lines.length }
}

/** Returns how many of the surrounding lines match. */
function around (at: number, length: number, { before, after }: Pick<Anchor, 'before' | 'after'>, text: readonly string[]): number {
  return before.filter((line, index) => text[at - before.length + index] === line).length +
    after.filter((line, index) => text[at + length + index] === line).length
}

function between (before: readonly string[], after: readonly string[], text: readonly string[], expected: number): Range | null {
  if (before.length + after.length === 0) return text.length === 0 ? { line: 1, endLine: 0 } : null
  const starts = before.length === 0 ? [0] : matches(before, text).map((at) => at + before.length)
  const ends = after.length === 0 ? [text.length] : matches(after, text)
  let next = 0
  const gaps = starts.flatMap((from) => {
    while ((ends[next] ?? Infinity) < from) next++
    const to = ends[next]
    return to === undefined || to - from > widestGap ? [] : [{ from, to }]
  })
  const [best] = gaps.sort((a, b) => Math.abs(a.from + 1 - expected) - Math.abs(b.from + 1 - expected))
  return best === undefined ? null : { line: best.from + 1, endLine: best.to }
}
