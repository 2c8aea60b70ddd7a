import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { mayUse, readerOf } from '../services/areas/auth/index.js'
import { CancelChecks, CancelledChecks, CheckRunDetail, CheckRunQuery, CheckRunsBegun, RunChecks } from '../schemas/checks.js'
import { conflicts, errors } from '../schemas/common.js'
import { tagged } from './shared/tagged.js'

/** Runs of a project's own checks: reading, starting and stopping them. */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  const { checks, sessions } = app
  app.addHook('onRoute', tagged('checks'))

  app.get('/api/checks/run', {
    config: { scope: 'read' },
    schema: {
      summary: 'Get a run of a check: its problems and its output',
      description: 'Problems are parsed from the output; those with a `path` can be opened in the workspace. While the check runs, ' +
        '`output` is the output so far. Credentials are masked.',
      querystring: CheckRunQuery,
      response: { 200: CheckRunDetail, ...errors(400, 404) }
    }
  }, async (request) => {
    const answer = await checks.run(request.query.run_id, request.activeProfile())
    return readerOf(request.operator).mayType ? answer : sessions.shown(answer)
  })

  app.post('/api/checks/run', {
    config: { scope: 'chat' },
    schema: {
      summary: 'Run checks, confined like commands of the agent',
      description: 'Checks run on the machine of the folder, one at a time; a check that already runs is not started again. Without a ' +
        'sandbox this needs the scope `approve`. 409 `check_changed`: the file that defines the check has changed since a person saw ' +
        'it; without `check_ids`, such checks are skipped.',
      body: RunChecks,
      response: { 200: CheckRunsBegun, ...errors(400, 403, 404, 429, 503), ...conflicts('check_changed') }
    }
  }, async ({ body: { session_id: sessionId, check_ids: ids }, operator }) => {
    const runs = await checks.begin(sessionId, ids ?? null, { mayRunFree: () => mayUse(operator, 'approve') })
    return { runs: readerOf(operator).mayType ? runs : sessions.shown(runs) }
  })

  app.post('/api/checks/cancel', {
    config: { scope: 'chat' },
    schema: {
      summary: 'Stop running and waiting checks', description: 'Returns once they, and every process that they started, have ended.',
      body: CancelChecks, response: { 200: CancelledChecks, ...errors(400, 403, 404) }
    }
  }, async ({ body: { session_id: sessionId, run_ids: ids } }) => ({
    ok: true as const, cancelled: await checks.cancel(sessionId, ids ?? null)
  }))
}
export default plugin
