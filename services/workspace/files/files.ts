import { join } from 'node:path'
import { createQueue } from '../../ground/concurrency/queue.js'
import { type Clock } from '../../ground/clock.js'
import { type Database } from '../../ground/database/index.js'
import { type EventBroker } from '../../ground/events/index.js'
import { findRipgrep } from '../../ground/process/ripgrep.js'
import { type Workers } from '../../ground/workers/index.js'
import { type Workspace } from '../workspace.js'
import { createFileEdits } from './editing.js'
import { createFolderWatch, type FolderWatchOptions } from './folder-watch.js'
import { createIncoming } from './incoming.js'
import { createFileSearch } from './search/search.js'
import { createLeftovers } from './leftovers.js'
import { createListings } from './listings.js'
import { createMedia, type MediaOptions } from './media.js'
import { createTrash } from './trash.js'
import { createUnfinished } from './unfinished.js'
import { createUploads } from './uploads.js'

export interface FilesOptions {
  db: Database
  clock: Clock
  events: EventBroker
  /** Makes the frames that watched folders send. */
  folderFrame: FolderWatchOptions['frame']
  workers: Workers
  workspace: Workspace
  stateDir: string
  /** The largest file that may come in. */
  capBytes: number
  /** Folders the operator has opened for what conversations show. */
  mediaRoots: string[]
  /** Where programs are looked for. */
  programPath: string
  /** Where programs of this machine leave what they need no more. */
  temporaryFolder: string
  sessions: {
    has: (sessionId: string) => boolean
    /** Whether the agent names exactly this path in the conversation. */
    mentions: (sessionId: string, path: string) => boolean
  }
  profiles: Pick<MediaOptions, 'homes' | 'homeOf'>
  log: (message: string, details: Record<string, unknown>) => void
}

/** Files in the folders of conversations, and those that people bring. */
export function createFiles ({
  db, clock, events, folderFrame, workers, workspace, stateDir, capBytes, mediaRoots, programPath, temporaryFolder, sessions, profiles, log
}: FilesOptions) {
  const { territories } = workspace
  // The trash and what is unpacked move whole folders: one after the other in each.
  const inTurn = createQueue()
  const unfinished = createUnfinished({ folder: join(stateDir, 'unfinished'), clock, workers, log })
  const incoming = createIncoming({ folder: join(stateDir, 'attachments', '.incoming'), capBytes })
  return {
    /** Made, changed, renamed and moved by a person. */
    edits: createFileEdits({ clock }),
    /** What was deleted and can be brought back. */
    trash: createTrash({ db, clock, workers, inTurn, unfinished, log }),
    /** Files on their way in. */
    incoming,
    uploads: createUploads({ clock, stateDir, capBytes, workers, inTurn, unfinished, hasSession: sessions.has }),
    /** What a crash has left in folders. */
    leftovers: createLeftovers({ db, clock, workers, territory: territories.around, homes: profiles.homes, temporaryFolder, log }),
    /** What is in folders. */
    lists: createListings({ workers }),
    /** What is meant by what is typed of a name. */
    search: createFileSearch({ workers, ripgrep: findRipgrep(), path: programPath }),
    /** Live notice of changes in a folder. */
    watch: createFolderWatch({ events, workers, frame: folderFrame }),
    /** Files that conversations show, wherever they lie. */
    media: createMedia({
      ...profiles, hasSession: sessions.has, isMentioned: sessions.mentions, territories, workspaces: workspace, stateDir, roots: mediaRoots
    }),

    /** Before anything comes in: removes what uploads have left that a stop of the service broke off. */
    async begin (): Promise<void> {
      await incoming.sweep().catch((error: unknown) => log('leftovers of uploads could not be removed', { reason: String(error) }))
      void unfinished.sweep()
    }
  }
}

export type Files = ReturnType<typeof createFiles>
