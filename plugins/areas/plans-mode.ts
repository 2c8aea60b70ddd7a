import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createPlanning, type Planning } from '../../services/areas/plans/index.js'
import { isBeside } from '../../services/areas/sessions/index.js'

declare module 'fastify' {
  interface FastifyInstance { planning: Planning }
}

/** Plan mode of conversations: how a plan is written and started. */
export default fp(async (app: FastifyInstance) => {
  const { agent, audit, chat, clock, db, goals, plans, sessions } = app
  agent.serve('plan_save', async (body, { spec: { runId, sessionId, toolset } }) => {
    if (toolset !== 'all' || isBeside(sessions.get(sessionId))) return { text: 'Only the conversation itself has a plan. Answer with what you found.', isError: true }
    if (!chat.isPlanning(runId)) return { text: 'A plan is written in plan mode, and that is off.', isError: true }
    return await plans.save(sessionId, body)
  })
  app.decorate('planning', createPlanning({ agent, audit, chat, clock, db, goals, plans, sessions }))
}, { name: 'plans-mode', dependencies: ['agent', 'audit', 'database', 'sessions', 'chat', 'goals', 'plans'] })
