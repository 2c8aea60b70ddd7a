import { type FSWatcher, watch } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { setImmediate as nextRound } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { type Workers } from '../../ground/workers/index.js'
import { tellsChanges } from '../place/local-systems.js'
import { openFolder, type OpenedFolder, type Territory } from '../place/place.js'
import { type Listing } from './listing-task.js'

/** A list as finished bytes. It is the same object as long as nothing in it has changed. */
export interface FolderAnswer {
  signature: string
  json: Buffer
  compressed: () => Promise<Buffer>
}

export interface ListingsOptions {
  workers: Workers
  /** How many lists are cached at most, and of which size. */
  limits?: Partial<typeof usualLimits>
}

interface ReadListing { unseen: Listing['unseen'], answer: FolderAnswer }
interface CachedListing { changes: number, sinceMs: number, found: Promise<ReadListing> }
interface Place {
  /** Real path, device and inode of the folder. */
  identity: string
  system: FSWatcher
  changes: number
  kept: CachedListing | null
  idle: NodeJS.Timeout
}

const usualLimits = { folders: 16, listBytes: 2 * 1024 * 1024 }
const idleMs = 60_000
/** Limits for how long changes that no watch sees go unnoticed: through a memory map, or through a hard link made elsewhere since. */
const maxAgeMs = 5_000

const compress = promisify(gzip)

/**
 * Lists folders. The path, permissions and closed places of a folder are checked each time; its list is cached as long as the system's
 * file notifications report no change.
 */
export function createListings ({ workers, limits = {} }: ListingsOptions) {
  const { folders: mostFolders, listBytes: mostBytes } = { ...usualLimits, ...limits }
  const places = createPlaces(mostFolders)

  async function look (territory: Territory, path: string): Promise<ReadListing> {
    const listing = await workers.run('listFolder', { territory, path })
    return { unseen: listing.unseen, answer: answerOf(territory, listing) }
  }

  async function isAsBefore ({ real }: OpenedFolder, { unseen }: ReadListing): Promise<boolean> {
    const looks = (unseen ?? []).map(async ([name, changedNs]) => {
      const stats = await lstat(`${real}/${name}`, { bigint: true }).catch(() => null)
      return stats?.isDirectory() === true && stats.mtimeNs === changedNs
    })
    return (await Promise.all(looks)).every(Boolean)
  }

  async function keptOf (key: string, place: Place, folder: OpenedFolder): Promise<ReadListing | null> {
    // Changes from before this call have been reported once the event loop has polled.
    await nextRound()
    const { kept, changes } = place
    const isWatched = places.has(key, place)
    if (!isWatched || kept === null || kept.changes !== changes || performance.now() - kept.sinceMs > maxAgeMs) return null
    const found = await kept.found.catch(() => null)
    return found !== null && isKeepable(found) && await isAsBefore(folder, found) ? found : null
  }

  const isKeepable = ({ unseen, answer }: ReadListing): boolean => unseen !== null && answer.json.length <= mostBytes

  async function fresh (place: Place, territory: Territory, path: string): Promise<ReadListing> {
    const mine: CachedListing = { changes: place.changes, sinceMs: performance.now(), found: look(territory, path) }
    place.kept = mine
    const drop = (): void => { if (place.kept === mine) place.kept = null }
    mine.found.then((found) => { if (!isKeepable(found)) drop() }, drop)
    return await mine.found
  }

  return {
    /** Lists a folder. Throws what openFolder and workers throw. */
    async list (territory: Territory, path: string): Promise<FolderAnswer> {
      const folder = await openFolder(territory, path)
      const key = JSON.stringify([territory.root, territory.closed, folder.path])
      let place: Place | null
      try {
        place = await places.of(key, folder)
      } finally {
        await folder.handle.close()
      }
      if (place === null) return (await look(territory, folder.path)).answer
      return (await keptOf(key, place, folder) ?? await fresh(place, territory, folder.path)).answer
    },

    /** Returns the number of watched folders. */
    size: places.size,
    close: places.close
  }
}

/** The watched folders, at most `mostFolders`. Beyond that, the one that has been watched longest is dropped. */
function createPlaces (mostFolders: number) {
  const places = new Map<string, Place>()
  let isClosed = false

  function forget (key: string): void {
    const place = places.get(key)
    if (place === undefined) return
    places.delete(key)
    clearTimeout(place.idle)
    place.system.close()
  }

  async function placeOf (key: string, folder: OpenedFolder): Promise<Place | null> {
    const identity = `${folder.real} ${folder.stats.dev} ${folder.stats.ino}`
    const known = places.get(key)
    if (known?.identity === identity) {
      known.idle.refresh()
      return known
    }
    if (!await tellsChanges(folder.base).catch(() => false) || isClosed) return null
    forget(key)
    const [oldest] = places.keys()
    if (oldest !== undefined && places.size >= mostFolders) forget(oldest)
    return open(key, folder, identity)
  }

  function open (key: string, folder: OpenedFolder, identity: string): Place | null {
    try {
      const system = watch(`${folder.base}/`, { persistent: false })
      const place: Place = { identity, system, changes: 0, kept: null, idle: setTimeout(() => forget(key), idleMs).unref() }
      system.on('change', () => { place.changes++ })
      system.on('error', () => { if (places.get(key) === place) forget(key) })
      places.set(key, place)
      return place
    } catch {
      // The folder is gone, or the process already watches as many as the system allows.
      return null
    }
  }

  return {
    /** Watches a folder, before it is first read. Resolves to null if a watch would miss changes. */
    of: placeOf,
    /** Whether a folder is still watched. */
    has: (key: string, place: Place): boolean => places.get(key) === place,
    size: (): number => places.size,
    close (): void {
      isClosed = true
      for (const key of [...places.keys()]) forget(key)
    }
  }
}

function answerOf ({ root }: Territory, { entries, signature, path }: Listing): FolderAnswer {
  const rest = JSON.stringify({ signature, path, workspace: root, workspace_recovered: false })
  const json = Buffer.concat([Buffer.from('{"entries":'), entries, Buffer.from(`,${rest.slice(1)}`)])
  let compressed: Promise<Buffer> | undefined
  return {
    signature,
    json,
    compressed: () => {
      compressed ??= compress(json, { level: 1 })
      return compressed
    }
  }
}
