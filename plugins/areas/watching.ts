import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { type folderFrames } from '../../schemas/workspace.js'
import { framesOf, type Subscription } from '../../services/ground/events/index.js'
import { remoteFolder } from '../../services/ground/location.js'
import { createFarWatch, type FarWatchTiming } from '../../services/areas/machines/index.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Notifies of changes in the folders of sessions, on every machine. */
    watching: {
      /** Throws NotFound, TooMany, and Unavailable if the machine is away. With `isPatient` it waits for the machine instead. */
      subscribe (sessionId: string, path: string, options?: { isPatient?: boolean }): Promise<Subscription>
      /** Number of watched folders on other machines. */
      far (): number
    }
  }
}

/** Watches folders where they are: on this machine, or through the machine that has them. */
export default fp<{ timing?: Partial<FarWatchTiming> }>(async (app: FastifyInstance, { timing }) => {
  const { asking, events, files, hosts, sessions, workspace } = app
  const far = createFarWatch({ asking, events, frame: framesOf<typeof folderFrames>(), timing })
  asking.on('folder', far.heard)
  hosts.presence.on('changed', ({ name }) => far.moved(name))
  hosts.onLink((link) => {
    link?.onChange(() => far.moved())
    far.moved()
  })
  app.decorate('watching', {
    async subscribe (sessionId: string, path: string, options = {}) {
      const { workspace: folder, isForeign } = sessions.folderOf(sessionId)
      // Conversations of other programs have no machines.
      const elsewhere = isForeign ? null : remoteFolder(folder)
      if (elsewhere !== null) return await far.subscribe(elsewhere, path, options)
      return await files.watch.subscribe(await workspace.territories.reading(sessionId), path)
    },
    far: far.size
  })
  app.addHook('onClose', async () => far.close())
}, { name: 'watching', dependencies: ['asking', 'events', 'files', 'hosts', 'sessions', 'workspace'] })
