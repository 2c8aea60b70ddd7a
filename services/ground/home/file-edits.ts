import { createQueue } from '../concurrency/queue.js'
import { Conflict, refuseWrite } from '../errors.js'
import { fileVersion, readHomeFile, replaceFile, type ReplaceOptions } from './home-file.js'

const queue = createQueue()
/** How often another program may write the file between our read and our write before we give up. */
const mostAttempts = 8

/**
 * Changes a file that a person edits too; the file is on the disk when this resolves. Changes of a file are made one at a time, each on its
 * current content, and again if it was written meanwhile. Nothing is written if `change` returns the same text.
 *
 * @param change returns the new content for the current one (an empty text if the file does not exist); its errors are passed on
 * @returns whether the file was written
 * @throws Conflict for a file that cannot be read or is always being written, Forbidden (`read_only`), Unavailable (`disk_full`,
 * `no_handles`)
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
