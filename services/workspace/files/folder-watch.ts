import { TooMany } from '../../ground/errors.js'
import { closing, type EventBroker, type NewFrame, type Subscription } from '../../ground/events/index.js'
import { type Workers } from '../../ground/workers/index.js'
import { folderAt, type Territory } from '../place/place.js'
import { WatchedFolder, type WatchTiming } from './watched-folder.js'

/** The state of a folder, as sent to its readers. `signature` is null when the folder is gone. */
export interface FolderNews { workspace: string, path: string, signature: string | null }

export interface FolderWatchOptions {
  /** Creates the frames for readers: first `initial`, then `workspace_changed`. */
  frame: (event: 'initial' | 'workspace_changed', news: FolderNews) => NewFrame
  events: EventBroker
  workers: Workers
  timing?: Partial<WatchTiming>
  /** How many folders may be watched at once. */
  limit?: number
}

const usualTiming: WatchTiming = { settleMs: 150, lookEveryMs: 30_000, pollEveryMs: 3_000 }

/** A watched folder with the number of its readers. */
interface Watched {
  key: string
  folder: WatchedFolder
  readers: number
  news: () => FolderNews
}

/**
 * Tells the readers of a folder that it has changed: sends `initial`, then `workspace_changed`, each with the folder's current signature,
 * null when it is gone. A folder is watched while it has readers, without the folders in it.
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
    /** Subscribes to a folder until the subscription is closed. Throws what openFolder throws, and TooMany at the limit. */
    async subscribe (territory: Territory, path: string): Promise<Subscription> {
      const watched = watching(territory, (await folderAt(territory, path)).path)
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

    /** Returns the number of watched folders. */
    size: () => all.size
  }
}

export type FolderWatch = ReturnType<typeof createFolderWatch>
