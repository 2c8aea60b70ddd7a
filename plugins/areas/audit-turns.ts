import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { pushes } from '../../services/areas/audit/index.js'

/** Records what the agent has done outside of this machine by itself: with a grant or with yolo, no person has answered for it. */
export default fp(async (app: FastifyInstance) => {
  const { audit, chat } = app
  chat.turns.on('called', ({ sessionId: session }, { args: { command }, isError }) => {
    if (isError || typeof command !== 'string' || !pushes(command)) return
    audit.as({ kind: 'agent', id: session, name: null, address: null }, () => audit.record('git.pushed', { session }))
  })
}, { name: 'audit-turns', dependencies: ['audit', 'chat'] })
