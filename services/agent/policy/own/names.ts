import { normalize } from 'node:path'
import { within } from '../../tools/containment.js'
import { type Budget } from '../budget.js'
import { type ProgramCall } from '../program-call.js'
import { isOutput, runsInput, wordsThatCount, worksInFolder } from './words.js'
import { isOfService, mayBeOwn, type Boundaries } from '../paths.js'
import { kernelPathChars } from '../follow.js'

/** What a call may work on without naming it. */
export interface Around {
  /** Values in its environment. */
  environment: readonly string[]
  /** Its standard input; null if unknown. */
  input: string | null
  /** Folders that it may be started in. */
  folders: Iterable<string>
  budget: Budget
}

const separators = /[\s"'`=,:;()<>|&{}@]+/

/** Returns whether a program that may do more than read gets paths that belong to the service, or works in such a folder. */
export function namesService (call: ProgramCall, { environment, input, folders, budget }: Around): boolean {
  const { program, args, boundaries } = call
  const words = wordsThatCount(program, args)
  if (words === null) return false
  const names = (word: string, written = true): boolean => namesOwn(word, written, call, budget)
  if (words.some((word, index) => names(word, isOutput(program, words, index)))) return true
  if (environment.some((value) => names(value))) return true
  if (input !== null && runsInput(program) && names(input)) return true
  return worksInFolder(program) && [...folders].some((folder) => isOfService(folder, false, boundaries))
}

/** @param written if false, uploads to the conversation may be named */
function namesOwn (word: string, written: boolean, { paths, boundaries }: ProgramCall, budget: Budget): boolean {
  const own = (path: string): boolean =>
    mayBeOwn(path, boundaries) && (written || boundaries.readable?.some((folder) => within(folder, path)) !== true)
  budget.read(Array.from({ length: 4 }, () => word))
  return spelledOut(word, boundaries).some(own) || candidates(word).some((candidate) => paths(candidate).some(own))
}

/** Returns each path in a text that begins with the name of one of the service's folders, whatever language the text is in. */
function spelledOut (text: string, { serviceRoots, programRoots, namedRoots }: Boundaries): string[] {
  const found: string[] = []
  for (const root of new Set([...serviceRoots, ...programRoots, ...namedRoots])) {
    for (let at = text.indexOf(root); at !== -1; at = text.indexOf(root, at + root.length)) {
      const rest = /^(?:\/[^\s"'`,:;()<>|&{}]{0,200})?/.exec(text.slice(at + root.length, at + root.length + 201))?.[0] ?? ''
      if (!/[\w.-]/.test(text[at + root.length] ?? '')) found.push(normalize(root + rest))
    }
  }
  return found
}

/** Returns the parts of a word that may be a path: all of it, the value attached to an option, and the text between separators. */
function candidates (word: string): string[] {
  const found = new Set<string>()
  const take = (text: string): void => { if (text.length > 0 && text.length <= kernelPathChars) found.add(text) }
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
