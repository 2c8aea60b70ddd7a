import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static } from '@sinclair/typebox'
import { type FastifyRequest } from 'fastify'
import { bodyLimits } from '../plugins/ground/bodies.js'
import { type StartedTurn } from '../services/areas/chat/index.js'
import { goalCommand, type GoalAnswer as GoalOutcome } from '../services/areas/goals/index.js'
import { conflicts, errors, SessionQuery, startConflicts } from '../schemas/common.js'
import { goalAnswerToWire } from './shared/goal-answer.js'
import { BackgroundAnswer, BackgroundBody, BackgroundResults, BtwAnswer, BtwBody, GoalAnswer, GoalBody } from '../schemas/side-turns.js'
import { tagged } from './shared/tagged.js'

const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('side turns'))
  const { goals, idempotency, sessions, sideTurns: { btw, background } } = app

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

  app.post('/api/btw', {
    config: { scope: 'chat', bodyHalves: 'mended' },
    bodyLimit: bodyLimits.text,
    schema: {
      summary: 'Ask a side question, without changing the conversation',
      description: 'The agent answers from a copy of the conversation with read-only tools, even while a turn runs. Follow `stream_id`: ' +
        'its `done` has `ephemeral: true` and the `answer`. The copy is deleted ten minutes later. 429: four are already open.',
      body: BtwBody,
      response: { 200: BtwAnswer, ...errors(400, 404, 429, 503), ...conflicts('client_id_reused') }
    }
  }, async ({ body: { client_id: clientId, ...asked } }) => {
    const answer = ({
      streamId, sessionId
    }: StartedTurn) => ({ stream_id: streamId, session_id: sessionId, parent_session_id: asked.session_id })
    return await idempotency.once<Static<typeof BtwAnswer>>({ of: { session: asked.session_id }, clientId, operation: 'btw', asked },
      async (keep) => answer(await btw.ask(asked.session_id, asked.question, (turn) => keep(answer(turn)))))
  })

  app.post('/api/background', {
    config: { scope: 'chat', bodyHalves: 'mended' },
    bodyLimit: bodyLimits.text,
    schema: {
      summary: 'Start a background task beside the conversation',
      description: 'Runs in a hidden session and asks nobody: calls that need an approval are refused. When it ends, the stream of the ' +
        'session has the frame `bg_task_complete`; get the result with `GET /api/background/status`. 429: twenty are already waiting.',
      body: BackgroundBody,
      response: { 200: BackgroundAnswer, ...errors(400, 404, 429, 503), ...conflicts('client_id_reused') }
    }
  }, async ({ body: { client_id: clientId, ...asked } }) => {
    const answer = ({ taskId, streamId, sessionId }: StartedTurn & { taskId: string }) => ({
      task_id: taskId, stream_id: streamId, session_id: sessionId, parent_session_id: asked.session_id
    })
    return await idempotency.once<Static<typeof BackgroundAnswer>>({
      of: { session: asked.session_id }, clientId, operation: 'background', asked
    },
    async (keep) => answer(await background.start(asked.session_id, asked.prompt, (task) => keep(answer(task)))))
  })

  app.get('/api/background/status', {
    exposeHeadRoute: false,
    // A result is returned only once.
    config: { scope: 'chat', changes: true },
    schema: {
      summary: 'Get the results of background tasks, each once',
      description: 'Each result is returned once, and kept until then. Empty: no new results.',
      querystring: SessionQuery,
      response: { 200: BackgroundResults, ...errors(400, 404) }
    }
  }, async ({ query: { session_id: id } }) => ({
    results: (app.sessions.isForeign(id) ? [] : await background.results(id)).map(({ taskId, prompt, answer, completedAtS }) => ({
      task_id: taskId, prompt, answer: sessions.shown(answer), completed_at: completedAtS
    }))
  }))
}
export default plugin
