import { normalize } from 'node:path'
import { within } from '../../tools/containment.js'
import { type Budget } from '../budget.js'
import { type Call } from '../call.js'
import { isOutput, runsInput, wordsThatCount, worksInFolder } from './words.js'
import { isOfService, mayBeOwn, type Territory } from '../paths.js'
import { maxPathChars } from '../follow.js'

/** What surrounds a call that it may work on without naming it. */
export interface Around {
  /** Values that it finds in its environment. */
  environment: readonly string[]
  /** The text it is given on standard input, where that is known. */
  input: string | null
  /** The folders it may be started in. */
  folders: Iterable<string>
  budget: Budget
}

const separators = /[\s"'`=,:;()<>|&{}@]+/

/** True when a program that is not known only to read is given, or works in, what belongs to the service. */
export function namesService (call: Call, { environment, input, folders, budget }: Around): boolean {
  const { program, args, territory } = call
  const words = wordsThatCount(program, args)
  if (words === null) return false
  const names = (word: string, written = true): boolean => namesOwn(word, written, call, budget)
  if (words.some((word, index) => names(word, isOutput(program, words, index)))) return true
  if (environment.some((value) => names(value))) return true
  if (input !== null && runsInput(program) && names(input)) return true
  return worksInFolder(program) && [...folders].some((folder) => isOfService(folder, false, territory))
}

/** @param written when false, what was uploaded to the conversation may be named */
function namesOwn (word: string, written: boolean, { paths, territory }: Call, budget: Budget): boolean {
  const own = (path: string): boolean =>
    mayBeOwn(path, territory) && (written || territory.readable?.some((folder) => within(folder, path)) !== true)
  budget.read(Array.from({ length: 4 }, () => word))
  return spelledOut(word, territory).some(own) || candidates(word).some((candidate) => paths(candidate).some(own))
}

/** Where the name of one of the folders stands in a text, in whatever language it is written, with what follows it. */
function spelledOut (text: string, { serviceRoots, programRoots, namedRoots }: Territory): string[] {
  const found: string[] = []
  for (const root of new Set([...serviceRoots, ...programRoots, ...namedRoots])) {
    for (let at = text.indexOf(root); at !== -1; at = text.indexOf(root, at + root.length)) {
      const rest = /^(?:\/[^\s"'`,:;()<>|&{}]{0,200})?/.exec(text.slice(at + root.length, at + root.length + 201))?.[0] ?? ''
      if (!/[\w.-]/.test(text[at + root.length] ?? '')) found.push(normalize(root + rest))
    }
  }
  return found
}

/** What of a word may be a path: all of it, what hangs on an option, and what stands between the signs of a text. */
function candidates (word: string): string[] {
  const found = new Set<string>()
  const take = (text: string): void => { if (text.length > 0 && text.length <= maxPathChars) found.add(text) }
  if (!word.startsWith('-')) take(word)
  const isAssigned = !/\s/.test(word) && /^[^\s()'"=]+=/.test(word)
  for (const piece of word.split(separators)) {
    const up = piece.search(/\.\.\/|~\//)
    if (up > 0) take(piece.slice(up))
    if (piece.startsWith('-')) {
      take(piece.slice(2).replace(/^-.*/s, ''))
      const slash = piece.search(/[/~]/)
      if (slash > 2) take(piece.slice(slash))
    } else if (piece !== word && (/[/~]/.test(piece) || piece === '..' || (piece !== '' && isAssigned))) take(piece)
  }
  return [...found]
}
