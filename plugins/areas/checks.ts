import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createChecks, type Checks } from '../../services/areas/checks/index.js'
import { DomainError } from '../../services/ground/errors.js'
import { openRaw } from '../../services/workspace/files/index.js'
import { isWatched } from './goals.js'

declare module 'fastify' {
  interface FastifyInstance { checks: Checks }
}

const readBytes = 256 * 1024

/** The project's own tests, linters and type checks. */
export default fp(async (app: FastifyInstance) => {
  const { audit, budgets, chat, checkpoints, clock, db, events, queue, sandbox, sessions, workspace: { territories } } = app

  async function readFile (folder: string, name: string): Promise<string | null> {
    try {
      const { handle } = await openRaw(territories.around(folder), null, name)
      try {
        const { buffer, bytesRead } = await handle.read(Buffer.alloc(readBytes), 0, readBytes, 0)
        return buffer.toString('utf8', 0, bytesRead)
      } finally {
        await handle.close()
      }
    } catch (error) {
      if (error instanceof DomainError) return null
      throw error
    }
  }

  const checks = createChecks({
    audit, budgets, chat, clock, db, events, sessions, readFile,
    runCheck: sandbox.runCheck,
    isConfined: async (profile) => (await sandbox.status(profile)).available,
    async hasChanged (sessionId, streamId) {
      const territory = await territories.reading(sessionId)
      const taken = checkpoints.list(territory.root).find((checkpoint) => checkpoint.streamId === streamId)
      if (taken === undefined) return false
      // Where it could not be kept what was there before, nobody knows.
      return taken.state !== 'ready' || (await checkpoints.diff(territory, taken.id)).files.length > 0
    },
    isQueued: async (sessionId) => (await queue.read(sessionId, { typed: true })).queue.length > 0,
    isWatched: (sessionId) => isWatched(events, sessionId),
    log: (message, details) => app.log.warn(details, message)
  })
  app.decorate('checks', checks)
  chat.turns.on('recovered', () => checks.recover())
}, {
  name: 'checks',
  dependencies: ['audit', 'budgets', 'chat', 'checkpoints', 'database', 'events', 'queue', 'sandbox', 'sessions', 'workspace']
})
