import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { conflicts, errors, EventStream, SessionQuery } from '../schemas/common.js'
import { ApprovalAnswer, approvalFrames, ApprovalPending, ApprovalRespond, ApprovalText, ApprovalTextQuery } from '../schemas/prompts.js'
import { mayUse, readerOf, type Operator } from '../services/areas/auth/index.js'
import { Forbidden } from '../services/ground/errors.js'
import { knownSession } from './shared/known-session.js'

/** Approvals that turns ask for: showing, following and answering them. */
export const approvals: FastifyPluginAsyncTypebox = async (app) => {
  const { prompts, sessions, chat } = app

  app.get('/api/approval/pending', {
    config: { scope: 'read' },
    schema: {
      summary: 'Get the oldest pending approval, and how many there are',
      description: '`pending` is null if nothing waits. `GET /api/approval/stream` reports changes. Credentials are masked for tokens ' +
        'without the scope `approve`.',
      querystring: SessionQuery,
      response: { 200: ApprovalPending, ...errors(400, 404) }
    }
  }, async ({ query, operator }) => prompts.pending(knownSession(app, query.session_id), 'approval', readerOf(operator)))

  app.get('/api/approval/stream', {
    config: { scope: 'read' },
    exposeHeadRoute: false,
    schema: {
      summary: 'Stream the approvals of a session as they open and close (Server-Sent Events)',
      description: '`initial` first, then `approval` on every change, each with the oldest pending one; `pending: null`: none is left. ' +
        'No cursor: reconnect and use the new `initial`. Answer with `POST /api/approval/respond`.',
      querystring: SessionQuery,
      response: { 200: EventStream('ApprovalEvent', approvalFrames), ...errors(400, 404) }
    }
  }, (request, reply) => app.eventStreams.send(
    request, reply, prompts.watch(knownSession(app, request.query.session_id), 'approval', readerOf(request.operator)), { keepalive: 'keepalive' }
  ))

  app.get('/api/approval/text', {
    config: { scope: 'approve', otherProfiles: 'open' },
    schema: {
      summary: 'Get the next part of a long text of a pending approval',
      description: '`rest` of an approval lists its texts that were cut off, with the position `at` where each continues. `next` is the ' +
        'next `at`; null on the last page. Show the whole text before you offer to allow. 404: the approval is no longer pending.',
      querystring: ApprovalTextQuery,
      response: { 200: ApprovalText, ...errors(400, 404) }
    }
  }, async ({ query: { session_id: id, approval_id: approvalId, field, at } }) =>
    prompts.page(sessions.get(id).id, approvalId, field, Number(at)))

  app.post('/api/approval/respond', {
    // Open approvals are shown across all profiles.
    config: { scope: 'approve', otherProfiles: 'open' },
    schema: {
      summary: 'Answer an approval',
      description: '`once`, `session`, `always` or `deny`; a choice wider than `max_scope` counts as the widest permitted. Send ' +
        '`approval_id`: without it, the oldest is answered. `stale_cleared`: it was answered before. `ok: false`: another one ' +
        'is pending now. 409 `denied_by_rule`, `gateway_run_unavailable` or 502 `gateway_approval_relay_failed`: it is still pending. `always` ' +
        'needs the scope `admin`.',
      body: ApprovalRespond,
      response: { 200: ApprovalAnswer, ...errors(400, 404, 502), ...conflicts('denied_by_rule', 'gateway_run_unavailable', 'uncoded') }
    }
  }, async ({ body, operator }) => {
    const { id } = sessions.get(body.session_id)
    assertNotForGood(body, operator)
    const answer = await prompts.answerApproval(id, body.choice, body.approval_id, () => chat.liveRuns(id))
    if (answer.outcome === 'other_pending') return { ok: false, choice: body.choice }
    const { outcome, ...relayed } = answer
    return { ok: true, choice: body.choice, ...(outcome === 'stale' ? { stale_cleared: true } : relayed) }
  })
}

/** A token with the scope `approve` may not allow something for ever: that would outlast the token when it is revoked. Throws Forbidden. */
function assertNotForGood ({ choice }: { choice: string }, operator: Operator | null): void {
  if (choice !== 'always' || mayUse(operator, 'admin')) return
  throw new Forbidden(
    'This token may allow something once or for this conversation. Allowing it always needs the scope admin', 'scope_too_narrow',
    { scope: operator?.scope, needed_scope: 'admin' }
  )
}
