import { normalised, readEnglish, readings, vocabulary } from './reading.js'
import { type Said } from './said.js'

const longest = 200

/** Guesses the schedule meant by a text that is none, with misspelt or superfluous words; null if nothing comes near. */
export function nearestSchedule (text: string): Said | null {
  if (text.length > longest) return null
  const inWords = readings(text).map((reading) => reading.split(/[\s,]+/).filter((word) => word !== ''))
  const understood = (words: readonly string[]): number => words.filter(known).length / words.length
  const [most = []] = inWords.sort((one, other) => understood(other) - understood(one))
  return nearestTo(most)
}

function nearestTo (words: readonly string[]): Said | null {
  const spelt = words.map((word) => known(word) ? word : nearestWord(word))
  const kept = spelt.filter((word) => word !== null)
  if (!kept.some((word) => /^\d/.test(word) || vocabulary.includes(word))) return null
  const without = (leftOut: RegExp) => kept.filter((word) => !leftOut.test(word))
  const weeks = weeksIn(kept.join(' '))
  const attempts = [
    weeks, kept.join(' '), `${kept.join(' ')} at 9`, `every day ${kept.join(' ')}`, without(/^(?:2|other)$/).join(' '),
    `${without(/^\d/).join(' ')} at 9`, ...prefixes(kept)
  ]
  for (const attempt of attempts) {
    const read = attempt === null ? null : readEnglish(normalised(attempt))
    if (read !== null && 'said' in read) return read.said
  }
  return null
}

/** Rewrites `in 3 weeks` as days; null for any other text. */
function weeksIn (words: string): string | null {
  const [, form, count] = /^(in|every)? ?(\d{1,3}) weeks?$/.exec(words) ?? []
  return count === undefined ? null : `${form ?? 'every'} ${Number(count) * 7} days`
}

/** Returns the beginnings of the text, longest first. */
const prefixes = (words: readonly string[]): string[] => words.map((_, at) => words.slice(0, words.length - at).join(' '))

/** Returns whether a word can be part of a schedule. */
const known = (word: string): boolean => vocabulary.includes(word) || isNumber.test(word) || isShort.test(word)
const isNumber = /^(?:\d{1,2}(?::\d{2})?(?:am|pm|st|nd|rd|th)?|\d+[mhd]?)$/
const isShort = /^(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*|on|in|the|at|and|of|to|each|mins?|hrs?)$/

function nearestWord (word: string): string | null {
  if (word.length < 4) return null
  const most = word.length < 6 ? 1 : 2
  const [best] = vocabulary.filter((of) => of[0] === word[0]).map((of) => ({ of, distance: distanceOf(word, of) }))
    .filter(({ distance }) => distance <= most).sort((a, b) => a.distance - b.distance)
  return best?.of ?? null
}

/** Returns how many letters have to be added, removed or changed. */
function distanceOf (from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (const [at, letter] of [...from].entries()) {
    const next = [at + 1]
    for (const [column, other] of [...to].entries()) {
      next.push(Math.min((row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1, (row[column] ?? 0) + (letter === other ? 0 : 1)))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
