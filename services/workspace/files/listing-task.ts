import { createHash } from 'node:crypto'
import { type BigIntStats, lstatSync, readdirSync, readlinkSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { realPath, within } from '../../ground/files/containment.js'
import { tried } from '../../ground/tried.js'
import { int64 } from './int64.js'
import { isClosed, openFolder, refuse, type OpenedFolder, type Territory } from '../place/place.js'
import { watchSteadiness } from '../place/steadiness.js'
import { isTemporary } from '../../ground/files/temporary.js'

declare module '../../ground/workers/index.js' {
  interface Tasks { listFolder: typeof listFolder }
}

export interface Listing {
  /** Path relative to the workspace; `.` is the workspace itself. */
  path: string
  /** Changes when anything in the list changes. */
  signature: string
  /** The entries as UTF-8 JSON text: symlinks first, then folders, then files, by lower-case name. */
  entries: Uint8Array
  count: number
  /**
   * The subfolders with the times of their last change, in nanoseconds: a watch of the folder does not report those changes. Null if a
   * watch would miss more: targets of symlinks, files with several names, names that are not UTF-8, very many subfolders.
   */
  unseen: Array<[name: string, changedNs: bigint]> | null
}

interface Entry { sortBy: string, json: string }
type Ranks = [symlinks: Entry[], folders: Entry[], files: Entry[]]
interface Described { ranks: Ranks, unseen: Listing['unseen'] }

/** Folder at the top of a workspace that contains deleted files. */
export const trashFolder = '.agent-trash'
/** Replaces bytes of a name that are not UTF-8. */
const replacement = '\ufffd'
/** Checking more of them would take as long as listing the folder again. */
const mostUnseen = 200

/**
 * Lists a folder. Runs in a worker thread, where synchronous calls are several times as fast as asynchronous ones on the event loop. Throws
 * what openFolder throws.
 */
export async function listFolder ({ territory, path }: { territory: Territory, path: string }): Promise<Listing> {
  const folder = await openFolder(territory, path)
  try {
    const { ranks, unseen } = describeAll(territory, folder)
    for (const entries of ranks) entries.sort((one, other) => one.sortBy < other.sortBy ? -1 : one.sortBy > other.sortBy ? 1 : 0)
    const text = Buffer.from(`[${ranks.flat().map(({ json }) => json).join(',')}]`)
    const signature = createHash('sha256').update(`${folder.real}\0${folder.path}\0`).update(text).digest('base64url').slice(0, 22)
    return { path: folder.path, signature, entries: text, count: ranks[0].length + ranks[1].length + ranks[2].length, unseen }
  } finally {
    await folder.handle.close()
  }
}

/** Uses the plain path, which the kernel resolves twice as fast, if it is certain that it led to the opened folder all the time. */
function describeAll (territory: Territory, folder: OpenedFolder): Described {
  const names = readdirSync(folder.base)
  const wasSteady = watchSteadiness(folder.real, folder.stats)
  const described = tried(() => describeNames(territory, folder, folder.real, names), null)
  if (described !== null && wasSteady()) return described
  try {
    return describeNames(territory, folder, folder.base, names)
  } catch (error) {
    return refuse('Folder not found')(error)
  }
}

function describeNames (territory: Territory, folder: OpenedFolder, base: string, names: string[]): Described {
  const ranks: Ranks = [[], [], []]
  let unseen: Listing['unseen'] = []
  const prefix = folder.path === '.' ? '' : JSON.stringify(`${folder.path}/`).slice(1, -1)
  const hidden = new Set(territory.closed.filter((path) => dirname(path) === folder.real).map((path) => basename(path)))
  const add = (name: string, place: string | Buffer): void => {
    const stats = lstatSync(place, { bigint: true, throwIfNoEntry: false })
    if (stats === undefined) return
    const rank = stats.isSymbolicLink() ? 0 : stats.isDirectory() ? 1 : 2
    if (rank === 1 && name === trashFolder && folder.path === '.') return
    if (rank === 0 || (rank === 2 && stats.nlink > 1n) || (rank === 1 && unseen?.length === mostUnseen)) unseen = null
    else if (rank === 1) unseen?.push([name, stats.mtimeNs])
    const target = rank === 0 ? targetOf(territory, folder.real, name, place) : null
    ranks[rank].push({ sortBy: name.toLowerCase(), json: entryJson(name, prefix, rank, stats, target) })
  }
  for (const name of names) {
    if (name.includes(replacement) || isTemporary(name) || hidden.has(name)) continue
    add(name, `${base}/${name}`)
  }
  // An entry whose name is not UTF-8 can be accessed only by bytes. It is listed, so that a client sees that it exists.
  if (names.some((name) => name.includes(replacement))) {
    const start = Buffer.from(`${base}/`)
    for (const bytes of readdirSync(folder.base, { encoding: 'buffer' })) {
      const name = bytes.toString()
      if (name.includes(replacement)) add(name, Buffer.concat([start, bytes]))
    }
    unseen = null
  }
  return { ranks, unseen }
}

/** Builds JSON by hand, because nanoseconds have more digits than a JavaScript number can hold, and for speed: it runs for every entry. */
function entryJson (
  name: string, prefix: string, rank: 0 | 1 | 2, stats: BigIntStats, target: { json: string, isFolder: boolean } | null
): string {
  const quoted = JSON.stringify(name)
  const type = rank === 0 ? 'symlink' : rank === 1 ? 'dir' : 'file'
  return `{"name":${quoted},"path":"${prefix}${quoted.slice(1)},"type":"${type}","is_dir":${target === null ? rank === 1 : target.isFolder},` +
    `"size":${rank === 2 ? stats.size : null},"mtime_ns":${int64(stats.mtimeNs)},"modified":${Number(stats.mtimeMs) / 1_000},"workspace_sort_rank":${rank}${target === null ? '' : target.json}}`
}

/** Returns where a symlink leads, as written in the link. A target outside of the workspace is not accessed. */
function targetOf (territory: Territory, folder: string, name: string, place: string | Buffer): { json: string, isFolder: boolean } {
  const written = tried(() => readlinkSync(place), '')
  const real = name.includes(replacement) ? null : tried(() => realPath(join(folder, name)), null)
  const isOutside = real === null || !within(territory.root, real) || isClosed(territory, real)
  const isFolder = !isOutside && tried(() => statSync(real).isDirectory(), false)
  return { isFolder, json: `,"target":${JSON.stringify(written)},"target_outside_workspace":${isOutside}` }
}
