import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { type chatFrames } from '../../schemas/chat.js'
import { framesOf } from '../../services/ground/events/index.js'
import { answerRuns } from '../../services/areas/skills/index.js'

const frame = framesOf<typeof chatFrames>()

/** Answers requests of runs about skills. Turns list the skills when they start, so skills are registered before turns, and this after. */
export default fp(async ({ agent, chat, skills }: FastifyInstance) => {
  answerRuns(skills, agent, ({ runId, sessionId, name, action }) => {
    chat.turn(runId)?.recorder.tell(() => [frame('state_saved', { session_id: sessionId, kind: 'skill', action, name })])
  })
}, { name: 'skills-requests', dependencies: ['agent', 'skills', 'chat'] })
