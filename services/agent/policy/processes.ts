import { dirname } from 'node:path'
import { matches } from './tables/patterns.js'

/**
 * What may stand at a path that a process owns in /proc. Its links mean something else to each process, so what is seen there while a
 * command is judged says nothing about the command.
 *
 * - `root`: the root folder of the process that looks; `other root`: that of another one, mostly the same
 * - `folder`: the folder that the process that looks is in
 * - `anywhere`: what only another process knows, or what is known only while the command runs
 */
export type OfProcess = 'root' | 'other root' | 'folder' | 'anywhere'

/** Returns whether a segment, perhaps with wildcards, may be that name. */
const mayBe = (segment: string, name: string): boolean =>
  segment === name || (/[*?[\0]/.test(segment) && matches(segment.replaceAll(/\[[^\]]*\]?|[?\0]/g, '*'), name))

/**
 * Returns what may stand at a path without symlinks, perhaps with wildcards; none: nothing that leads elsewhere. Null if no process owns
 * it.
 */
export function ofProcess (path: string): OfProcess[] | null {
  const [, top = '', owner, ...below] = path.split('/')
  if (top.includes('\0') || !mayBe(top, 'proc')) return null
  // A pattern for /proc itself: what it matches is there, although nothing has its name.
  if (owner === undefined) return top === 'proc' ? null : []
  if (!/^(?:self|thread-self|\d+)$|[*?[\0]/.test(owner)) return null
  const [link = '', ...rest] = mayBe(below[0] ?? '', 'task') && below.length > 2 ? below.slice(2) : below
  const isOwn = top === 'proc' && owner.endsWith('self') && (link === 'root' || link === 'cwd')
  if (rest.length === 0) {
    return [
      ...mayBe(link, 'root') ? [isOwn ? 'root' as const : 'other root' as const] : [],
      ...mayBe(link, 'cwd') ? [isOwn ? 'folder' as const : 'anywhere' as const] : []
    ]
  }
  return rest.length === 1 && mayBe(link, 'fd') ? ['anywhere'] : []
}

/** Returns whether a path that was followed, except for its last segment perhaps, ends where any folder of the machine may be. */
export const mayBeAnywhere = (path: string): boolean => path.startsWith('/dev/fd/') ||
  [path, dirname(path)].some((each) => ofProcess(each)?.includes('anywhere') === true)
