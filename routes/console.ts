import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type AddressInfo } from 'node:net'
import { conflicts } from '../schemas/common.js'
import { ConsoleStatus, Stopping } from '../schemas/console.js'
import { Conflict } from '../services/ground/errors.js'
import { supervisorOf } from '../services/ground/process/supervisor.js'
import consoleAccessRoutes from './console-access.js'

/** Routes for the program `agent-web-service`, which a running service answers only over its socket. */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  const { auth, chat, config, prompts } = app
  await app.register(consoleAccessRoutes)

  app.get('/api/console', {
    config: { scope: 'console' },
    schema: { hide: true, response: { 200: ConsoleStatus } }
  }, async () => {
    const standing = prompts.standing()
    const countOf = (wanted: string): number => standing.find(({ kind }) => kind === wanted)?.count ?? 0
    return {
      version: app.serviceVersion,
      pid: process.pid,
      node: process.versions.node,
      uptime_seconds: Math.round(process.uptime() * 10) / 10,
      started_by: supervisorOf({ env: config.env }),
      host: config.host,
      port: addressOf(app.server.address()) ?? config.port,
      allowed_origins: config.allowedOrigins,
      sign_in: [
        ...auth.passwordGated ? ['password' as const] : [], ...auth.passkeyGated ? ['passkey' as const] : [],
        ...config.oidc === null ? [] : ['oidc' as const], ...config.proxyHeader === null ? [] : ['proxy' as const]
      ],
      active_turns: chat.activeTurns(),
      waiting: { approvals: countOf('approval'), questions: countOf('clarify'), limits: chat.phases().parked }
    }
  })

  app.post('/api/console/stop', {
    config: { scope: 'console' },
    schema: { hide: true, response: { 200: Stopping, ...conflicts('uncoded') } }
  }, async (_request, reply) => {
    const { stop } = app.console
    if (stop === null) throw new Conflict('This service is part of another program. Stop that one')
    // Stops only after the answer has been sent.
    reply.raw.once('close', stop)
    return { ok: true as const, pid: process.pid }
  })
}
export default plugin

const addressOf = (address: string | AddressInfo | null): number | null =>
  typeof address === 'object' && address !== null ? address.port : null
