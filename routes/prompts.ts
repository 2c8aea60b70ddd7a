import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type FastifyReply, type FastifyRequest } from 'fastify'
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
      tags,
      summary: 'Get the oldest pending approval, and how many there are',
      description: '`pending` is null when nothing waits. `GET /api/approval/stream` says when that changes. Tokens without the scope ' +
        '`approve` see texts with credentials masked.',
      querystring: SessionQuery,
      response: { 200: ApprovalPending, ...errors(400, 404) }
    }
  }, async ({ query, operator }) => prompts.pending(readable(query.session_id), 'approval', readerOf(operator)))

  app.get('/api/clarify/pending', {
    config: { scope: 'read' },
    schema: {
      tags,
      summary: 'Get the oldest pending question, and how many there are',
      description: '`pending` is null when nothing waits. `GET /api/clarify/stream` says when that changes.',
      querystring: SessionQuery,
      response: { 200: ClarifyPending, ...errors(400, 404) }
    }
  }, async ({ query, operator }) => prompts.pending(readable(query.session_id), 'clarify', readerOf(operator)))

  const watch = (request: FastifyRequest, reply: FastifyReply, sessionId: string, kind: PromptKind): void =>
    app.eventStreams.send(request, reply, prompts.watch(readable(sessionId), kind, readerOf(request.operator)), { keepalive: 'keepalive' })

  app.get('/api/approval/stream', {
    config: { scope: 'read' },
    exposeHeadRoute: false,
    schema: {
      tags,
      summary: 'Stream the approvals of a session as they open and close (Server-Sent Events)',
      description: '`initial` first, then `approval` on every change, each with the oldest one that waits; `pending: null` when none is ' +
        'left. No cursor: reconnect and use the new `initial`. Answer with `POST /api/approval/respond`.',
      querystring: SessionQuery,
      response: { 200: EventStream('ApprovalEvent', approvalFrames), ...errors(400, 404) }
    }
  }, (request, reply) => watch(request, reply, request.query.session_id, 'approval'))

  app.get('/api/clarify/stream', {
    config: { scope: 'read' },
    exposeHeadRoute: false,
    schema: {
      tags,
      summary: 'Stream the questions of a session as they open and close (Server-Sent Events)',
      description: '`initial` first, then `clarify` on every change, each with the oldest one that waits; `pending: null` when none is ' +
        'left. No cursor: reconnect and use the new `initial`. Answer with `POST /api/clarify/respond`.',
      querystring: SessionQuery,
      response: { 200: EventStream('QuestionEvent', questionFrames), ...errors(400, 404) }
    }
  }, (request, reply) => watch(request, reply, request.query.session_id, 'clarify'))

  app.get('/api/prompts', {
    config: { scope: 'read' },
    schema: {
      tags,
      summary: 'List everything that waits for an answer, of all sessions',
      description: 'Approvals and questions of all profiles, oldest first; each can be answered from any profile. `GET /api/events` ' +
        'reports changes as `prompts` frames.',
      response: { 200: OpenPrompts }
    }
  }, async ({ operator }) => {
    const open = prompts.allOpen(readerOf(operator))
    const approvals = open.filter((prompt) => prompt.type === 'approval').length
    return { prompts: open, approval_count: approvals, clarify_count: open.length - approvals }
  })

  app.get('/api/approval/text', {
    config: { scope: 'approve', otherProfiles: 'open' },
    schema: {
      tags,
      summary: 'Get the next part of a long text of a pending approval',
      description: 'An approval lists in `rest` which of its texts continue, and `at` where. `next` is the next `at`; null on the last ' +
        'page. Show all of it before offering to allow. 404: the approval no longer waits.',
      querystring: ApprovalTextQuery,
      response: { 200: ApprovalText, ...errors(400, 404) }
    }
  }, async ({ query: { session_id: id, approval_id: approvalId, field, at } }) =>
    prompts.page(sessions.get(id).id, approvalId, field, Number(at)))

  app.post('/api/approval/respond', {
    // What waits is shown over all profiles.
    config: { scope: 'approve', otherProfiles: 'open' },
    schema: {
      tags,
      summary: 'Answer an approval',
      description: '`once`, `session`, `always` or `deny`; a choice wider than `max_scope` counts as the widest permitted. Send ' +
        '`approval_id`: without it, the oldest is meant. `stale_cleared`: it was answered before. `ok: false`: another one waits now. ' +
        '409 `gateway_run_unavailable` or 502 `gateway_approval_relay_failed`: it still waits. `always` takes the scope `admin`.',
      body: ApprovalRespond,
      response: { 200: ApprovalAnswer, ...errors(400, 404, 502), ...conflicts('gateway_run_unavailable', 'uncoded') }
    }
  }, async ({ body, operator }) => {
    const { id } = sessions.get(body.session_id)
    assertNotForGood(body, operator)
    const answer = await prompts.answerApproval(id, body.choice, body.approval_id, () => chat.liveRuns(id))
    if (answer.outcome === 'other_pending') return { ok: false, choice: body.choice }
    return { ok: true, choice: body.choice, ...(answer.outcome === 'stale' ? { stale_cleared: true } : relayedTo(answer)) }
  })

  app.post('/api/clarify/respond', {
    config: { scope: 'approve', bodyHalves: 'mended', otherProfiles: 'open' },
    schema: {
      tags,
      summary: 'Answer a question',
      description: '`response` is a text, or the values of a form by name; `decline: true` declines a form. 400 names the first invalid ' +
        'field, and the question stays open. 409 with `stale: true`: it is gone or answered. 409 `gateway_run_unavailable` or 502 ' +
        '`gateway_approval_relay_failed`: it still waits.',
      body: ClarifyRespond,
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
      tags,
      summary: 'Get whether a session runs everything without asking',
      description: 'False after a restart of the service.',
      querystring: SessionQuery,
      response: { 200: Yolo, ...errors(400, 404) }
    }
  }, async ({ query }) => ({ yolo_enabled: prompts.yolo.isOn(readable(query.session_id)) }))

  app.post('/api/session/yolo', {
    config: { scope: 'admin' },
    schema: {
      tags,
      summary: 'Let a session run everything without asking, until the service restarts',
      description: 'Turning it on also allows what is waiting. Some calls are refused even so. 409 `gateway_run_unavailable` or 502: ' +
        'the running turn could not be told.',
      body: SetYolo,
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
