import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { conflicts, errors } from '../schemas/common.js'
import { Budgets, BudgetsQuery, ChangeBudgets } from '../schemas/budgets.js'
import { changesOf } from '../services/areas/budgets/index.js'
import { budgetsToWire } from './shared/budgets-answer.js'
import { tagged } from './shared/tagged.js'

const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('budgets'))
  const { profiles, sessions } = app

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
    return id === undefined || id === ''
      ? budgetsToWire(app, request.activeProfile())
      : budgetsToWire(app, sessions.contextOf(id, request.activeProfile()).profile, id)
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
    return budgetsToWire(app, profile)
  })
}
export default plugin
