import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createFileEdits, createFolderWatch, createIncoming, createLeftovers, createTerritories, createTrash, createUnfinished, createUploads,
  type FileEdits, type FolderWatch, type Incoming, type Territories, type Trash, type Uploads
} from '../services/workspace/files/index.js'
import { createQueue } from '../services/ground/concurrency/queue.js'
import { createWorkers, type Workers } from '../services/ground/workers/index.js'
import { kinds } from '../services/threads/kinds.js'
import { createWorkspaces, type Workspaces } from '../services/workspace/index.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Threads for what would hold up the event loop. */
    workers: Workers
    workspaces: Workspaces
    /** What of the machine each session's folder opens. */
    territories: Territories
    /** Live notice of changes in a folder. */
    folderWatch: FolderWatch
    fileEdits: FileEdits
    trash: Trash
    /** Files on their way in. */
    incoming: Incoming
    uploads: Uploads
  }
}

const sweepTrashEveryMs = 3_600_000

/** The folders that conversations work in, and the files in them. */
export default fp(async (app: FastifyInstance) => {
  const { db, clock, config, sessions, guests, profiles } = app
  app.decorate('workers', createWorkers({ kinds, log: (message, details) => app.log.warn(details, message) }))
  app.decorate('workspaces', createWorkspaces({ db, clock, defaultWorkspace: () => app.defaultWorkspace() }))
  app.decorate('territories', createTerritories({
    folderOf: (sessionId) => sessions.has(sessionId) || !guests.has(sessionId)
      ? { ...sessions.get(sessionId), isForeign: false }
      : { workspace: guests.row(sessionId).workspace, readOnly: true, isForeign: true },
    closed: [config.stateDir, config.backup.folder],
    homes: () => [config.home, ...profiles.list().map(({ home }) => home)]
  }))
  app.decorate('folderWatch', createFolderWatch({ events: app.events, workers: app.workers }))

  const log = (message: string, details: Record<string, unknown>) => app.log.warn(details, message)
  const { stateDir, maxUploadBytes: capBytes } = config
  const inTurn = createQueue()
  const unfinished = createUnfinished({ folder: join(stateDir, 'unfinished'), clock, workers: app.workers, log })
  const trash = createTrash({ db, clock, workers: app.workers, inTurn, unfinished, log })
  const incoming = createIncoming({ folder: join(stateDir, 'attachments', '.incoming'), capBytes })
  app.decorate('fileEdits', createFileEdits({ clock }))
  app.decorate('trash', trash)
  app.decorate('incoming', incoming)
  app.decorate('uploads', createUploads({ clock, stateDir, capBytes, workers: app.workers, inTurn, unfinished, hasSession: sessions.has }))

  const leftovers = createLeftovers({
    db,
    clock,
    workers: app.workers,
    territory: app.territories.around,
    homes: () => [config.home, ...profiles.list().map(({ home }) => home)],
    temporaryFolder: tmpdir(),
    log
  })
  const sweepTrash = (): void => {
    trash.sweep().catch((error: unknown) => log('the trash could not be swept', { reason: String(error) }))
  }
  const sweepLeftovers = (): void => {
    leftovers.sweep().catch((error: unknown) => log('what a crash has left could not be looked for', { reason: String(error) }))
  }
  const sweeping = setInterval(() => {
    sweepTrash()
    sweepLeftovers()
  }, sweepTrashEveryMs)
  sweeping.unref()
  app.addHook('onReady', async () => {
    await incoming.sweep().catch((error: unknown) => log('what uploads have left could not be removed', { reason: String(error) }))
    void unfinished.sweep()
    sweepLeftovers()
    sweepTrash()
  })
  app.addHook('preClose', async () => clearInterval(sweeping))
  app.addHook('onClose', async () => { await app.workers.close() })
}, { name: 'files', dependencies: ['sessions'] })
