import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static } from '@sinclair/typebox'
import { type FastifyRequest } from 'fastify'
import { bodyLimits } from '../plugins/bodies.js'
import { startedToWire } from '../services/chat/index.js'
import { goalCommand, type GoalAnswer as GoalOutcome } from '../services/goals/index.js'
import { conflicts, errors, SessionQuery } from '../schemas/common.js'
import { BackgroundAnswer, BackgroundBody, BackgroundResults, BtwAnswer, BtwBody, GoalAnswer, GoalBody } from '../schemas/side-turns.js'

const tags = ['side turns']

const plugin: FastifyPluginAsyncTypebox = async (app) => {
  const { goals, sessions, sideTurns: { btw, background } } = app

  async function act ({ session_id: sessionId, args, text, model, model_provider: modelProvider, profile, workspace }: Static<typeof GoalBody>, request: FastifyRequest): Promise<GoalOutcome> {
    const command = goalCommand(args ?? text ?? '')
    if (command.verb !== 'set') return await goals[command.verb](sessionId)
    return await goals.set(command.goal, {
      sessionId, model, modelProvider, profile,
      workspace: workspace === undefined ? undefined : await request.workspaceFolder(workspace, sessionId)
    })
  }

  app.post('/api/goal', {
    config: { scope: 'chat', bodyHalves: 'mended' },
    schema: { tags, summary: 'Set, look at, pause, resume or clear the goal of a session', body: GoalBody, response: { 200: GoalAnswer, ...errors(400, 403, 404, 503), ...conflicts('agent_running', 'uncoded') } }
  }, async (request) => {
    const { action, message, messageKey, goal, kickoffPrompt, started } = await act(request.body, request)
    return {
      ok: true,
      action,
      ...sessions.shown({ message, message_key: messageKey, goal, ...(kickoffPrompt === undefined ? {} : { kickoff_prompt: kickoffPrompt }) }),
      ...(started === undefined ? {} : startedToWire(started))
    }
  })

  app.post('/api/btw', {
    config: { scope: 'chat', bodyHalves: 'mended' },
    bodyLimit: bodyLimits.text,
    schema: { tags, summary: 'Ask something on the side; the conversation stays as it is', body: BtwBody, response: { 200: BtwAnswer, ...errors(400, 404, 429, 503) } }
  }, async ({ body }) => {
    const { streamId, sessionId } = await btw.ask(body.session_id, body.question)
    return { stream_id: streamId, session_id: sessionId, parent_session_id: body.session_id }
  })

  app.post('/api/background', {
    config: { scope: 'chat', bodyHalves: 'mended' },
    bodyLimit: bodyLimits.text,
    schema: { tags, summary: 'Let a task run beside the conversation', body: BackgroundBody, response: { 200: BackgroundAnswer, ...errors(400, 404, 429, 503) } }
  }, async ({ body }) => {
    const { taskId, streamId, sessionId } = await background.start(body.session_id, body.prompt)
    return { task_id: taskId, stream_id: streamId, session_id: sessionId, parent_session_id: body.session_id }
  })

  app.get('/api/background/status', {
    exposeHeadRoute: false,
    // A result is told once.
    config: { scope: 'chat', changes: true },
    schema: { tags, summary: 'Results of background tasks that nobody has fetched yet', querystring: SessionQuery, response: { 200: BackgroundResults, ...errors(400, 404) } }
  }, async ({ query: { session_id: id } }) => ({
    results: (app.sessions.isForeign(id) ? [] : await background.results(id)).map(({ taskId, prompt, answer, completedAtS }) => ({
      task_id: taskId, ...sessions.shown({ prompt, answer }), completed_at: completedAtS
    }))
  }))
}
export default plugin
