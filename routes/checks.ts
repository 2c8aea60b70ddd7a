import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type, type Static } from '@sinclair/typebox'
import { readerOf } from '../services/areas/auth/index.js'
import { Checks, ChecksQuery, DeleteCheck, SaveCheck, SavedCheck, SendChecks } from '../schemas/checks.js'
import { Queued, Started } from '../schemas/chat.js'
import { conflicts, errors, Ok } from '../schemas/common.js'
import { sender } from './shared/start-or-queue.js'
import { tagged } from './shared/tagged.js'

/** The project's own checks: listing and saving them, and sending their results to the agent. */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  const { checks, idempotency, sessions } = app
  const send = sender(app)
  app.addHook('onRoute', tagged('checks'))

  app.get('/api/checks', {
    config: { scope: 'read' },
    schema: {
      summary: 'Get the checks of a session\'s folder, proposals from its files, and the last runs',
      description: 'Worktrees have the checks of the folder that they were made from. Proposals come from `package.json`, a Makefile, ' +
        '`pyproject.toml`, `Cargo.toml`, `go.mod` and `deno.json`. The frame `checks_changed` of `GET /api/events` reports changes.',
      querystring: ChecksQuery,
      response: { 200: Checks, ...errors(400, 403, 404) }
    }
  }, async ({ query: { session_id: id }, operator }) => {
    const answer = await checks.list(id)
    return readerOf(operator).mayType ? answer : sessions.shown(answer)
  })

  app.post('/api/checks/save', {
    config: { scope: 'approve' },
    schema: {
      summary: 'Save a new check, or change one',
      description: 'A new check with the command of an existing one changes that one. For a command that a file of the folder defines, ' +
        'send its `script` as you were shown it; 409 `check_changed` if the file has changed since. 409 `checks_full` above 20.',
      body: SaveCheck,
      response: { 200: SavedCheck, ...errors(400, 403, 404, 429, 503), ...conflicts('check_changed', 'checks_full') }
    }
  }, async ({ body }) => ({
    check: await checks.save(body.session_id, {
      id: body.id ?? null, name: body.name, kind: body.kind ?? null, command: body.command, script: body.script ?? null,
      afterTurn: body.after_turn ?? null, autoSend: body.auto_send ?? null, seconds: body.seconds ?? null
    })
  }))

  app.post('/api/checks/delete', {
    config: { scope: 'approve' },
    schema: {
      summary: 'Delete a check', description: 'Deletes its runs, too; a running check is stopped.',
      body: DeleteCheck, response: { 200: Ok, ...errors(400, 403, 404) }
    }
  }, async ({ body: { session_id: sessionId, id } }) => {
    await checks.remove(sessionId, id)
    return { ok: true }
  })

  app.post('/api/checks/send', {
    config: { scope: 'chat', bodyHalves: 'mended' },
    schema: {
      summary: 'Send the results of checks to the agent, as one message',
      description: 'Each problem with its file, line and text, and the end of the output. The answer and `if_busy` are as ' +
        'in `POST /api/chat/start`.',
      body: SendChecks,
      response: {
        200: Type.Union([Started, Queued]), ...errors(400, 403, 404, 503), ...conflicts('client_id_reused', 'queue_full', 'worktree_leaving', 'uncoded')
      }
    }
  }, async ({ body }) => {
    const { client_id: clientId, ...asked } = body
    const { session_id: sessionId } = asked
    return await idempotency.once<Static<typeof Started> | Static<typeof Queued>>({
      of: { session: sessionId }, clientId, operation: 'checks/send', asked
    }, async (keep) => {
      const { message, accepted } = checks.compose(sessionId, {
        ids: asked.run_ids ?? null, problems: asked.problems ?? null, note: asked.note ?? ''
      })
      return await send({
        sessionId, message, source: 'checks', model: asked.model, modelProvider: asked.model_provider,
        explicitModelPick: asked.explicit_model_pick ?? false, attachments: []
      }, asked.if_busy, (sent) => {
        accepted()
        keep(sent)
      })
    })
  })
}
export default plugin
