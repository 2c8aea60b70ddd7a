import { type Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { systemFailure, Unavailable } from './errors.js'

/**
 * Entries of a folder; none where there is no such folder or it may not be read. Throws Unavailable where that cannot be told now
 * (`no_handles`, `disk_failing`): a folder that could not be looked at for a moment is not an empty one.
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
