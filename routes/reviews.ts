import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type, type Static } from '@sinclair/typebox'
import { bodyLimits } from '../plugins/ground/bodies.js'
import { readerOf } from '../services/areas/auth/index.js'
import { type CommentInput } from '../services/areas/reviews/index.js'
import { Queued, Started } from '../schemas/chat.js'
import { conflicts, errors, SessionQuery } from '../schemas/common.js'
import { Review, ReviewsBody, SendReviewBody } from '../schemas/reviews.js'
import { sender } from './shared/start-or-queue.js'
import { tagged } from './shared/tagged.js'

const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('reviews'))
  const { idempotency, reviews } = app
  const send = sender(app)

  app.get('/api/session/reviews', {
    config: { scope: 'read' },
    schema: {
      summary: 'Get the comments on the changes of a session',
      description: 'Includes drafts, on every device. `place` is where the lines of a comment are now, `state` the result of ' +
        'the turn that it was sent to. `seen` lists files that were marked as seen and have not changed since. Read-only ' +
        'sessions can have comments, too.',
      querystring: SessionQuery, response: { 200: Review, ...errors(400, 404, 502, 503) }
    }
  }, async ({ query: { session_id: id }, operator }) => await reviews.read(id, { typed: readerOf(operator).mayType }))

  app.post('/api/session/reviews', {
    config: { scope: 'chat', bodyHalves: 'mended' },
    bodyLimit: bodyLimits.text,
    schema: {
      summary: 'Add, change or remove comments on the changes of a session',
      description: 'Other comments are not changed. Send the `version` of what you change: 409 `review_changed` if someone else was ' +
        'faster. 409 `review_full` above 200 comments. `seen` marks files as seen. Every client of the session gets the frame ' +
        '`reviews_changed`; the answer has the new review.',
      body: ReviewsBody,
      response: {
        200: Review, ...errors(400, 403, 404, 502, 503), ...conflicts('client_id_reused', 'review_changed', 'review_full')
      }
    }
  }, async ({ body }) => {
    const { client_id: clientId, ...asked } = body
    const { session_id: session } = asked
    await idempotency.once<{ ids: string[] }>({ of: { session }, clientId, operation: 'session/reviews', asked }, async (keep) => ({
      ids: await reviews.change({
        sessionId: session,
        comments: (asked.comments ?? []).map(inputOf),
        remove: (asked.remove ?? []).map(({ id, version }) => ({ id, version: version ?? undefined })),
        seen: asked.seen ?? []
      }, (ids) => keep({ ids }))
    }))
    return await reviews.read(session, { typed: true })
  })

  app.post('/api/session/reviews/send', {
    config: { scope: 'chat', bodyHalves: 'mended' },
    schema: {
      summary: 'Send comments to the agent, as one message',
      description: 'Every draft, or those of `ids`, each with its file, lines and id, in one turn. The answer and `if_busy` are ' +
        'as in `POST /api/chat/start`. After the turn, `state` of each comment has the result. 409 `review_changed`: one of ' +
        'them was changed meanwhile.',
      body: SendReviewBody,
      response: {
        200: Type.Union([Started, Queued]), ...errors(400, 403, 404, 502, 503),
        ...conflicts('client_id_reused', 'queue_full', 'review_changed', 'worktree_leaving', 'uncoded')
      }
    }
  }, async ({ body }) => {
    const { client_id: clientId, ...asked } = body
    const { session_id: sessionId } = asked
    return await idempotency.once<Static<typeof Started> | Static<typeof Queued>>({
      of: { session: sessionId }, clientId, operation: 'session/reviews/send', asked
    }, async (keep) => {
      const { message, accepted } = await reviews.compose(sessionId, { ids: asked.ids ?? undefined, note: asked.note ?? undefined })
      return await send({
        sessionId, message, source: 'review', model: asked.model, modelProvider: asked.model_provider,
        explicitModelPick: asked.explicit_model_pick ?? false, attachments: []
      }, asked.if_busy, (sent) => {
        accepted()
        keep(sent)
      })
    })
  })
}
export default plugin

type CommentBody = NonNullable<Static<typeof ReviewsBody>['comments']>[number]

function inputOf (given: CommentBody): CommentInput {
  const { id, path, side, line, end_line: endLine, quote, before, after, text, state, version } = given
  return {
    id: id ?? undefined, path: path ?? undefined, side: side ?? undefined, line: line ?? undefined, endLine: endLine ?? undefined,
    lines: quote ?? undefined, before: before ?? undefined, after: after ?? undefined, text: text ?? undefined, state: state ?? undefined,
    version: version ?? undefined
  }
}
