import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static } from '@sinclair/typebox'
import { type FastifyRequest } from 'fastify'
import { goalCommand, type GoalAnswer as GoalOutcome } from '../services/areas/goals/index.js'
import { errors, startConflicts } from '../schemas/common.js'
import { GoalAnswer, GoalBody } from '../schemas/goals.js'
import { goalAnswerToWire } from './shared/goal-answer.js'
import { tagged } from './shared/tagged.js'

const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('side turns'))
  const { goals, idempotency, sessions } = app

  async function act (
    { session_id: sessionId, args, text, model, model_provider: modelProvider, profile, workspace }: Static<typeof GoalBody>,
    request: FastifyRequest, accepted: (outcome: GoalOutcome) => void
  ): Promise<GoalOutcome> {
    const command = goalCommand(args ?? text ?? '')
    if (command.verb !== 'set') return await goals[command.verb](sessionId, accepted)
    return await goals.set(command.goal, {
      sessionId, model, modelProvider, profile: profile === undefined ? undefined : request.profileCalled(profile),
      workspace: workspace === undefined ? undefined : await request.workspaceFolder(workspace, sessionId)
    }, accepted)
  }

  const toWire = (outcome: GoalOutcome): Static<typeof GoalAnswer> => goalAnswerToWire(sessions, outcome)

  app.post('/api/goal', {
    config: { scope: 'chat', bodyHalves: 'mended' },
    schema: {
      summary: 'Set, get, pause, resume or clear the goal of a session',
      description: '`args` is empty or `status`, `pause`, `resume`, `clear`, or the text of a goal, which starts its first turn: the ' +
        'answer then has `stream_id`. After each turn, the frames `goal` and `goal_continue` come between `done` and `stream_end`. 409 ' +
        '`agent_running` while a turn runs; 400 `no_goal` or `invalid_goal`.',
      body: GoalBody,
      response: { 200: GoalAnswer, ...errors(400, 403, 404, 503), ...startConflicts('agent_running', 'client_id_reused') }
    }
  }, async (request) => {
    const { client_id: clientId, ...asked } = request.body
    return await idempotency.once<Static<typeof GoalAnswer>>({ of: { session: asked.session_id }, clientId, operation: 'goal', asked },
      async (keep) => toWire(await act(asked, request, (outcome) => keep(toWire(outcome)))))
  })
}
export default plugin
