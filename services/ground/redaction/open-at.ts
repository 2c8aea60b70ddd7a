import { setImmediate } from 'node:timers/promises'
import { knownSecrets, namesIn, usualReach } from './find.js'
import { longestMatch, openSource } from './open.js'
import { rules, type Rule } from './rules.js'

export interface OpenAtOptions {
  /**
   * Somebody reads the text while it is told: the end of a word is not held back only because one of the service's own secrets
   * begins with that letter, which with random ones is true of most letters. Up to {@link shownOfWord} small letters behind the
   * beginning of a word come out at once; should a secret follow there for all that, glued to the word, they were shown and the rest of it
   * is not. What begins a word is held as ever: it could become a secret in earnest.
   */
  isRead?: boolean
  /** The whole text is there and goes in bit by bit: secrets are waited for in writings as well that would hold up who reads along. */
  isComplete?: boolean
}

/** A secret has eight characters at least so this much tells nothing of it. */
export const shownOfWord = 2
const smallLetters = new RegExp(`^\\p{Ll}{1,${shownOfWord}}$`, 'u')
/** The beginning of a word, in small letters behind the first: what is no word, but text in another form, hardly ever looks like it. */
const beginningOfWord = /(?:^|\s)[\p{Lu}\p{Ll}]\p{Ll}{0,39}$/u
/** More than that finds. */
const longestBeginning = 42

/** `longest`: a match that began further in front of the end of the text cannot reach it; for `never` and `lines` see Rule. */
interface Opening { pattern: RegExp, reach: number, longest: number, never: string, lines: number }

/** Made when the first text is told, or ahead of it: it takes some milliseconds, which the start of the service can do without. */
let openings: { anywhere: Opening[], atNames: Opening[] } | undefined
const openingsOfRules = new Map<Rule, Opening>()

/**
 * The first place at `from` or behind it where a credential may have begun whose end the text does not tell; of a value of ours, also one
 * that `isRead` has let out the beginning of.
 */
export function openAt (text: string, from: number, { isRead = false, isComplete = false }: OpenAtOptions): number {
  const { anywhere, atNames } = allOpenings()
  let first = knownSecrets.openAt(text, isRead ? Math.max(0, from - shownOfWord) : from, isComplete)
  if (isRead && endsWord(text, first)) first = text.length
  const look = (pattern: RegExp, position: number): void => {
    pattern.lastIndex = position
    const found = pattern.exec(text)
    if (found !== null) first = Math.min(first, found.index + (found.groups?.before?.length ?? 0))
  }
  for (const opening of anywhere) look(opening.pattern, Math.max(from - opening.reach, earliest(text, opening)))
  const positions = namesIn(text, Math.max(0, from - usualReach))
  for (const opening of atNames) {
    const least = earliest(text, opening)
    for (const position of positions) if (position >= least) look(opening.pattern, position)
  }
  return Math.max(first, from)
}

/** Makes ready what the first text would wait for, a rule at a time: others have their turn in between. */
export async function prepareOpenings (): Promise<void> {
  for (const rule of rules) {
    openingOf(rule)
    await setImmediate()
  }
}

function openingOf (rule: Rule): Opening {
  const known = openingsOfRules.get(rule)
  if (known !== undefined) return known
  const { before, value, after = '', flags = '', isNamed, reach = usualReach, never = '', lines = Infinity } = rule
  const source = `(?<before>${before})${openSource(`(?:${value})${after}`, flags)}`
  const longest = longestMatch(`(?:${before})(?:${value})${after}`, flags)
  const opening = { reach, longest, never, lines, pattern: new RegExp(source, `${isNamed === true ? 'y' : 'g'}${flags}`) }
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

/** Where a match begins at the earliest that reaches the end of the text. */
function earliest (text: string, { longest, never, lines }: Opening): number {
  let least = Math.max(0, text.length - longest, ...[...never].map((sign) => text.lastIndexOf(sign) + 1))
  if (lines < Infinity) {
    let end = text.length
    for (let line = 0; line <= lines && end > least; line++) end = text.lastIndexOf('\n', end - 1)
    least = Math.max(least, end)
  }
  return least
}

/** Whether the text from there on is the end of a word, and short enough to be shown as such. */
function endsWord (text: string, position: number): boolean {
  return smallLetters.test(text.slice(position)) && beginningOfWord.test(text.slice(Math.max(0, position - longestBeginning), position))
}
