import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder } from '../../ground/files/sync.js'

/** Most of what a skill that is imported may hold. */
export const skillLimits = { files: 1_000, bytes: 64 * 1024 * 1024 }

/**
 * Returns a hash of the paths, contents and executable bits below a folder; null if it holds anything but files and folders, or more than
 * `skillLimits`. `isSynced` also writes its files to the disk.
 */
export async function folderDigest (folder: string, { isSynced = false }: { isSynced?: boolean } = {}): Promise<string | null> {
  const hash = createHash('sha256')
  let files = 0
  let bytes = 0

  async function addFile (path: string): Promise<void> {
    const handle = await open(join(folder, path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const stats = await handle.stat()
      if (!stats.isFile() || ++files > skillLimits.files || (bytes += stats.size) > skillLimits.bytes) throw new Uncommon()
      hash.update(`${JSON.stringify([path, (stats.mode & 0o111) !== 0, stats.size])}\n`).update(await handle.readFile())
      if (isSynced) await handle.sync()
    } finally {
      await handle.close()
    }
  }

  async function addFolder (path: string): Promise<void> {
    const entries = await readdir(join(folder, path), { withFileTypes: true })
    for (const entry of entries.sort((one, other) => one.name < other.name ? -1 : 1)) {
      const inside = path === '' ? entry.name : `${path}/${entry.name}`
      if (entry.isDirectory()) {
        hash.update(`${JSON.stringify([inside])}\n`)
        await addFolder(inside)
      } else await addFile(inside)
    }
    if (isSynced) await syncFolder(join(folder, path))
  }

  try {
    await addFolder('')
    return hash.digest('hex')
  } catch (error) {
    if (isSynced && !(error instanceof Uncommon)) throw error
    return null
  }
}

class Uncommon extends Error {}
