import fp from 'fastify-plugin'
import { type folderFrames } from '../../schemas/workspace.js'
import { framesOf } from '../../services/ground/events/index.js'
import { tmpdir } from 'node:os'
import { searchPath } from '../../services/ground/process/environment.js'
import { createFiles, type Files } from '../../services/workspace/files/index.js'
import { removeAttachments } from '../../services/workspace/index.js'
import { regularly } from '../ground/regularly.js'
import { type SharedApp } from '../ground/shared-app.js'

declare module 'fastify' {
  interface FastifyInstance { files: Files }
}

const sweepEveryMs = 3_600_000
/** Looking for them takes a worker thread. Whoever waits for the start goes first. */
const leftoversAfterMs = 5_000

/** Files in the folders of conversations, and uploaded ones. */
export default fp(async (app: SharedApp) => {
  const { db, clock, config, events, profiles, sessions, workers, workspace } = app
  const { stateDir } = config
  const files = createFiles({
    db,
    clock,
    events,
    folderFrame: framesOf<typeof folderFrames>(),
    workers,
    workspace,
    stateDir,
    capBytes: config.maxUploadBytes,
    mediaRoots: config.mediaRoots,
    programPath: searchPath(config.env.PATH),
    temporaryFolder: tmpdir(),
    sessions,
    profiles: { homes: profiles.homes, homeOf: (profile) => profiles.get(profile)?.home },
    log: (message, details) => app.log.warn(details, message)
  })
  // An upload may have arrived while the rows were removed.
  sessions.on('removed', async (ids) => { for (const id of ids) await removeAttachments(stateDir, id) })
  app.decorate('files', files)
  app.addHook('onReady', async () => await files.begin())
  app.addHook('onClose', async () => {
    files.lists.close()
    files.search.close()
  })
  regularly(app, sweepEveryMs, 'the trash could not be swept', files.trash.sweep)
  regularly(app, sweepEveryMs, 'leftovers of a crash could not be found', files.leftovers.sweep, leftoversAfterMs)
}, { name: 'files', dependencies: ['config', 'database', 'events', 'workers', 'profiles', 'sessions', 'workspace'] })
