import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { documentLimitBytes } from '../../services/agent/index.js'
import { type chatFrames } from '../../schemas/chat.js'
import { Conflict } from '../../services/ground/errors.js'
import { framesOf } from '../../services/ground/events/index.js'
import { answerRuns, createCuration, Memory, type Curation } from '../../services/areas/memory/index.js'

declare module 'fastify' {
  interface FastifyInstance { memory: Memory & { curation: Curation } }
}

const frame = framesOf<typeof chatFrames>()
const curationLimitMs = 130_000
const done = { add: 'added', replace: 'replaced', remove: 'removed' } as const

/** What the agent is told in each conversation: its notes, what it knows about the user, who it is. */
export default fp(async (app: FastifyInstance) => {
  const { audit, db, agent, budgets, chat, clock, events, models, profiles, sessions } = app
  const log = (message: string, details: Record<string, unknown>) => app.log.warn(details, message)
  const memory = new Memory({ db, clock, audit, profiles, isMasked: sessions.isMasked, limitBytes: documentLimitBytes, log })
  profiles.on('listed', (name) => {
    memory.forget(name).catch((error: unknown) =>
      log('old versions of a profile\'s memory could not be removed', { reason: String(error) }))
  })
  memory.on('changed', (profile, section) =>
    events.publish({ kind: 'memory', id: `${profile} ${section}` }, () => ({ event: 'memory_changed', data: '{}' })))
  answerRuns(memory, agent, ({ runId, sessionId }, { action, section }) => {
    chat.turn(runId)?.recorder.tell(() =>
      [frame('state_saved', { session_id: sessionId, kind: 'memory', action: done[action], name: section })])
  })
  const curation = createCuration({
    memory,
    ask: async (profile, document) => {
      const choice = await models.chooser.auxiliary(profile, 'curator')
      if ('error' in choice) throw new Conflict(choice.error, 'no_model')
      if (choice.ref.provider === 'offline-demo') {
        throw new Conflict('The demo cannot tidy documents. Set up a model', 'no_model')
      }
      budgets.assertLeft({ profile })
      const task = { task: 'curate', model: choice.ref, input: document } as const
      return await agent.aux({ profile }, task, curationLimitMs, budgets.counting('curate', { profile }, choice))
    }
  })
  app.decorate('memory', Object.assign(memory, { curation }))
}, { name: 'memory', dependencies: ['audit', 'database', 'events', 'profiles', 'models', 'agent', 'sessions', 'budgets', 'chat'] })
