import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { documentLimitBytes } from '../../services/agent/index.js'
import { type chatFrames } from '../../schemas/chat.js'
import { framesOf } from '../../services/ground/events/index.js'
import { answerRuns, createCuration, Memory, type Curation } from '../../services/areas/memory/index.js'

declare module 'fastify' {
  interface FastifyInstance { memory: Memory & { curation: Curation } }
}

const frame = framesOf<typeof chatFrames>()
const done = { add: 'added', replace: 'replaced', remove: 'removed' } as const

/** What the agent is told in each conversation: its notes, what it knows about the user, and its identity. */
export default fp(async (app: FastifyInstance) => {
  const { audit, db, agent, chat, clock, events, profiles, sessions, smallTasks } = app
  const log = (message: string, details: Record<string, unknown>) => app.log.warn(details, message)
  const memory = new Memory({ db, clock, audit, profiles, isMasked: sessions.isMasked, limitBytes: documentLimitBytes, log })
  profiles.on('listed', (name) => {
    memory.forget(name).catch((error: unknown) =>
      log('old versions of a profile\'s memory could not be removed', { reason: String(error) }))
  })
  memory.on('changed', (profile, section) =>
    events.publish({ kind: 'memory', id: `${profile} ${section}` }, () => ({ event: 'memory_changed', data: '{}' })))
  answerRuns(memory, agent, sessions.rows.isTemporary, ({ runId, sessionId }, { action, section }) => {
    chat.turn(runId)?.recorder.tell(() =>
      [frame('state_saved', { session_id: sessionId, kind: 'memory', action: done[action], name: section })])
  })
  const curation = createCuration({
    memory,
    ask: async (profile, document) => await smallTasks.run('curate', document, { account: { profile } })
  })
  app.decorate('memory', Object.assign(memory, { curation }))
}, { name: 'memory', dependencies: ['audit', 'database', 'events', 'profiles', 'agent', 'sessions', 'chat', 'small-tasks'] })
