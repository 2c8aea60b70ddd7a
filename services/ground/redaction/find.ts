import { project, replaced, type Projection } from './invisible.js'
import { createKnownSecrets, type Span } from './known.js'
import { longestLooked, rules, type Groups } from './rules.js'

/** Shown in place of a masked value. */
export const mask = '[redacted]'

/** The secrets of this process. */
export const knownSecrets = createKnownSecrets()

/** A compiled rule. It is matched either anywhere in a text, or only where names begin. */
interface Finder { pattern: RegExp, reach: number, isMasked?: (groups: Groups) => boolean, within?: RegExp, needed: RegExp | null }

/** How far before its value a match begins at most, by default. */
export const usualReach = 96

/** Returns the quick check of a rule for a text; null if it has none. */
export const neededBy = (needs?: string, flags = ''): RegExp | null => needs === undefined ? null : new RegExp(needs, `g${flags}`)

/** Whether the text has, from a position on, what every match of a rule contains. */
export function mayMatch (text: string, from: number, needed: RegExp | null): boolean {
  if (needed === null) return true
  needed.lastIndex = from
  return needed.test(text)
}

const finders = (isNamed: boolean): Finder[] => rules.filter((rule) => (rule.isNamed === true) === isNamed).map(({
  before, value, after = '', flags, isMasked, within, reach = usualReach, needs
}) => ({
  pattern: new RegExp(`(?<before>${before})(?<value>${value})${after}`, `${isNamed ? 'y' : 'g'}${flags ?? ''}`), isMasked, within, reach,
  needed: neededBy(needs, flags)
}))
const anywhere = finders(false)
const atNames = finders(true)
/** Where a name may begin. Looser than the names themselves, because it is searched in every text. */
const names = /pass|pwd|pw|secret|token|(?:api|access|private|account|auth|encryption|signing|master|service|licen[cs]e)[ _-]?key/gi
const rest = /[^\s"'`\\,;&<>(){}[\]|]*/y
/** How many rounds a text is searched. Each round leaves out what was found before, which may have stood between a name and its value. */
const rounds = 4

/**
 * Returns the credentials in a text, in order and without overlaps. With `from`, returns those that begin there or later; `known` are those
 * found before that position.
 */
export function findSecrets (
  text: string, { projection = project(text), from = 0, known = [] }: { projection?: Projection, from?: number, known?: Span[] } = {}
): Span[] {
  const start = from === 0 ? 0 : projection.fromText(from)
  let spans = look(projection.text, start)
  for (const { start, end } of known) spans.push({ start: projection.fromText(start), end: projection.fromText(end) })
  if (spans.length === 0) return spans
  spans = merged(spans)
  for (let round = 1; round < rounds; round++) {
    const shown = replaced(projection.text, spans.map((span) => ({ ...span, shown: mask })))
    const again = look(shown.text, shown.fromText(start))
    if (again.length === 0) break
    spans = merged([...spans, ...again.map(({ start, end }) => ({ start: shown.toStart(start), end: shown.toEnd(end) }))])
  }
  return spans.map(({ start, end }) => ({ start: projection.toStart(start), end: projection.toEnd(end) }))
}

function look (text: string, from: number): Span[] {
  const spans = knownSecrets.find(text, from)
  const run = createRun(text)
  for (const finder of anywhere) {
    const begin = Math.max(0, from - finder.reach)
    if (!mayMatch(text, begin, finder.needed)) continue
    finder.pattern.lastIndex = begin
    for (let found = finder.pattern.exec(text); found !== null; found = finder.pattern.exec(text)) {
      take(found, finder, spans, run)
      // A value may be the name of another, or contain it. Long values are not searched repeatedly.
      const { before = '', value = '' } = found.groups ?? {}
      const start = found.index + before.length
      finder.pattern.lastIndex = finder.within !== undefined || value.length >= longestLooked
        ? start + value.length
        : Math.max(start, found.index + 1)
    }
  }
  const positions = namesIn(text, Math.max(0, from - usualReach))
  for (const position of positions) {
    for (const finder of atNames) {
      finder.pattern.lastIndex = position
      const found = finder.pattern.exec(text)
      if (found !== null) take(found, finder, spans, run)
    }
  }
  return spans
}

/** Returns where names of secrets may begin. Every position counts, because `private_key` also contains a shorter name. */
export function namesIn (text: string, from: number): number[] {
  const positions: number[] = []
  names.lastIndex = from
  for (let found = names.exec(text); found !== null; found = names.exec(text)) {
    positions.push(found.index)
    names.lastIndex = found.index + 1
  }
  return positions
}

/** Adds a match of a finder, if it is a secret. */
function take (found: RegExpExecArray, { isMasked, within }: Finder, spans: Span[], run: Run): void {
  const { groups = {} } = found
  const { before = '', value = '' } = groups
  if (isMasked?.(groups) === false) return
  const start = found.index + before.length
  const end = start + value.length
  // A pattern reads at most this much of a value. A longer value is masked as a whole.
  if (within === undefined) spans.push({ start, end: value.length === longestLooked ? run(end) : end })
  else for (const part of value.matchAll(within)) spans.push({ start: start + part.index, end: start + part.index + part[0].length })
}

/** Returns where the characters of a value end. Called for ascending positions, it reads each character once. */
type Run = (position: number) => number

function createRun (text: string): Run {
  let looked = { start: 0, end: 0 }
  return (position) => {
    if (position < looked.start || position >= looked.end) {
      rest.lastIndex = position
      looked = { start: position, end: position + (rest.exec(text)?.[0].length ?? 0) }
    }
    return looked.end
  }
}

function merged (spans: Span[]): Span[] {
  const apart: Span[] = []
  for (const span of spans.sort((left, right) => left.start - right.start)) {
    const last = apart.at(-1)
    if (last !== undefined && span.start < last.end) last.end = Math.max(last.end, span.end)
    else apart.push({ ...span })
  }
  return apart
}
