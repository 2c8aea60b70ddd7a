import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { conflicts, errors, EventStream, SessionQuery } from '../schemas/common.js'
import { ClarifyAnswer, ClarifyPending, ClarifyRespond, questionFrames } from '../schemas/prompts.js'
import { readerOf } from '../services/areas/auth/index.js'
import { Invalid } from '../services/ground/errors.js'
import { knownSession } from './shared/known-session.js'

/** Questions that turns ask a person: showing, following and answering them. */
export const questions: FastifyPluginAsyncTypebox = async (app) => {
  const { prompts, sessions } = app

  app.get('/api/clarify/pending', {
    config: { scope: 'read' },
    schema: {
      summary: 'Get the oldest pending question, and how many there are',
      description: '`pending` is null if nothing waits. `GET /api/clarify/stream` reports changes.',
      querystring: SessionQuery,
      response: { 200: ClarifyPending, ...errors(400, 404) }
    }
  }, async ({ query, operator }) => prompts.pending(knownSession(app, query.session_id), 'clarify', readerOf(operator)))

  app.get('/api/clarify/stream', {
    config: { scope: 'read' },
    exposeHeadRoute: false,
    schema: {
      summary: 'Stream the questions of a session as they open and close (Server-Sent Events)',
      description: '`initial` first, then `clarify` on every change, each with the oldest pending one; `pending: null`: none is left. ' +
        'No cursor: reconnect and use the new `initial`. Answer with `POST /api/clarify/respond`.',
      querystring: SessionQuery,
      response: { 200: EventStream('QuestionEvent', questionFrames), ...errors(400, 404) }
    }
  }, (request, reply) => app.eventStreams.send(
    request, reply, prompts.watch(knownSession(app, request.query.session_id), 'clarify', readerOf(request.operator)), { keepalive: 'keepalive' }
  ))

  app.post('/api/clarify/respond', {
    config: { scope: 'approve', bodyHalves: 'mended', otherProfiles: 'open' },
    schema: {
      summary: 'Answer a question',
      description: '`response` is a text, or the values of a form by name; `decline: true` declines a form. 400 names the first invalid ' +
        'field, and the question stays open. 409 with `stale: true`: it is gone or answered. 409 `gateway_run_unavailable` or 502 ' +
        '`gateway_approval_relay_failed`: it is still open.',
      body: ClarifyRespond,
      response: { 200: ClarifyAnswer, ...errors(400, 404, 502), ...conflicts('gateway_run_unavailable', 'uncoded') }
    }
  }, async ({ body }) => {
    sessions.get(body.session_id)
    const response = body.decline === true ? null : body.response ?? body.answer ?? body.choice
    if (response === undefined) throw new Invalid('Missing required field(s): response')
    const answer = await prompts.answerQuestion(body.session_id, response, body.clarify_id)
    return { ok: true, response: response ?? '', ...answer }
  })
}
