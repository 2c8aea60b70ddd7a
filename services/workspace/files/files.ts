import { join } from 'node:path'
import { createQueue } from '../../ground/concurrency/queue.js'
import { type Clock } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { type EventBroker } from '../../ground/events/index.js'
import { type Log } from '../../ground/log.js'
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
import { createUnfinishedFolders } from './unfinished.js'
import { createUploads } from './uploads.js'

export interface FilesOptions {
  db: Database
  clock: Clock
  events: EventBroker
  /** Creates the frames that watched folders send. */
  folderFrame: FolderWatchOptions['frame']
  workers: Workers
  workspace: Workspace
  stateDir: string
  /** Size of the largest file that may be uploaded. */
  capBytes: number
  /** Folders that the operator has opened for media in conversations. */
  mediaRoots: string[]
  /** Search path for programs (PATH). */
  programPath: string
  /** Folder for temporary files of programs on this machine. */
  temporaryFolder: string
  sessions: {
    has: (sessionId: string) => boolean
    /** Whether the agent names exactly this path in the conversation. */
    mentions: (sessionId: string, path: string) => boolean
  }
  profiles: Pick<MediaOptions, 'homes' | 'homeOf'>
  log: Log
}

/** Files in the folders of conversations, and those that people upload. */
export function createFiles ({
  db, clock, events, folderFrame, workers, workspace, stateDir, capBytes, mediaRoots, programPath, temporaryFolder, sessions, profiles, log
}: FilesOptions) {
  const { territories } = workspace
  // The trash and the unpacking of archives move whole folders, so they run one after the other in each folder.
  const inTurn = createQueue()
  const unfinished = createUnfinishedFolders({ folder: join(stateDir, 'unfinished'), clock, workers, log })
  const incoming = createIncoming({ folder: join(stateDir, 'attachments', '.incoming'), capBytes })
  return {
    /** Creates, changes, renames and moves files for a person. */
    edits: createFileEdits({ clock }),
    /** Deleted files that can be restored. */
    trash: createTrash({ db, clock, workers, inTurn, unfinished, log }),
    /** Files that are being received. */
    incoming,
    uploads: createUploads({ clock, stateDir, capBytes, workers, inTurn, unfinished, hasSession: sessions.has }),
    /** Removes what a crash has left in folders. */
    leftovers: createLeftovers({ db, clock, workers, territory: territories.around, homes: profiles.homes, temporaryFolder, log }),
    /** Lists folders. */
    lists: createListings({ workers }),
    /** Finds files by parts of their names. */
    search: createFileSearch({ workers, ripgrep: findRipgrep(), path: programPath }),
    /** Reports changes of folders live. */
    watch: createFolderWatch({ events, workers, frame: folderFrame }),
    /** Files that conversations show, wherever they are. */
    media: createMedia({
      ...profiles, hasSession: sessions.has, isMentioned: sessions.mentions, territories, workspaces: workspace, stateDir, roots: mediaRoots
    }),

    /** Removes the remains of uploads that a stop of the service interrupted. Call it before anything is received. */
    async begin (): Promise<void> {
      await incoming.sweep().catch((error: unknown) => log('leftovers of uploads could not be removed', { reason: String(error) }))
      void unfinished.sweep()
    }
  }
}

export type Files = ReturnType<typeof createFiles>
