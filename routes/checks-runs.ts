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
      description: 'Problems were read from the output; one whose `path` is a file of the workspace can be opened there. While it runs, ' +
        '`output` is what there is so far. Credentials are masked.',
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
      summary: 'Run checks, confined as the agent\'s commands are',
      description: 'On the machine of the folder, one after the other in a folder; one that runs already is not begun twice. Without a sandbox this needs the scope ' +
        '`approve`. 409 `check_changed`: the file has it run something else than a person has seen; without `check_ids` such a check is ' +
        'left out.',
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
      summary: 'Stop checks that run or wait', description: 'Answers when they have ended, with all that they have started.',
      body: CancelChecks, response: { 200: CancelledChecks, ...errors(400, 403, 404) }
    }
  }, async ({ body: { session_id: sessionId, run_ids: ids } }) => ({
    ok: true as const, cancelled: await checks.cancel(sessionId, ids ?? null)
  }))
}
export default plugin
