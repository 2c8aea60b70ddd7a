import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { conflicts, errors, SessionQuery } from '../schemas/common.js'
import { OpenPrompts, SetYolo, Yolo, YoloSet } from '../schemas/prompts.js'
import { readerOf } from '../services/areas/auth/index.js'
import { approvals } from './prompts-approvals.js'
import { questions } from './prompts-questions.js'
import { knownSession } from './shared/known-session.js'
import { tagged } from './shared/tagged.js'

/** Open approvals and questions, and sessions in which permission is not asked for. */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('approvals'))
  const { prompts, sessions, chat } = app
  await app.register(approvals)
  await app.register(questions)

  app.get('/api/prompts', {
    config: { scope: 'read' },
    schema: {
      summary: 'List everything that waits for an answer, in all sessions',
      description: 'Approvals and questions of all profiles, oldest first; each can be answered from any profile. `GET /api/events` ' +
        'reports changes as `prompts` frames.',
      response: { 200: OpenPrompts }
    }
  }, async ({ operator }) => {
    const open = prompts.allOpen(readerOf(operator))
    const approvals = open.filter((prompt) => prompt.type === 'approval').length
    return { prompts: open, approval_count: approvals, clarify_count: open.length - approvals }
  })

  app.get('/api/session/yolo', {
    config: { scope: 'read' },
    schema: {
      summary: 'Check whether a session runs everything without asking',
      description: 'Off after every restart of the service.',
      querystring: SessionQuery,
      response: { 200: Yolo, ...errors(400, 404) }
    }
  }, async ({ query }) => ({ yolo_enabled: prompts.yolo.isOn(knownSession(app, query.session_id)) }))

  app.post('/api/session/yolo', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Let a session run everything without asking, until the service restarts',
      description: 'Turning it on also allows pending calls. Some calls are still refused. 409 `gateway_run_unavailable` or 502: the ' +
        'running turn could not be notified.',
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
