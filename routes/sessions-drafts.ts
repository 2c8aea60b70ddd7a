import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { bodyLimits } from '../plugins/ground/bodies.js'
import { errors, SessionQuery } from '../schemas/common.js'
import { DraftAnswer, DraftBody } from '../schemas/sessions.js'

/** The text in the composer of a session, shared by all devices. */
export const drafts: FastifyPluginAsyncTypebox = async (app) => {
  const { sessions } = app

  app.get('/api/session/draft', {
    config: { scope: 'read' },
    schema: {
      summary: 'Get the draft of a session',
      description: 'The unsent text and files of the composer, shared by all devices. Empty if nothing was saved.',
      querystring: SessionQuery,
      response: { 200: DraftAnswer, ...errors(400, 403, 404) }
    }
  }, async ({ query: { session_id: id } }) => ({ ok: true, draft: sessions.isForeign(id) ? { text: '', files: [] } : sessions.draft(id) }))

  app.post('/api/session/draft', {
    config: { scope: 'chat', bodyHalves: 'mended' },
    bodyLimit: bodyLimits.text,
    schema: {
      summary: 'Save the draft of a session',
      description: 'Replaces text and files; an omitted field becomes empty. Drafts are returned as typed, without masks.',
      body: DraftBody,
      response: { 200: DraftAnswer, ...errors(400, 403, 404) }
    }
  }, async ({
    body
  }) => ({ ok: true, draft: await sessions.setDraft(body.session_id, { text: body.text ?? '', files: body.files ?? [] }) }))
}
