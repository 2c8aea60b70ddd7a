import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type FastifyReply, type FastifyRequest } from 'fastify'
import { type ApprovalChoice } from '../services/agent/protocol.js'
import { mayUse, readerOf, type Operator } from '../services/areas/auth/index.js'
import { Forbidden, Invalid } from '../services/ground/errors.js'
import { type PromptKind } from '../services/areas/prompts/index.js'
import {
  ApprovalAnswer, approvalFrames, ApprovalPending, ApprovalRespond, ApprovalText, ApprovalTextQuery, ClarifyAnswer, ClarifyPending,
  ClarifyRespond, OpenPrompts, questionFrames, SetYolo, Yolo, YoloSet
} from '../schemas/prompts.js'
import { conflicts, errors, EventStream, SessionQuery } from '../schemas/common.js'

const tags = ['approvals']

const plugin: FastifyPluginAsyncTypebox = async (app) => {
  const { prompts, sessions, chat } = app
  /** Nothing waits in sessions of other front ends, and one may ask. Throws NotFound. */
  const readable = (id: string): string => app.sessions.isForeign(id) ? id : sessions.get(id).id

  app.get('/api/approval/pending', {
    config: { scope: 'read' },
    schema: {
      tags, summary: 'Get the oldest pending approval, and how many there are', querystring: SessionQuery,
      response: { 200: ApprovalPending, ...errors(400, 404) }
    }
  }, async ({ query, operator }) => prompts.pending(readable(query.session_id), 'approval', readerOf(operator)))

  app.get('/api/clarify/pending', {
    config: { scope: 'read' },
    schema: {
      tags, summary: 'Get the oldest pending question, and how many there are', querystring: SessionQuery,
      response: { 200: ClarifyPending, ...errors(400, 404) }
    }
  }, async ({ query, operator }) => prompts.pending(readable(query.session_id), 'clarify', readerOf(operator)))

  const watch = (request: FastifyRequest, reply: FastifyReply, sessionId: string, kind: PromptKind): void =>
    app.eventStreams.send(request, reply, prompts.watch(readable(sessionId), kind, readerOf(request.operator)), { keepalive: 'keepalive' })

  app.get('/api/approval/stream', {
    config: { scope: 'read' },
    exposeHeadRoute: false,
    schema: {
      tags, summary: 'Stream the approvals of a session as they open and close (Server-Sent Events)', querystring: SessionQuery,
      response: { 200: EventStream('ApprovalEvent', approvalFrames), ...errors(400, 404) }
    }
  }, (request, reply) => watch(request, reply, request.query.session_id, 'approval'))

  app.get('/api/clarify/stream', {
    config: { scope: 'read' },
    exposeHeadRoute: false,
    schema: {
      tags, summary: 'Stream the questions of a session as they open and close (Server-Sent Events)', querystring: SessionQuery,
      response: { 200: EventStream('QuestionEvent', questionFrames), ...errors(400, 404) }
    }
  }, (request, reply) => watch(request, reply, request.query.session_id, 'clarify'))

  app.get('/api/prompts', {
    config: { scope: 'read' },
    schema: { tags, summary: 'List everything that waits for an answer, of all sessions', response: { 200: OpenPrompts } }
  }, async ({ operator }) => {
    const open = prompts.allOpen(readerOf(operator))
    const approvals = open.filter((prompt) => prompt.type === 'approval').length
    return { prompts: open, approval_count: approvals, clarify_count: open.length - approvals }
  })

  app.get('/api/approval/text', {
    config: { scope: 'approve', otherProfiles: 'open' },
    schema: {
      tags, summary: 'Get the next part of a long text of a pending approval', querystring: ApprovalTextQuery,
      response: { 200: ApprovalText, ...errors(400, 404) }
    }
  }, async ({ query: { session_id: id, approval_id: approvalId, field, at } }) =>
    prompts.page(sessions.get(id).id, approvalId, field, Number(at)))

  app.post('/api/approval/respond', {
    // What waits is shown over all profiles.
    config: { scope: 'approve', otherProfiles: 'open' },
    schema: {
      tags, summary: 'Answer an approval', body: ApprovalRespond,
      response: { 200: ApprovalAnswer, ...errors(400, 404, 502), ...conflicts('gateway_run_unavailable', 'uncoded') }
    }
  }, async ({ body, operator }) => {
    const { id } = sessions.get(body.session_id)
    assertNotForGood(body, operator)
    const answer = await prompts.answerApproval(id, body.choice as ApprovalChoice, body.approval_id, () => chat.liveRuns(id))
    if (answer.outcome === 'other_pending') return { ok: false, choice: body.choice }
    return { ok: true, choice: body.choice, ...(answer.outcome === 'stale' ? { stale_cleared: true } : relayedTo(answer)) }
  })

  app.post('/api/clarify/respond', {
    config: { scope: 'approve', bodyHalves: 'mended', otherProfiles: 'open' },
    schema: {
      tags, summary: 'Answer a question', body: ClarifyRespond,
      response: { 200: ClarifyAnswer, ...errors(400, 404, 502), ...conflicts('gateway_run_unavailable', 'uncoded') }
    }
  }, async ({ body }) => {
    sessions.get(body.session_id)
    const response = body.decline === true ? null : body.response ?? body.answer ?? body.choice
    if (response === undefined) throw new Invalid('Missing required field(s): response')
    const answer = await prompts.answerQuestion(body.session_id, response, body.clarify_id)
    return { ok: true, response: response ?? '', ...relayedTo(answer) }
  })

  app.get('/api/session/yolo', {
    config: { scope: 'read' },
    schema: {
      tags, summary: 'Get whether a session runs everything without asking', querystring: SessionQuery,
      response: { 200: Yolo, ...errors(400, 404) }
    }
  }, async ({ query }) => ({ yolo_enabled: prompts.yolo.isOn(readable(query.session_id)) }))

  app.post('/api/session/yolo', {
    config: { scope: 'admin' },
    schema: {
      tags, summary: 'Let a session run everything without asking, until the service restarts', body: SetYolo,
      response: { 200: YoloSet, ...errors(400, 404, 502), ...conflicts('gateway_run_unavailable') }
    }
  }, async ({ body }) => {
    const { id } = sessions.get(body.session_id)
    const enabled = body.enabled ?? true
    await prompts.yolo.set(id, enabled, chat.liveRuns(id))
    return { ok: true, yolo_enabled: enabled }
  })
}
export default plugin

/** Said only where another machine has the run. */
const relayedTo = ({ relayed }: { relayed?: true }): { relayed?: true } => relayed === true ? { relayed } : {}

/** What outlasts a token is no matter of one that may approve: it would go on being allowed when that is revoked. Throws Forbidden. */
function assertNotForGood ({ choice }: { choice: string }, operator: Operator | null): void {
  if (choice !== 'always' || mayUse(operator, 'admin')) return
  throw new Forbidden(
    'This token may allow something once or for this conversation. To allow it always takes the scope admin', 'scope_too_narrow',
    { scope: operator?.scope, needed_scope: 'admin' }
  )
}
