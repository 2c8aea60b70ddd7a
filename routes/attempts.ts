import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static } from '@sinclair/typebox'
import { type FastifyRequest } from 'fastify'
import { bodyLimits } from '../plugins/ground/bodies.js'
import { mayUse, readerOf } from '../services/areas/auth/index.js'
import { type BegunAttempts, type NewAttempts } from '../services/areas/attempts/index.js'
import { Forbidden } from '../services/ground/errors.js'
import {
  AttemptDiff, AttemptDiffQuery, type AttemptModel, Attempts, AttemptsBegun, AttemptsList, AttemptsQuery, AttemptsRef, BeginAttempts,
  RemoveAttempts, RemovedAttempts, TakeAttempt, TakenAttempt
} from '../schemas/attempts.js'
import { conflicts, errors, Ok } from '../schemas/common.js'
import { tagged } from './shared/tagged.js'

const usualCheckSeconds = 300
const taking = {
  ...errors(400, 403, 404, 413, 503),
  ...conflicts('active_stream', 'attempt_conflict', 'attempts_changed', 'client_id_reused', 'conflict', 'operation_in_progress')
}

/** Attempts at the same task: comparing, starting and adopting them. */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('attempts'))
  await app.register(reading)
  await app.register(beginning)
  await app.register(ending)
}
export default plugin

const reading: FastifyPluginAsyncTypebox = async (app) => {
  const { attempts, sessions } = app

  app.get('/api/attempts', {
    config: { scope: 'read' },
    schema: {
      summary: 'Get attempts at a task: state, checks, differences, cost and verdict',
      description: 'The frame `attempts_changed` of `GET /api/events` reports changes. 404: unknown, or of another profile.',
      querystring: AttemptsQuery,
      response: { 200: Attempts, ...errors(400, 404) }
    }
  }, async (request) => {
    const answer = attempts.get(request.query.attempts_id, request.activeProfile())
    const shown = sessions.shown(answer)
    return readerOf(request.operator).mayType ? { ...shown, message: answer.message, check: answer.check } : shown
  })

  app.get('/api/attempts/list', {
    config: { scope: 'read' },
    schema: {
      summary: 'List the attempts of the profile', description: 'The last 100, newest first.', response: { 200: AttemptsList }
    }
  }, async (request) => {
    const answer = { attempts: attempts.list(request.activeProfile()) }
    return readerOf(request.operator).mayType ? answer : sessions.shown(answer)
  })

  app.get('/api/attempts/diff', {
    config: { scope: 'read', showsFiles: true },
    schema: {
      summary: 'Get the changes of an attempt',
      description: 'The files that differ from the starting point, and with `path` the diff of that file. 409 `attempts_changed`: its ' +
        'worktree was removed. 413: the diff is larger than 512 KiB.',
      querystring: AttemptDiffQuery,
      response: { 200: AttemptDiff, ...errors(400, 403, 404, 413, 503), ...conflicts('attempts_changed', 'conflict', 'operation_in_progress') }
    }
  }, async (request) => {
    const { attempts_id: id, session_id: sessionId, path } = request.query
    return await attempts.diff(id, request.activeProfile(), { sessionId, path: path === undefined || path === '' ? null : path })
  })
}

const beginning: FastifyPluginAsyncTypebox = async (app) => {
  const { attempts, idempotency, sessions, workspace } = app

  app.post('/api/attempts', {
    config: { scope: 'chat', bodyHalves: 'mended' },
    bodyLimit: bodyLimits.text,
    schema: {
      summary: 'Start several attempts at a task, each in its own git worktree and session',
      description: 'At most 8. The folder must be in a git repository with a commit; uncommitted changes are copied, ignored files are ' +
        'not. All attempts share one budget, and stop when it is used up. `check` runs in each result, confined like commands of the ' +
        'agent; it needs the scope `approve`. 400 `not_a_repo` or `no_commits`, or a model that cannot be used.',
      body: BeginAttempts,
      response: {
        200: AttemptsBegun, ...errors(400, 403, 404, 413, 503),
        ...conflicts('client_id_reused', 'conflict', 'dirty_worktree', 'operation_in_progress')
      }
    }
  }, async (request) => {
    const { client_id: clientId, ...asked } = request.body
    const profile = request.activeProfile()
    return await idempotency.once<Static<typeof AttemptsBegun>>({ of: { profile }, clientId, operation: 'attempts', asked }, async (keep) =>
      begunToWire(await attempts.begin(await wantedOf(request, asked), (begun) => keep(begunToWire(begun)))))
  })

  /** Reads what a request asks for. Throws NotFound, Invalid, and Forbidden for a check that the token may not give. */
  async function wantedOf (request: FastifyRequest, asked: Omit<Static<typeof BeginAttempts>, 'client_id'>): Promise<NewAttempts> {
    const sessionId = asked.session_id == null || asked.session_id === '' ? null : asked.session_id
    const session = sessionId === null ? null : sessions.get(sessionId)
    if (session?.readOnly === true) throw new Forbidden('This session is read-only')
    const check = asked.check?.trim() ?? ''
    if (check !== '' && !mayUse(request.operator, 'approve')) {
      throw new Forbidden('This token may not set a command that runs without an approval', 'scope_too_narrow', {
        scope: request.operator?.scope, needed_scope: 'approve'
      })
    }
    const named = asked.workspace == null || asked.workspace === '' ? null : asked.workspace
    const limits = {
      ...(asked.budget_usd != null && { hard_usd: asked.budget_usd }),
      ...(asked.budget_tokens != null && { hard_tokens: asked.budget_tokens })
    }
    const model = session?.model ?? null
    const usual = model === null ? [] : [{ model, provider: session?.modelProvider ?? undefined }]
    const models = (asked.models ?? []).map(modelOf)
    return {
      profile: session?.profile ?? request.activeProfile(),
      sessionId,
      workspace: named === null
        ? session?.workspace ?? workspace.defaultFolder
        : await request.workspaceFolder(named, sessionId ?? undefined),
      message: asked.message,
      models: models.length === 0 ? usual : models,
      count: asked.count ?? (models.length === 0 ? 2 : null),
      check: check === '' ? null : { command: check, seconds: asked.check_seconds ?? usualCheckSeconds },
      reviewer: asked.reviewer == null ? null : modelOf(asked.reviewer),
      limits: Object.keys(limits).length === 0 ? null : limits
    }
  }
}

