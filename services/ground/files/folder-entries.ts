import { type Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { systemFailure, Unavailable } from '../errors.js'

/**
 * Returns the entries of a folder, or none if it does not exist or may not be read. Throws Unavailable if the system cannot tell now
 * (`no_handles`, `disk_failing`), because a folder that is unreadable for a moment is not an empty one.
 */
export async function entriesIn (folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (error) {
    const failure = systemFailure(error)
    if (failure instanceof Unavailable) throw failure
    return []
  }
}
