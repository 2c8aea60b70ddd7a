import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static } from '@sinclair/typebox'
import { rates } from '../plugins/ground/rate-limit.js'
import { conflicts, errors, SessionQuery } from '../schemas/common.js'
import { CompressAnswer, CompressBody, CompressionStatus } from '../schemas/compression.js'
import { type CompressionState } from '../services/areas/compression/index.js'
import { sendPieces } from './shared/sending.js'
import { tagged } from './shared/tagged.js'

const notCompressed = conflicts('budget_used_up', 'uncoded')
const neverStarted: CompressionState = { status: 'idle', focusTopic: null, startedAtS: null, updatedAtS: null, report: null, error: null }

/** Summaries that replace earlier messages in what the model gets. */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('sessions'))
  const { sessions, compression } = app

  app.post('/api/session/compress', {
    config: { scope: 'chat', finishedBytes: true, rateLimit: rates.model },
    schema: {
      summary: 'Summarise the earlier part of a session for the model; no message is removed',
      description: 'Waits for the summary. From the next turn on, the model gets it in place of the earlier messages, which stay ' +
        'in the transcript. `focus_topic` names what to keep in detail. 409 while a turn runs, or `budget_used_up`. 503: the ' +
        'model returned no summary.',
      body: CompressBody,
      response: { 200: CompressAnswer, ...errors(400, 403, 404, 429, 503), ...notCompressed }
    }
  }, async ({ body }, reply) => {
    const summary = await compression.compress(body.session_id, body.focus_topic)
    await sendPieces(
      reply, await sessions.answer(body.session_id, undefined, { ok: true, summary, focus_topic: sessions.shown(body.focus_topic ?? null) })
    )
  })

  app.post('/api/session/compress/start', {
    config: { scope: 'chat', rateLimit: rates.model },
    schema: {
      summary: 'Start summarising a session, without waiting for the result',
      description: 'Returns at once. Poll `GET /api/session/compress/status` for the result. 409 while a turn runs, or `budget_used_up`.',
      body: CompressBody,
      response: { 200: CompressionStatus, ...errors(400, 403, 404, 429), ...notCompressed }
    }
  }, async ({ body }) => stateToWire(body.session_id, compression.start(body.session_id, body.focus_topic)))

  app.get('/api/session/compress/status', {
    config: { scope: 'read' },
    schema: {
      summary: 'Get the state of the last summary that was started',
      description: '`status` is `idle` if none was started since the service started. A finished one has a `summary`, ' +
        'a failed one an `error`.',
      querystring: SessionQuery,
      response: { 200: CompressionStatus, ...errors(400, 403, 404) }
    }
  }, async ({ query }) =>
    stateToWire(query.session_id, app.sessions.isForeign(query.session_id) ? neverStarted : compression.status(query.session_id)))
}
export default plugin

function stateToWire (
  sessionId: string, { status, focusTopic, startedAtS, updatedAtS, report, error }: CompressionState
): Static<typeof CompressionStatus> {
  return {
    ok: status !== 'error', status, session_id: sessionId, focus_topic: focusTopic, started_at: startedAtS, updated_at: updatedAtS,
    summary: report, error
  }
}
