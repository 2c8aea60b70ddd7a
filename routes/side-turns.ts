import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static } from '@sinclair/typebox'
import { bodyLimits } from '../plugins/ground/bodies.js'
import { type StartedTurn } from '../services/areas/chat/index.js'
import { conflicts, errors, SessionQuery } from '../schemas/common.js'
import { BackgroundAnswer, BackgroundBody, BackgroundResults, BtwAnswer, BtwBody } from '../schemas/side-turns.js'
import { tagged } from './shared/tagged.js'

const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('side turns'))
  const { idempotency, sessions, sideTurns: { btw, background } } = app

  app.post('/api/btw', {
    config: { scope: 'chat', bodyHalves: 'mended' },
    bodyLimit: bodyLimits.text,
    schema: {
      summary: 'Ask a side question, without changing the conversation',
      description: 'The agent answers from a copy of the conversation with read-only tools, even while a turn runs. Follow `stream_id`: ' +
        'its `done` has `ephemeral: true` and the `answer`. The copy is deleted ten minutes later. 429: four are already open.',
      body: BtwBody,
      response: { 200: BtwAnswer, ...errors(400, 404, 429, 503), ...conflicts('client_id_reused', 'worktree_leaving') }
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
      response: { 200: BackgroundAnswer, ...errors(400, 404, 429, 503), ...conflicts('client_id_reused', 'worktree_leaving') }
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
