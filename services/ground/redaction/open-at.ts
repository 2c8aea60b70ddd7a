import { setImmediate } from 'node:timers/promises'
import { knownSecrets, mayMatch, namesIn, neededBy, usualReach } from './find.js'
import { longestMatch, openSource } from './open.js'
import { rules, type Rule } from './rules.js'

export interface OpenAtOptions {
  /**
   * Whether a person reads the text while it is streamed. Then the end of a word is not held back only because one of the service's own
   * secrets begins with that letter, which for random secrets is true of most letters. Up to {@link shownOfWord} small letters after the
   * beginning of a word are released at once. If a secret does follow, joined to the word, those letters were shown and the rest is masked.
   * The beginning of a word is always held back, because it is more likely to become a secret.
   */
  isRead?: boolean
  /** Whether the whole text exists and is only pushed in pieces. Then encodings count that would delay a person who reads along. */
  isComplete?: boolean
  /** Whether of a list of values only the last one counts, because much is held back. */
  isLast?: boolean
}

/** A secret has at least eight characters, so this much reveals nothing of it. */
export const shownOfWord = 2
const smallLetters = new RegExp(`^\\p{Ll}{1,${shownOfWord}}$`, 'u')
/** The beginning of a word: small letters after the first letter. Text in other encodings hardly ever looks like that. */
const beginningOfWord = /(?:^|\s)[\p{Lu}\p{Ll}]\p{Ll}{0,39}$/u
/** More characters than that pattern matches. */
const longestBeginning = 42

/**
 * `longest`: a match that begins further before the end of the text cannot reach it. `isList`: each value of it is judged alone. For the
 * others see Rule.
 */
interface Opening {
  pattern: RegExp, reach: number, longest: number, never: string, lines: number, needed: RegExp | null, until: RegExp | undefined
  isList: boolean
}

/** Made for the first streamed text, or ahead of it, because it takes some milliseconds that the start of the service need not spend. */
let openings: { anywhere: Opening[], atNames: Opening[] } | undefined
const openingsOfRules = new Map<Rule, Opening>()

/**
 * Returns the first position at `from` or later where a credential may have begun that is not complete at the end of the text. For the
 * service's own secrets, that includes one of which `isRead` has released the beginning.
 */
export function openAt (text: string, from: number, { isRead = false, isComplete = false, isLast = false }: OpenAtOptions): number {
  let first = knownSecrets.openAt(text, isRead ? Math.max(0, from - shownOfWord) : from, isComplete)
  if (isRead && endsWord(text, first)) first = text.length
  eachOpen(text, from, (start, { isList }) => {
    first = Math.min(first, isLast && isList ? Math.max(start, text.lastIndexOf(';')) : start)
  })
  return Math.max(first, from)
}

/** Returns where the values end that are open at the end of a text, each at the first match of a pattern. They may contain white space. */
export function endsOfOpen (text: string, from: number): RegExp[] {
  const ends = new Set<RegExp>()
  eachOpen(text, from, (start, { until }) => { if (until !== undefined && start < text.length) ends.add(until) })
  return [...ends]
}

/** Calls `open` with the beginnings of values that are open at the end of a text. */
function eachOpen (text: string, from: number, open: (start: number, opening: Opening) => void): void {
  const { anywhere, atNames } = allOpenings()
  const look = (opening: Opening, position: number): void => {
    opening.pattern.lastIndex = position
    const found = opening.pattern.exec(text)
    if (found !== null) open(found.index + (found.groups?.before?.length ?? 0), opening)
  }
  for (const opening of anywhere) {
    const position = earliest(text, Math.max(0, from - opening.reach), opening)
    if (mayMatch(text, position, opening.needed)) look(opening, position)
  }
  const near = Math.max(0, from - usualReach)
  const positions = namesIn(text, near)
  if (positions.length === 0) return
  for (const opening of atNames) {
    const least = earliest(text, near, opening)
    for (const position of positions) if (position >= least) look(opening, position)
  }
}

/** Prepares what the first text would wait for, one rule at a time, so that other work can run in between. */
export async function prepareOpenings (): Promise<void> {
  for (const rule of rules) {
    openingOf(rule)
    await setImmediate()
  }
}

function openingOf (rule: Rule): Opening {
  const known = openingsOfRules.get(rule)
  if (known !== undefined) return known
  const { before, value, after = '', flags = '', isNamed, reach = usualReach, never = '', lines = Infinity, needs, until, within } = rule
  const source = `(?<before>${before})${openSource(`(?:${value})${after}`, flags)}`
  const longest = longestMatch(`(?:${before})(?:${value})${after}`, flags)
  const opening = {
    reach, longest, never, lines, until, isList: within !== undefined, needed: neededBy(needs, flags),
    pattern: new RegExp(source, `${isNamed === true ? 'y' : 'g'}${flags}`)
  }
  openingsOfRules.set(rule, opening)
  return opening
}

function allOpenings (): { anywhere: Opening[], atNames: Opening[] } {
  openings ??= {
    anywhere: rules.filter(({ isNamed }) => isNamed !== true).map(openingOf),
    atNames: rules.filter(({ isNamed }) => isNamed === true).map(openingOf)
  }
  return openings
}

/** Returns the earliest position, at `from` or later, from which a match can reach the end of the text. */
function earliest (text: string, from: number, { longest, never, lines }: Opening): number {
  const least = Math.max(from, text.length - longest)
  if (never === '' && lines === Infinity) return least
  // Searching backwards through all of the text would take longer than the pattern.
  const tail = text.slice(least)
  let start = 0
  for (const sign of never) start = Math.max(start, tail.lastIndexOf(sign) + 1)
  if (lines < Infinity) {
    let end = tail.length
    for (let line = 0; line <= lines && end > start; line++) end = tail.lastIndexOf('\n', end - 1)
    start = Math.max(start, end)
  }
  return least + start
}

/** Whether the text from a position on is the end of a word, and short enough to be shown. */
function endsWord (text: string, position: number): boolean {
  return smallLetters.test(text.slice(position)) && beginningOfWord.test(text.slice(Math.max(0, position - longestBeginning), position))
}
