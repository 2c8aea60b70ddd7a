import { type FastifyPluginAsyncTypebox, type Static } from '@fastify/type-provider-typebox'
import { conflicts, errors } from '../schemas/common.js'
import { Budgets, BudgetsQuery, ChangeBudgets } from '../schemas/budgets.js'
import { changesOf, type BudgetState, type Limits } from '../services/areas/budgets/index.js'
import { tagged } from './shared/tagged.js'
import { present } from '../services/ground/present.js'

const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('budgets'))
  const { budgets, chat, profiles, sessions } = app

  app.get('/api/budgets', {
    config: { scope: 'read' },
    schema: {
      summary: 'Get the budgets of turns, sessions, attempts, jobs and days, and their usage',
      description: 'With `session_id`, includes the usage of the session and its running turn. `problems` lists limits of config.yaml ' +
        'that are invalid and ignored.',
      querystring: BudgetsQuery,
      response: { 200: Budgets, ...errors(400, 404) }
    }
  }, async (request) => {
    const { session_id: id } = request.query
    return id === undefined || id === '' ? view(request.activeProfile()) : view(sessions.contextOf(id, request.activeProfile()).profile, id)
  })

  app.post('/api/budgets', {
    config: { scope: 'admin', bodyNulls: 'kept' },
    schema: {
      summary: 'Set or remove budget limits',
      description: 'A number sets a limit, null removes it; null for `turn`, `session`, `attempts`, `job` or `day` removes all ' +
        'of its limits. Limits that are not named stay. A turn that reaches a hard limit asks for an approval. 400 names the ' +
        'key. 409 `config_broken`.',
      body: ChangeBudgets,
      response: { 200: Budgets, ...errors(400), ...conflicts('config_broken') }
    }
  }, async (request) => {
    const profile = request.activeProfile()
    const changes = changesOf(request.body)
    if (changes.length > 0) {
      await profiles.configure(profile, (config) => {
        for (const { path, value } of changes) {
          if (value === null) config.delete(path)
          else config.set(path, value)
        }
      })
    }
    return view(profile)
  })

  function view (profile: string, sessionId?: string): Static<typeof Budgets> {
    const { limits, problems } = budgets.rules(profile)
    const turn = sessionId === undefined ? undefined : chat.liveAccount(sessionId)?.turn
    const state = budgets.state({
      profile, ...(sessionId === undefined ? {} : { session: sessionId }), ...(turn === undefined ? {} : { turn })
    })
    const { date, endS } = budgets.today()
    return {
      profile,
      limits: {
        turn: limitsToWire(limits.turn), session: limitsToWire(limits.session), attempts: limitsToWire(limits.attempts),
        job: limitsToWire(limits.job), day: limitsToWire(limits.day)
      },
      problems,
      day: useToWire(present(state.day, 'the budget of the day')),
      date,
      resets_at: endS,
      session: state.session === undefined ? null : useToWire(state.session),
      turn: state.turn === undefined ? null : useToWire(state.turn)
    }
  }
}
export default plugin

function limitsToWire (limits: Limits): Static<typeof Budgets>['limits']['day'] {
  const none = { soft_usd: null, hard_usd: null, soft_tokens: null, hard_tokens: null }
  return { ...none, ...limits }
}

function useToWire ({ tokens, usd, unpriced, allowed, lifted }: BudgetState): Static<typeof Budgets>['day'] {
  return { tokens, usd, unpriced_model: unpriced, allowed_usd: allowed.usd, allowed_tokens: allowed.tokens, lifted }
}
