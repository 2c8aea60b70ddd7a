import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { conflicts, errors, SessionBody, SessionQuery } from '../schemas/common.js'
import { AttachAnswer, SessionAnswer } from '../schemas/sessions.js'
import { sendPieces } from './shared/sending.js'

/** Continuing conversations of other front ends in place. */
export const attaching: FastifyPluginAsyncTypebox = async (app) => {
  const { attached, sessions } = app

  app.get('/api/session/attach', {
    config: { scope: 'read' },
    schema: {
      summary: 'Tell whether a session of another front end can be continued in place',
      description: 'For sessions of Claude Code, Codex, Gemini CLI and OpenCode on this machine: whether the agent of the same maker can continue it, so that ' +
        'the terminal finds it again with what was added here. 404 for sessions that begin here.',
      querystring: SessionQuery,
      response: { 200: AttachAnswer, ...errors(400, 403, 404) }
    }
  }, async (request) => {
    const { session_id: id } = request.query
    const { agent, name, isAttached, why } = await attached.attachable(id, request.activeProfile())
    return { session_id: id, attached: isAttached, agent, maker: name, can_attach: !isAttached && why === null, why }
  })

  app.post('/api/session/attach', {
    config: { scope: 'chat', finishedBytes: true },
    schema: {
      summary: 'Continue a session of another front end in place',
      description: 'From then on it is a session like any other, under the same id: its messages go to the agent of the same maker, which ' +
        'writes into the same conversation. The same again answers the same. 409 `not_attachable` with the reason, `terminal_busy` while the ' +
        'other program is at a turn. Deleted here, it stays there.',
      body: SessionBody,
      response: { 200: SessionAnswer, ...errors(400, 403, 404, 413, 503), ...conflicts('not_attachable', 'terminal_busy', 'uncoded') }
    }
  }, async (request, reply) => {
    const { id } = await attached.attach(request.body.session_id, request.activeProfile())
    await sendPieces(reply, await sessions.answer(id))
  })
}
