import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { entriesIn } from '../../ground/files/folder-entries.js'

const settings = '/etc'
const keptMs = 60_000

/**
 * Returns a function that lists the machine's settings that not every user may read: password hashes, keys, and the service's own secrets
 * if they are there. The service may be able to read them, but a confined command must not.
 */
export function createPrivateFiles (): () => Promise<string[]> {
  let known: { list: Promise<string[]>, atMs: number } | null = null
  return () => {
    if (known === null || performance.now() - known.atMs > keptMs) {
      const looked = { list: unreadableToOthers(settings), atMs: performance.now() }
      known = looked
      looked.list.catch(() => { if (known === looked) known = null })
    }
    return known.list
  }
}

/** Returns files and folders below `folder` that users without special rights cannot read. Throws Unavailable when it cannot tell now. */
export async function unreadableToOthers (folder: string): Promise<string[]> {
  const found: string[] = []
  for (const entry of await entriesIn(folder)) {
    if (entry.isSymbolicLink()) continue
    const path = join(folder, entry.name)
    const needed = entry.isDirectory() ? 0o005 : 0o004
    const mode = await lstat(path).then((stats) => stats.mode, () => needed)
    if ((mode & needed) !== needed) found.push(path)
    else if (entry.isDirectory()) found.push(...await unreadableToOthers(path))
  }
  return found
}
