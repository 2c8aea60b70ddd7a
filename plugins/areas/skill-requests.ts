import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { type chatFrames } from '../../schemas/chat.js'
import { framesOf } from '../../services/ground/events/index.js'
import { answerRuns } from '../../services/areas/skills/index.js'

const frame = framesOf<typeof chatFrames>()

/**
 * Answers what runs ask about skills. A turn lists the skills when it starts, so skills are registered before turns, and this after both.
 */
export default fp(async ({ agent, chat, skills }: FastifyInstance) => {
  answerRuns(skills, agent, ({ runId, sessionId, name, action }) => {
    chat.turn(runId)?.recorder.tell(() => [frame('state_saved', { session_id: sessionId, kind: 'skill', action, name })])
  })
}, { name: 'skill-requests', dependencies: ['agent', 'skills', 'chat'] })
