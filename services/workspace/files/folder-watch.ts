import { TooMany } from '../../ground/errors.js'
import { closing, type EventBroker, type NewFrame, type Subscription } from '../../ground/events/index.js'
import { type Workers } from '../../ground/workers/index.js'
import { openFolder, type Territory } from '../place/place.js'
import { WatchedFolder, type WatchTiming } from './watched-folder.js'

/** How a folder is, as its readers are told. */
export interface FolderNews { workspace: string, path: string, signature: string | null }

export interface FolderWatchOptions {
  /** Makes what readers are told: `initial` first, then `workspace_changed`. */
  frame: (event: 'initial' | 'workspace_changed', news: FolderNews) => NewFrame
  events: EventBroker
  workers: Workers
  timing?: Partial<WatchTiming>
  /** How many folders may be watched at once. */
  limit?: number
}

const usualTiming: WatchTiming = { settleMs: 150, lookEveryMs: 30_000, pollEveryMs: 3_000 }

/** What is watched, for so many readers. */
interface Watched {
  key: string
  folder: WatchedFolder
  readers: number
  news: () => FolderNews
}

/**
 * Tells whoever looks at a folder that it has changed: `initial`, then `workspace_changed`, each with the folder's
 * present signature, null when it is gone. A folder is watched while somebody reads, and only the folder itself.
 */
export function createFolderWatch ({ events, workers, frame, timing = {}, limit = 200 }: FolderWatchOptions) {
  const all = new Map<string, Watched>()

  function watching (territory: Territory, path: string): Watched {
    const key = `${territory.root}\n${path}`
    const known = all.get(key)
    if (known !== undefined) return known
    if (all.size >= limit) throw new TooMany('Too many folders are being watched')
    const news = (): FolderNews => ({ workspace: territory.root, path, signature: folder.signature })
    const folder = new WatchedFolder({
      territory,
      path,
      workers,
      timing: { ...usualTiming, ...timing },
      onChange: () => events.publish({ kind: 'folder', id: key }, () => frame('workspace_changed', news()))
    })
    const watched = { key, folder, readers: 0, news }
    all.set(key, watched)
    return watched
  }

  function leave (watched: Watched): void {
    if (--watched.readers > 0) return
    all.delete(watched.key)
    watched.folder.close()
  }

  return {
    /** Throws as openFolder, and TooMany when too many folders are watched. The subscription's close ends the watching. */
    async subscribe (territory: Territory, path: string): Promise<Subscription> {
      const opened = await openFolder(territory, path)
      await opened.handle.close()
      const watched = watching(territory, opened.path)
      const { key, folder, news } = watched
      try {
        if (++watched.readers === 1) await folder.begin()
        else await folder.join()
      } catch (error) {
        leave(watched)
        throw error
      }
      const subscription = events.watch({ kind: 'folder', id: key }, () => frame('initial', news()))
      return closing(subscription, () => leave(watched))
    },

    /** How many folders are watched. */
    size: () => all.size
  }
}

export type FolderWatch = ReturnType<typeof createFolderWatch>
