import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { rates } from '../plugins/ground/rate-limit.js'
import { conflicts, errors } from '../schemas/common.js'
import {
  CreateHook, DeletedHook, HookAnswer, HookCall, HookCalled, HookCalls, HookCallsQuery, HookList, HookParams, HookPreview, HookRef,
  HookSecret, PreviewHook, UpdateHook
} from '../schemas/hooks.js'
import { readerOf } from '../services/areas/auth/index.js'
import { callToWire, hookToWire } from '../services/areas/hooks/index.js'
import { Invalid } from '../services/ground/errors.js'
import { tagged } from './shared/tagged.js'

/** Hooks: addresses that other programs call to start turns. */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('hooks'))
  await app.register(reading)
  await app.register(changing)
  await app.register(calling)
}
export default plugin

const reading: FastifyPluginAsyncTypebox = async (app) => {
  const { hooks, sessions } = app

  app.get('/api/hooks', {
    config: { scope: 'read' },
    schema: {
      summary: 'List the hooks of the profile',
      description: 'Hooks are addresses that other programs call to start turns. Each has its number of calls and the result of its ' +
        'last run. Secrets are never shown.',
      response: { 200: HookList }
    }
  }, async (request) => {
    const answer = { hooks: hooks.list(request.activeProfile()).map(hookToWire) }
    return readerOf(request.operator).mayChange ? answer : sessions.shown(answer)
  })

  app.get('/api/hooks/calls', {
    config: { scope: 'read' },
    schema: {
      summary: 'List the last calls of a hook, with their results',
      description: 'Includes refused calls, with the reason. `payload` is the body of the last call, for trying out ' +
        'templates. 404: unknown hook.',
      querystring: HookCallsQuery,
      response: { 200: HookCalls, ...errors(400, 404) }
    }
  }, async (request) => {
    const { calls, payload } = hooks.calls(request.query.id)
    const answer = { calls: calls.map(callToWire), payload }
    return readerOf(request.operator).mayChange ? answer : sessions.shown(answer)
  })

  app.post('/api/hooks/preview', {
    config: { scope: 'read' },
    schema: {
      summary: 'Preview the message of a call, without calling',
      description: 'Fills `template` from `payload`, and says by `events` and `match` whether such a call would start a run. Nothing is stored.',
      body: PreviewHook,
      response: { 200: HookPreview, ...errors(400) }
    }
  }, async ({ body: { template, payload, name, event, events, match } }) => hooks.preview(
    { name: name ?? '', template, events: events ?? [], match: match ?? {} },
    { headers: event == null || event === '' ? {} : { 'x-github-event': event }, body: Buffer.from(payload) }
  ))
}

const changing: FastifyPluginAsyncTypebox = async (app) => {
  const { hooks } = app

  app.post('/api/hooks/create', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Create a hook',
      description: '`secret` is shown only in this answer: callers sign with it. Give them the address of the service followed by ' +
        '`path`. Runs, outputs and deliveries belong to the job `job_id`. 404: unknown profile.',
      body: CreateHook,
      response: { 200: HookSecret, ...errors(400, 404), ...conflicts('uncoded') }
    }
  }, async (request) => {
    const { profile, daily_budget_usd: dailyUsd, ...asked } = request.body
    const { secret, ...hook } = await hooks.create(request.profileCalled(profile), { ...asked, dailyUsd })
    return { ok: true as const, hook: hookToWire(hook), secret }
  })

  app.post('/api/hooks/update', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Change the given fields of a hook',
      description: 'Fields that are absent or null are not changed. `enabled: false`: calls are accepted and start ' +
        'nothing. 404: unknown hook.',
      body: UpdateHook,
      response: { 200: HookAnswer, ...errors(400, 404), ...conflicts('uncoded') }
    }
  }, async ({ body: { id, daily_budget_usd: dailyUsd, ...fields } }) => ({
    ok: true as const, hook: hookToWire(await hooks.update(id, { ...fields, dailyUsd }))
  }))

  app.post('/api/hooks/secret', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Give a hook a new secret, which replaces the former one',
      description: '`secret` is shown only in this answer; calls signed with the former one get a 403 from then on. 404: unknown hook.',
      body: HookRef,
      response: { 200: HookSecret, ...errors(400, 404) }
    }
  }, async ({ body: { id } }) => {
    const { secret, ...hook } = await hooks.renewSecret(id)
    return { ok: true as const, hook: hookToWire(hook), secret }
  })

  app.post('/api/hooks/delete', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Delete a hook with the outputs of its runs',
      description: 'Deletes its job and the outputs of its runs, too; this cannot be undone. 404: unknown hook.',
      body: HookRef,
      response: { 200: DeletedHook, ...errors(400, 404) }
    }
  }, async ({ body: { id } }) => {
    await hooks.remove(id)
    return { ok: true as const, id }
  })
}

const calling: FastifyPluginAsyncTypebox = async (app) => {
  const { hooks } = app

  app.post('/api/hooks/:id', {
    // The caller is not a browser: the signature authorises it.
    config: { access: 'public', bodyUnread: true, csrfToken: 'none', rateLimit: rates.public },
    schema: {
      summary: 'Call a hook, signed by X-Hub-Signature-256 (sha256= and the HMAC of the body) or with the secret in X-Gitlab-Token',
      description: 'Public: the signature replaces a sign-in. Returns once the run is stored; `started: false` has a `reason`. Sending ' +
        'a delivery twice starts one run. 403 `hook_refused` both for an unknown hook and for a wrong signature. 429: a hundred of its ' +
        'calls are waiting, or too many came within a minute. 413: above 1 MiB.',
      params: HookParams,
      body: HookCall,
      response: { 200: HookCalled, ...errors(400, 403, 413, 429), ...conflicts('uncoded') }
    }
  }, async ({ params: { id }, body, headers }) => {
    if (!Buffer.isBuffer(body)) throw new Invalid('Send the body as JSON (Content-Type: application/json)')
    const { reason, runId } = await hooks.call(id, { headers, body })
    return { ok: true as const, started: reason === null, reason, run_id: runId }
  })
}
