import { TextCache, statsOf } from '../../sandbox/texts.js'
import { type Budget, lookSteps } from '../budget.js'

/** What is at a path; a link at its end is not followed. A file that is too long or cannot be opened has no text. */
export interface PathContent { kind: 'file' | 'folder' | 'other' | 'nothing', text?: string }
export type Look = (path: string) => PathContent

/** Thrown when it cannot be determined what git contacts. */
export class Unclear extends Error {}

const mostLooks = 400
const mostChars = 512 * 1024

export function lookThere (path: string): PathContent {
  const stats = statsOf(path)
  if (stats === undefined) return { kind: 'nothing' }
  if (stats.isDirectory()) return { kind: 'folder' }
  if (!stats.isFile()) return { kind: 'other' }
  const read = new TextCache().read(path)
  return read?.isWhole === true ? { kind: 'file', text: Buffer.from(read.text, 'latin1').toString('utf8') } : { kind: 'file' }
}

/** Looks at files for one decision: no place twice, each look paid for, and no more than a repository needs. Throws Unclear beyond that. */
export function createLook (budget: Budget, look: Look = lookThere): Look {
  const seen = new Map<string, PathContent>()
  let chars = 0
  return (path) => {
    budget.spend(1)
    const known = seen.get(path)
    if (known !== undefined) return known
    if (seen.size >= mostLooks || chars > mostChars) throw new Unclear()
    budget.spend(lookSteps)
    const found = look(path)
    chars += found.text?.length ?? 0
    seen.set(path, found)
    return found
  }
}
