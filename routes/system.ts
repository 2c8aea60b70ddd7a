import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Alive, Health, Ready, SystemHealth } from '../schemas/system.js'

const tags = ['system']

const plugin: FastifyPluginAsyncTypebox = async (app) => {
  const { sessions, chat, agent, db } = app
  const sqliteVersion = db.sqlite.prepare('select sqlite_version()').pluck().get() as string
  const probe = db.sqlite.prepare('select 1')

  app.get('/health', {
    schema: { tags, summary: 'Whether the service works, for clients', response: { 200: Health } }
  }, async () => ({
    status: 'ok' as const,
    sessions: sessions.count(),
    active_streams: chat.activeTurns(),
    active_runs: agent.size().runs,
    uptime_seconds: Math.round(process.uptime() * 10) / 10
  }))

  app.get('/livez', {
    schema: { tags, summary: 'Whether the process responds', response: { 200: Alive } }
  }, async () => ({ status: 'ok' as const }))

  app.get('/readyz', {
    schema: { tags, summary: 'Whether requests can be served', response: { 200: Ready, 503: Ready } }
  }, async (request, reply) => {
    const database = probe.pluck().get() === 1
    const { running } = agent.health(app.profiles.active())
    return await reply.code(database ? 200 : 503).send({ status: database ? 'ok' : 'unavailable', database, agent: running })
  })

  app.get('/api/system/health', {
    schema: { tags, summary: 'How the service and its agent are doing', response: { 200: SystemHealth } }
  }, async (request) => {
    const profile = app.activeProfile(request)
    const { running, pid, runs } = agent.health(profile)
    const sandbox = await app.sandbox(profile)
    return {
      status: 'ok' as const,
      version: app.serviceVersion,
      node: process.versions.node,
      sqlite: sqliteVersion,
      uptime_seconds: Math.round(process.uptime() * 10) / 10,
      memory_bytes: process.memoryUsage.rss(),
      open_event_streams: app.openEventStreams(),
      active_turns: chat.activeTurns(),
      agent: { profile, running, pid, runs },
      git: await app.git.engine(),
      sandbox: sandbox.available
        ? { available: true, kind: sandbox.kind, version: sandbox.version, note: 'Commands run confined to the workspace, without network; leaving it needs an approval.' }
        : { available: false, kind: null, version: null, note: `Every command needs an approval: ${sandbox.reason}.` }
    }
  })
}
export default plugin
