import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

const settings = '/etc'
const keptMs = 60_000

/**
 * Returns a function that lists what of the machine's settings not everybody may read: password hashes, keys, and the
 * service's own secrets when they lie there. The service may be able to read them, a confined command must not be.
 */
export function createPrivateFiles (): () => Promise<string[]> {
  let known: { list: Promise<string[]>, atMs: number } | null = null
  return () => {
    if (known === null || performance.now() - known.atMs > keptMs) known = { list: unreadableToOthers(settings), atMs: performance.now() }
    return known.list
  }
}

/** Files and folders below `folder` that users without special rights cannot read. Folders that cannot be listed are among them. */
export async function unreadableToOthers (folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const found: string[] = []
  for (const entry of entries) {
    if (entry.isSymbolicLink()) continue
    const path = join(folder, entry.name)
    const needed = entry.isDirectory() ? 0o005 : 0o004
    const mode = await lstat(path).then((stats) => stats.mode, () => needed)
    if ((mode & needed) !== needed) found.push(path)
    else if (entry.isDirectory()) found.push(...await unreadableToOthers(path))
  }
  return found
}
