import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static } from '@sinclair/typebox'
import { type FastifyRequest } from 'fastify'
import { bodyLimits } from '../plugins/ground/bodies.js'
import { readerOf } from '../services/areas/auth/index.js'
import { type TurnWishes } from '../services/areas/chat/index.js'
import { type EntryRef } from '../services/areas/queue/index.js'
import { Invalid } from '../services/ground/errors.js'
import { errors, SessionQuery, startConflicts } from '../schemas/common.js'
import { Queue, QueueAnswer, QueueBody } from '../schemas/queue.js'
import { attachmentsOf } from './shared/attachments.js'
import { tagged } from './shared/tagged.js'

/** What an operation answers besides the queue. */
type Done = Pick<Static<typeof QueueAnswer>, 'id' | 'sent'>
type QueueRequest = Omit<Static<typeof QueueBody>, 'client_id'>

const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('chat'))
  const { idempotency, personalities, queue } = app

  const wishesOf = ({ session_id: sessionId, effort, personality }: QueueRequest): TurnWishes => ({
    effort: effort ?? undefined, personality: personality == null ? undefined : personalities.named(sessionId, personality)
  })

  async function act (body: QueueRequest, request: FastifyRequest, keep: (done: Done) => void): Promise<Done> {
    const { session_id: sessionId, action, index, version } = body
    const accepted = (): void => keep({})
    switch (action) {
      case 'add': {
        const { id } = await queue.add({
          sessionId,
          message: body.message ?? '',
          attachments: attachmentsOf(body.attachments ?? []),
          workspace: body.workspace == null ? undefined : await request.workspaceFolder(body.workspace, sessionId),
          model: body.model ?? undefined,
          modelProvider: body.model_provider ?? undefined,
          explicitModelPick: body.explicit_model_pick ?? false,
          ...wishesOf(body),
          index: index ?? undefined,
          notBefore: body.not_before ?? undefined,
          held: body.held ?? undefined
        }, ({ id }) => keep({ id }))
        return { id }
      }
      case 'edit':
        await queue.edit(refOf(body), {
          message: body.message ?? undefined,
          attachments: body.attachments == null ? undefined : attachmentsOf(body.attachments),
          model: body.model ?? undefined,
          modelProvider: body.model_provider ?? undefined,
          explicitModelPick: body.explicit_model_pick ?? undefined,
          workspace: body.workspace == null ? undefined : await request.workspaceFolder(body.workspace, sessionId),
          notBefore: body.not_before ?? undefined,
          ...wishesOf(body)
        }, accepted)
        return {}
      case 'move': {
        if (index == null) throw new Invalid('index is required')
        await queue.move(refOf(body), index, accepted)
        return {}
      }
      case 'remove':
        await queue.remove(refOf(body), accepted)
        return {}
      case 'send_now':
        return { sent: await queue.sendNow(refOf(body), (sent) => keep({ sent })) }
      case 'resume':
        await queue.resume(sessionId, accepted)
        return {}
      case 'clear':
        await queue.clear(sessionId, version ?? undefined, accepted)
        return {}
    }
  }

  app.get('/api/session/queue', {
    config: { scope: 'read' },
    schema: {
      summary: 'Get the queued messages of a session',
      description: 'The next one first, each with the `version` to send with a change. `held` says why the queue has stopped: the ' +
        'action `resume` or an empty queue ends that, and `waiting` ends with the answer of a person. A read-only session has no queue.',
      querystring: SessionQuery, response: { 200: Queue, ...errors(400, 404) }
    }
  }, async ({ query: { session_id: id }, operator }) => await queue.read(id, { typed: readerOf(operator).mayType }))

  app.post('/api/session/queue', {
    config: { scope: 'chat', bodyHalves: 'mended' },
    bodyLimit: bodyLimits.text,
    schema: {
      summary: 'Add, edit, reorder or remove queued messages of a session, or resume its queue',
      description: 'Each message starts once, when the turn before it has ended, even if no client is connected. Send the `version` of ' +
        'what you change: 409 `queue_changed` if someone else was faster. 409 `queue_full` above 100 messages or 4 MiB. The answer has ' +
        'the new queue; every client of the session gets the frame `queue_changed`.',
      body: QueueBody,
      response: {
        200: QueueAnswer, ...errors(400, 403, 404, 503), ...startConflicts('client_id_reused', 'queue_changed', 'queue_full')
      }
    }
  }, async (request) => {
    const { client_id: clientId, ...asked } = request.body
    const { session_id: session } = asked
    const done = await idempotency.once<Done>({ of: { session }, clientId, operation: 'session/queue', asked },
      async (keep) => await act(asked, request, keep))
    return { ok: true as const, ...done, ...await queue.read(session, { typed: true }) }
  })
}
export default plugin

/** Returns the message that a request names. Throws Invalid when it names none. */
function refOf ({ session_id: sessionId, id, version }: QueueRequest): EntryRef {
  if (id == null || id === '') throw new Invalid('id is required')
  return { sessionId, id, version: version ?? undefined }
}
