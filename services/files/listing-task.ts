import { createHash } from 'node:crypto'
import { type BigIntStats, lstatSync, readdirSync, readlinkSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { realPath, within } from '../containment.js'
import { isClosed, openFolder, type Territory } from './place.js'

export interface Listing {
  /** Path relative to the workspace, `.` for itself. */
  path: string
  /** Changes when anything that the list shows does. */
  signature: string
  /** The entries as UTF-8 JSON text: symlinks first, then folders, then files, by lower-case name. */
  entries: Uint8Array
  count: number
}

interface Entry { rank: number, sortBy: string, json: string }

/** At the top of a workspace: what was deleted lies there. */
export const trashFolder = '.agent-trash'

/**
 * Everything in a folder. Runs in a worker thread, where one call after the other is several times as fast as in the
 * background of the event loop. Throws as openFolder.
 */
export async function listFolder ({ territory, path }: { territory: Territory, path: string }): Promise<Listing> {
  const folder = await openFolder(territory, path)
  try {
    const entries: Entry[] = []
    for (const name of readdirSync(folder.base)) {
      if (folder.path === '.' && name === trashFolder) continue
      if (isClosed(territory, join(folder.real, name))) continue
      const stats = lstatSync(`${folder.base}/${name}`, { bigint: true, throwIfNoEntry: false })
      if (stats !== undefined) entries.push(describe(territory, folder, name, stats))
    }
    entries.sort((one, other) => one.rank - other.rank || (one.sortBy < other.sortBy ? -1 : one.sortBy > other.sortBy ? 1 : 0))
    const text = Buffer.from(`[${entries.map((entry) => entry.json).join(',')}]`)
    const signature = createHash('sha256').update(text).digest('base64url').slice(0, 22)
    return { path: folder.path, signature, entries: text, count: entries.length }
  } finally {
    await folder.handle.close()
  }
}

function describe (territory: Territory, folder: { path: string, real: string, base: string }, name: string, stats: BigIntStats): Entry {
  const type = stats.isSymbolicLink() ? 'symlink' : stats.isDirectory() ? 'dir' : 'file'
  const path = folder.path === '.' ? name : `${folder.path}/${name}`
  const rank = type === 'symlink' ? 0 : type === 'dir' ? 1 : 2
  const target = type === 'symlink' ? targetOf(territory, folder, name) : null
  const isFolder = target === null ? type === 'dir' : target.isFolder
  const size = type === 'file' ? stats.size : null
  // By hand, as nanoseconds have more digits than a number of JavaScript holds.
  const json = `{"name":${JSON.stringify(name)},"path":${JSON.stringify(path)},"type":"${type}","is_dir":${isFolder},"size":${size},"mtime_ns":${stats.mtimeNs},` +
    `"modified":${Number(stats.mtimeNs / 1_000_000n) / 1_000},"workspace_sort_rank":${rank}${target === null ? '' : target.json}}`
  return { rank, sortBy: name.toLowerCase(), json }
}

/** Where a symlink leads; what lies outside is named as the link names it and not looked at. */
function targetOf (territory: Territory, folder: { real: string, base: string }, name: string): { json: string, isFolder: boolean } {
  const written = orNull(() => readlinkSync(`${folder.base}/${name}`)) ?? ''
  const real = orNull(() => realPath(join(folder.real, name)))
  const isOutside = real === null || !within(territory.root, real) || isClosed(territory, real)
  const isFolder = !isOutside && (orNull(() => statSync(real).isDirectory()) ?? false)
  return { isFolder, json: `,"target":${JSON.stringify(written)},"target_outside_workspace":${isOutside}` }
}

function orNull<T> (look: () => T): T | null {
  try {
    return look()
  } catch {
    return null
  }
}
