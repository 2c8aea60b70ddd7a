import { watch, type FSWatcher } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { NotFound, TooMany } from '../../ground/errors.js'
import { type EventBroker, type NewFrame, type Subscription } from '../../ground/events/index.js'
import { type Workers } from '../../ground/workers/index.js'
import { openFolder, type OpenedFolder, type Territory } from '../place/place.js'

/** How a folder is, as its readers are told. */
export interface FolderNews { workspace: string, path: string, signature: string | null }

export interface FolderWatchOptions {
  /** Makes what readers are told: `initial` first, then `workspace_changed`. */
  frame: (event: 'initial' | 'workspace_changed', news: FolderNews) => NewFrame
  events: EventBroker
  workers: Workers
  timing?: Partial<typeof usualTiming>
  /** How many folders may be watched at once. */
  limit?: number
}

const usualTiming = {
  /** Changes come in bursts; one look serves those of this time. */
  settleMs: 150,
  /** What the system does not tell of (network drives, the inside of subfolders) is noticed after this time. */
  lookEveryMs: 30_000,
  /** The same where it tells nothing at all, and for a folder that has gone and may come back. */
  pollEveryMs: 3_000
}

interface WatchedFolder {
  territory: Territory
  path: string
  /** Null while the folder is not there. */
  signature: string | null
  readers: number
  system: FSWatcher | null
  /** Which folder that is, by device and inode. */
  identity: string
  /** Something has happened since the last look. */
  changed: boolean
  /** Ends the pause before the next look. */
  resume: () => void
  closed: boolean
}

/**
 * Tells whoever looks at a folder that it has changed: `initial`, then `workspace_changed`, each with the folder's
 * present signature, null when it is gone. A folder is watched while somebody reads, and only the folder itself.
 */
export function createFolderWatch ({ events, workers, frame, timing = {}, limit = 200 }: FolderWatchOptions) {
  const { settleMs, lookEveryMs, pollEveryMs } = { ...usualTiming, ...timing }
  const folders = new Map<string, WatchedFolder>()

  async function look ({ territory, path }: WatchedFolder): Promise<string | null> {
    try {
      return (await workers.run('listFolder', { territory, path })).signature
    } catch (error) {
      if (error instanceof NotFound) return null
      throw error
    }
  }

  /** Follows the opened folder, not its name: a symlink that takes its place tells nothing. */
  async function listen (folder: WatchedFolder): Promise<void> {
    folder.system?.close()
    folder.system = null
    try {
      const opened = await openFolder(folder.territory, folder.path)
      try {
        folder.identity = identityOf(opened)
        const system = watch(`${opened.base}/`, { persistent: false })
        system.on('change', () => wake(folder))
        system.on('error', () => wake(folder))
        folder.system = system
      } finally {
        await opened.handle.close()
      }
    } catch {} // gone, or the system watches no more: it is looked at now and then
    if (folder.closed) folder.system?.close()
  }

  async function pause (folder: WatchedFolder): Promise<void> {
    if (folder.changed || folder.closed) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, folder.system === null ? pollEveryMs : lookEveryMs)
      timer.unref()
      folder.resume = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  async function follow (key: string, folder: WatchedFolder): Promise<void> {
    while (!folder.closed) {
      await pause(folder)
      await delay(settleMs, undefined, { ref: false })
      if (folder.closed) return
      // Both before the look, so that what changes during it leads to another one.
      folder.changed = false
      if (folder.system === null || !await isWatched(folder)) await listen(folder)
      const startedMs = performance.now()
      const signature = await look(folder).catch(() => folder.signature)
      if (folder.closed) return
      if (signature === null) {
        folder.system?.close()
        folder.system = null
      }
      if (signature !== folder.signature) {
        folder.signature = signature
        events.publish({ kind: 'folder', id: key }, () => frame('workspace_changed', toWire(folder)))
      }
      // A large folder in which something changes all the time is not looked at all the time.
      await delay(4 * (performance.now() - startedMs), undefined, { ref: false })
    }
  }

  function leave (key: string, folder: WatchedFolder): void {
    if (--folder.readers > 0) return
    folder.closed = true
    folders.delete(key)
    folder.system?.close()
    folder.resume()
  }

  return {
    /** Throws as openFolder, and TooMany when too many folders are watched. The subscription's close ends the watching. */
    async subscribe (territory: Territory, path: string): Promise<Subscription> {
      const opened = await openFolder(territory, path)
      await opened.handle.close()
      const key = `${territory.root}\n${opened.path}`
      let folder = folders.get(key)
      if (folder === undefined) {
        if (folders.size >= limit) throw new TooMany('Too many folders are being watched')
        folder = { territory, path: opened.path, signature: null, readers: 0, system: null, identity: '', changed: false, resume: () => {}, closed: false }
        folders.set(key, folder)
      }
      folder.readers++
      try {
        if (folder.readers === 1) {
          await listen(folder)
          void follow(key, folder)
          folder.signature = await look(folder)
        } else {
          wake(folder)
          folder.signature ??= await look(folder)
        }
      } catch (error) {
        leave(key, folder)
        throw error
      }
      const watched = folder
      const subscription = events.watch({ kind: 'folder', id: key }, () => frame('initial', toWire(watched)))
      return closing(subscription, () => leave(key, watched))
    },

    /** How many folders are watched. */
    size: () => folders.size
  }
}

const identityOf = ({ stats }: OpenedFolder): string => `${stats.dev}:${stats.ino}`

/** False when another folder has taken its place, of which the system's watch tells nothing. */
async function isWatched ({ territory, path, identity }: WatchedFolder): Promise<boolean> {
  const opened = await openFolder(territory, path).catch(() => null)
  await opened?.handle.close()
  return opened !== null && identityOf(opened) === identity
}

function wake (folder: WatchedFolder): void {
  folder.changed = true
  folder.resume()
}

export type FolderWatch = ReturnType<typeof createFolderWatch>

function toWire ({ territory, path, signature }: WatchedFolder): FolderNews {
  return { workspace: territory.root, path, signature }
}

/** A subscription that tells once when it is closed. */
function closing (subscription: Subscription, closed: () => void): Subscription {
  let isClosed = false
  const close = subscription.close.bind(subscription)
  return Object.assign(subscription, {
    close () {
      close()
      if (isClosed) return
      isClosed = true
      closed()
    }
  })
}
