import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { type folderFrames } from '../../schemas/workspace.js'
import { framesOf, type Subscription } from '../../services/ground/events/index.js'
import { remoteFolder } from '../../services/ground/remote-folder.js'
import { createFarWatch, type FarWatchTiming } from '../../services/areas/machines/index.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Live notices of changes in the folders of sessions, on any machine. */
    watching: {
      /** Throws NotFound, TooMany, and Unavailable for a machine that is away, unless `isPatient` is set. */
      subscribe (sessionId: string, path: string, options?: { isPatient?: boolean }): Promise<Subscription>
      /** Returns how many folders of other machines are watched. */
      far (): number
    }
  }
}

/** Watches folders where they are: here, or on their own machine. */
export default fp<{ timing?: Partial<FarWatchTiming> }>(async (app: FastifyInstance, { timing }) => {
  const { events, files, machines, sessions, workspace } = app
  const far = createFarWatch({ asking: machines, events, frame: framesOf<typeof folderFrames>(), timing })
  machines.onNotice('folder', far.heard)
  machines.presence.on('changed', ({ name }) => far.moved(name))
  machines.onLink((link) => {
    link?.onChange(() => far.moved())
    far.moved()
  })
  app.decorate('watching', {
    async subscribe (sessionId: string, path: string, options = {}) {
      const { workspace: folder, isForeign } = sessions.folderOf(sessionId)
      // Sessions of other programs are never on other machines.
      const elsewhere = isForeign ? null : remoteFolder(folder)
      if (elsewhere !== null) return await far.subscribe(elsewhere, path, options)
      return await files.watch.subscribe(await workspace.territories.reading(sessionId), path)
    },
    far: far.size
  })
  app.addHook('onClose', async () => far.close())
}, { name: 'workspace-watching', dependencies: ['events', 'files', 'machines', 'sessions', 'workspace'] })
