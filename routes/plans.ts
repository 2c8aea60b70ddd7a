import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static } from '@sinclair/typebox'
import { bodyLimits } from '../plugins/ground/bodies.js'
import { readerOf } from '../services/areas/auth/index.js'
import { conflicts, errors, startConflicts } from '../schemas/common.js'
import { GoBody, Plan, PlanBody, PlanQuery } from '../schemas/plans.js'
import { GoalAnswer } from '../schemas/goals.js'
import { goalAnswerToWire } from './shared/goal-answer.js'
import { tagged } from './shared/tagged.js'

const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('plans'))
  const { idempotency, planning, plans, sessions } = app

  app.get('/api/session/plan', {
    config: { scope: 'read' },
    schema: {
      summary: 'Get the plan of a session',
      description: 'The document that the agent writes in plan mode and a person edits, with its steps. The last 50 versions are ' +
        'stored. 404: unknown session or version.',
      querystring: PlanQuery,
      response: { 200: Plan, ...errors(400, 404) }
    }
  }, async ({ query: { session_id: id, version }, operator }) => await plans.read(id, {
    version: version === undefined ? undefined : Number(version), typed: readerOf(operator).mayType
  }))

  app.post('/api/session/plan', {
    config: { scope: 'chat', bodyHalves: 'mended' },
    bodyLimit: bodyLimits.text,
    schema: {
      summary: 'Edit the plan of a session, or write one',
      description: 'Replaces `version`; 409 `plan_changed` if the agent or another device was faster. The agent learns of the edit with ' +
        'its next turn, and does not overwrite it unread. Every client of the session gets the frame `plan_changed`. To comment on ' +
        'lines of the plan, use `POST /api/session/reviews` with the path `plan:plan.md`.',
      body: PlanBody,
      response: { 200: Plan, ...errors(400, 403, 404), ...conflicts('client_id_reused', 'plan_changed') }
    }
  }, async ({ body: { client_id: clientId, ...asked } }) => {
    const { session_id: session, text, version } = asked
    await idempotency.once<{ version: number }>({ of: { session }, clientId, operation: 'session/plan', asked }, async (keep) => ({
      version: await plans.edit(session, { text, version }, (saved) => keep({ version: saved }))
    }))
    return await plans.read(session, { typed: true })
  })

  app.post('/api/session/plan/go', {
    config: { scope: 'approve', bodyHalves: 'mended' },
    schema: {
      summary: 'Start the plan: leave plan mode, and make the plan the goal',
      description: 'The steps become the to-do list, which the agent ticks off (`todo_state`), and the first turn of the goal starts. ' +
        'The answer is as in `POST /api/goal`. If several devices start it, one succeeds and the others get 409 `plan_started`. 409 ' +
        '`plan_changed`: the plan has another version now. 409 `agent_running` while a turn runs. 400 `no_steps`.',
      body: GoBody,
      response: {
        200: GoalAnswer, ...errors(400, 403, 404, 503),
        ...startConflicts('agent_running', 'client_id_reused', 'plan_changed', 'plan_started')
      }
    }
  }, async ({ body: { client_id: clientId, ...asked } }) => {
    const { session_id: session, version, model, model_provider: modelProvider } = asked
    return await idempotency.once<Static<typeof GoalAnswer>>({ of: { session }, clientId, operation: 'session/plan/go', asked },
      async (keep) => goalAnswerToWire(sessions, await planning.go(session, version, { model, modelProvider }, (answer) =>
        keep(goalAnswerToWire(sessions, answer)))))
  })
}
export default plugin