const ending: FastifyPluginAsyncTypebox = async (app) => {
  const { attempts, idempotency } = app

  app.post('/api/attempts/take', {
    config: { scope: 'approve' },
    bodyLimit: bodyLimits.paths,
    schema: {
      summary: 'Apply the changes of an attempt, or parts of them, to the folder that it started from',
      description: 'Later changes in the folder are kept. 409 `attempt_conflict` with `files`: both changed the same lines, and nothing ' +
        'is applied. `files` applies only these files or hunks of `version`. Worktrees are then kept for a week. 409 `active_stream` ' +
        'while a turn runs in the folder or the attempt.',
      body: TakeAttempt,
      response: { 200: TakenAttempt, ...taking }
    }
  }, async (request) => {
    const { client_id: clientId, ...asked } = request.body
    const { attempts_id: id, session_id: sessionId, files, version } = asked
    const profile = request.activeProfile()
    return await idempotency.once<Static<typeof TakenAttempt>>({
      of: { profile }, clientId, operation: 'attempts/take', asked
    }, async () => ({
      ok: true,
      files: await attempts.take(id, profile, {
        sessionId, version: version ?? null, parts: files?.map(({ path, hunks }) => ({ path, hunks: hunks ?? null })) ?? null
      })
    }))
  })

  app.post('/api/attempts/undo', {
    config: { scope: 'approve' },
    schema: {
      summary: 'Undo the changes that were last applied to the folder',
      description: 'Possible for a week, while `can_undo` is true. Later changes are kept. 409 `attempt_conflict`: they are in the same ' +
        'lines, and nothing is undone.',
      body: AttemptsRef,
      response: { 200: TakenAttempt, ...taking }
    }
  }, async (request) => ({ ok: true as const, files: await attempts.undo(request.body.attempts_id, request.activeProfile()) }))

  app.post('/api/attempts/stop', {
    config: { scope: 'chat' },
    schema: {
      summary: 'Stop running attempts', description: 'Their work so far stays in their worktrees.',
      body: AttemptsRef, response: { 200: Ok, ...errors(400, 404) }
    }
  }, async (request) => {
    await attempts.stop(request.body.attempts_id, request.activeProfile())
    return { ok: true }
  })

  app.post('/api/attempts/remove', {
    config: { scope: 'approve' },
    schema: {
      summary: 'Remove the worktrees of all attempts, or of one',
      description: 'Changes that were neither applied nor committed are lost; commits stay on their branches, and the sessions stay. ' +
        '409 `active_stream` while one of them is running.',
      body: RemoveAttempts,
      response: {
        200: RemovedAttempts, ...errors(400, 403, 404, 503),
        ...conflicts('active_stream', 'conflict', 'locked_worktree', 'operation_in_progress', 'uncoded')
      }
    }
  }, async (request) => {
    const { attempts_id: id, session_id: sessionId } = request.body
    const one = sessionId == null || sessionId === '' ? null : sessionId
    return { ok: true as const, removed: await attempts.remove(id, request.activeProfile(), one) }
  })
}

const modelOf = (given: Static<typeof AttemptModel>): { model: string, provider?: string | undefined } =>
  typeof given === 'string' ? { model: given } : { model: given.model, provider: given.provider ?? undefined }

const begunToWire = ({ id, sessions }: BegunAttempts): Static<typeof AttemptsBegun> => ({
  attempts_id: id, sessions: sessions.map(({ sessionId, model, workspace }) => ({ session_id: sessionId, model, workspace }))
})
