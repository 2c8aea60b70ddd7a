import { createQueue } from '../concurrency/queue.js'
import { Conflict, refuseWrite } from '../errors.js'
import { fileVersion, readHomeFile, replaceFile, type ReplaceOptions } from './home-file.js'

const queue = createQueue()
/** How often somebody else may write the file between our look at it and our change of it. */
const mostAttempts = 8

/**
 * Changes a file that a person edits as well, and has it on disk when it resolves: one change at a time per file, on what
 * the file holds then, and once more when it was written meanwhile. Nothing is written when `change` gives the same text back.
 *
 * @param change what the file is to hold, of what it holds (an empty text while there is none); what it throws is passed on
 * @returns whether the file was written
 * @throws Conflict for a file that cannot be read or is always being written, Forbidden (`read_only`), Unavailable (`disk_full`,
 *   `no_handles`)
 */
export async function editFile (
  path: string, change: (text: string) => string, options: Pick<ReplaceOptions, 'mode' | 'home'> = {}
): Promise<boolean> {
  return await queue(path, async () => {
    for (let attempt = 0; attempt < mostAttempts; attempt++) {
      const version = fileVersion(path)
      const found = readHomeFile(path)
      if (found !== undefined && 'problem' in found) {
        throw found.passing ?? new Conflict(`${nameOf(path)} ${found.problem}; nothing was written to it`)
      }
      const before = found?.text ?? ''
      const after = change(before)
      if (after === before) return false
      if (await replaceFile(path, after, { ...options, isStillWanted: () => fileVersion(path) === version }).catch(refuseWrite)) return true
    }
    throw new Conflict(`${nameOf(path)} is being changed by another program. Nothing was written; try again`)
  })
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
