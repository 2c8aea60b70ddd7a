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
      summary: 'Check whether a session of another front end can be continued in place',
      description: 'For sessions of Claude Code, Codex, Gemini CLI and OpenCode on this machine: whether the agent of the same maker ' +
        'can continue them, so that the terminal program sees what was added here. 404 for sessions that were created here.',
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
      description: 'It becomes a session like any other, with the same id: messages go to the agent of the same maker, which writes to ' +
        'the same conversation. Repeating the request is safe. 409 `not_attachable` with the reason; 409 `terminal_busy` while the ' +
        'other program runs a turn. Deleting the session here does not delete it there. 403: a token without `admin` may only use the ' +
        'folders that `GET /api/workspaces` lists.',
      body: SessionBody,
      response: { 200: SessionAnswer, ...errors(400, 403, 404, 413, 503), ...conflicts('not_attachable', 'terminal_busy', 'uncoded') }
    }
  }, async (request, reply) => {
    const { id } = await attached.attach(
      request.body.session_id, request.activeProfile(), async (folder) => await request.workspaceFolder(folder))
    await sendPieces(reply, await sessions.answer(id))
  })
}
