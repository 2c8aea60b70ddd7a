import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { rates } from '../plugins/ground/rate-limit.js'
import { conflicts, errors } from '../schemas/common.js'
import { CreateHook, DeletedHook, HookAnswer, HookCall, HookCalled, HookList, HookParams, HookRef, HookSecret, UpdateHook } from '../schemas/hooks.js'
import { readerOf } from '../services/areas/auth/index.js'
import { hookToWire } from '../services/areas/hooks/index.js'
import { Invalid } from '../services/ground/errors.js'

const tags = ['hooks']

/** Hooks: addresses that programs elsewhere call to start turns. */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  const { hooks, sessions } = app

  app.get('/api/hooks', {
    config: { scope: 'read' },
    schema: { tags, summary: 'List the hooks of the profile', response: { 200: HookList } }
  }, async (request) => {
    const answer = { hooks: hooks.list(request.activeProfile()).map(hookToWire) }
    return readerOf(request.operator).mayChange ? answer : sessions.shown(answer)
  })

  app.post('/api/hooks/create', {
    config: { scope: 'admin' },
    schema: {
      tags, summary: 'Create a hook', body: CreateHook, response: { 200: HookSecret, ...errors(400, 404), ...conflicts('uncoded') }
    }
  }, async (request) => {
    const { profile, enabled, ...asked } = request.body
    const { secret, ...hook } = await hooks.create(request.profileCalled(profile), { ...asked, enabled })
    return { ok: true as const, hook: hookToWire(hook), secret }
  })

  app.post('/api/hooks/update', {
    config: { scope: 'admin' },
    schema: {
      tags, summary: 'Change the given fields of a hook', body: UpdateHook,
      response: { 200: HookAnswer, ...errors(400, 404), ...conflicts('uncoded') }
    }
  }, async ({ body: { id, ...fields } }) => ({ ok: true as const, hook: hookToWire(await hooks.update(id, fields)) }))

  app.post('/api/hooks/secret', {
    config: { scope: 'admin' },
    schema: { tags, summary: 'Give a hook a new secret; the former one ends', body: HookRef, response: { 200: HookSecret, ...errors(400, 404) } }
  }, async ({ body: { id } }) => {
    const { secret, ...hook } = await hooks.renewSecret(id)
    return { ok: true as const, hook: hookToWire(hook), secret }
  })

  app.post('/api/hooks/delete', {
    config: { scope: 'admin' },
    schema: { tags, summary: 'Delete a hook with the outputs of its runs', body: HookRef, response: { 200: DeletedHook, ...errors(400, 404) } }
  }, async ({ body: { id } }) => {
    await hooks.remove(id)
    return { ok: true as const, id }
  })

  app.post('/api/hooks/:id', {
    // Who calls is no browser: the signature says that it may.
    config: { access: 'public', bodyUnread: true, csrfToken: 'none', rateLimit: rates.public },
    schema: {
      tags,
      summary: 'Call a hook, signed by X-Hub-Signature-256 (sha256= and the HMAC of the body) or with the secret in X-Gitlab-Token',
      params: HookParams, body: HookCall, response: { 200: HookCalled, ...errors(400, 403, 413, 429), ...conflicts('uncoded') }
    }
  }, async ({ params: { id }, body, headers }) => {
    if (!Buffer.isBuffer(body)) throw new Invalid('Send the body as JSON (Content-Type: application/json)')
    const { reason, runId } = await hooks.call(id, { headers, body })
    return { ok: true as const, started: reason === null, reason, run_id: runId }
  })
}
export default plugin
