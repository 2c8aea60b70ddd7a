import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { documentLimitBytes } from '../services/agent/index.js'
import { Memory } from '../services/memory/index.js'

declare module 'fastify' {
  interface FastifyInstance { memory: Memory }
}

/** What the agent is told in each conversation: its notes, what it knows about the user, who it is. */
export default fp(async (app: FastifyInstance) => {
  const { db, clock, events, profiles, sessions } = app
  const log = (message: string, details: Record<string, unknown>) => app.log.warn(details, message)
  const memory = new Memory({ db, clock, profiles, isMasked: sessions.isMasked, limitBytes: documentLimitBytes, log })
  profiles.on('listed', (name) => {
    memory.forget(name).catch((error: unknown) => log('versions of the memory of a profile could not be removed', { reason: String(error) }))
  })
  memory.on('changed', (profile, section) => events.publish({ kind: 'memory', id: `${profile} ${section}` }, () => ({ event: 'memory_changed', data: '{}' })))
  app.decorate('memory', memory)
}, { name: 'memory', dependencies: ['database', 'events', 'profiles', 'sessions'] })
