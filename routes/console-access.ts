import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { conflicts, errors, Ok } from '../schemas/common.js'
import { ResetPassword, RevokeSignIns, SignIns, SignInsRevoked } from '../schemas/console.js'
import { Invalid, NotFound } from '../services/ground/errors.js'

const bodyLimit = 64 * 1024

/**
 * Access to the service, as managed by the user of its machine: called over the console socket, or by the program itself while the service
 * is not running (cli/service.ts).
 */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  const { auth } = app
  const { list } = auth.signIns

  app.post('/api/console/password', {
    config: { scope: 'console' },
    bodyLimit,
    schema: { hide: true, body: ResetPassword, response: { 200: Ok, ...errors(400, 429), ...conflicts('password_pinned') } }
  }, async ({ body }) => {
    await auth.changes.reset(body.password)
    return { ok: true }
  })

  app.get('/api/console/sign-ins', {
    config: { scope: 'console' },
    schema: { hide: true, response: { 200: SignIns } }
  }, async () => ({
    sign_ins: list().map(({ id, method, createdAt, expiresAt, userAgent }) =>
      ({ id, method, created_at: createdAt, expires_at: expiresAt, user_agent: userAgent }))
  }))

  app.post('/api/console/sign-ins/revoke', {
    config: { scope: 'console' },
    bodyLimit,
    schema: { hide: true, body: RevokeSignIns, response: { 200: SignInsRevoked, ...errors(400, 404) } }
  }, async ({ body: { ids, all = false } }) => {
    if ((ids === undefined) !== all) throw new Invalid('Send either ids or all')
    const revoked = await auth.signIns.end(ids ?? list().map(({ id }) => id))
    if (ids !== undefined && revoked.length === 0) throw new NotFound('There is no such sign-in')
    return { ok: true as const, revoked }
  })
}
export default plugin
