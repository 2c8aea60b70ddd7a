import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static } from '@sinclair/typebox'
import { type FastifyInstance } from 'fastify'
import { Alive, Health, Ready, SystemHealth, type Reason } from '../schemas/system.js'
import { type SandboxStatus } from '../services/agent/index.js'
import { backupWarning, type BackupStatus } from '../services/areas/backups/index.js'
import { identify, type TroubleKind, oneRow } from '../services/ground/database/index.js'
import { hasHandles } from '../services/ground/files/file-handles.js'
import { linesLost } from '../services/ground/process/standard-output.js'
import { tagged } from './shared/tagged.js'

type Reasons = Static<typeof Reason>
const reasons: Record<TroubleKind, Reasons> = {
  full: 'disk_full', readonly: 'disk_read_only', failing: 'disk_failing', locked: 'database_locked'
}
/** Another program's lock is usually released within a moment; before that, it is not reported to clients that ask for the health. */
const passingMs = 5_000
const noBackups: BackupStatus = { everyHours: 0, result: 'none', lastAtS: null, ageS: null, kept: 0, failure: null }

const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('system'))
  const { sessions, chat, agent, db } = app
  const sqliteVersion = oneRow(db.sqlite.prepare<[], string>('select sqlite_version()').pluck())
  const { version: databaseVersion } = identify(db.sqlite, 'the database')
  const probe = db.sqlite.prepare('select 1')

  const status = (reason: Reasons | null) => reason === null ? { status: 'ok' as const } : { status: 'degraded' as const, reason }

  app.get('/health', {
    config: { access: 'public' },
    schema: {
      summary: 'Check whether the service works, for clients',
      description: 'Public. 200 with `status: ok`, or 503 with `status: degraded` and a `reason` (`disk_full`, `database_locked`, …) ' +
        'while something is wrong. A lock that is gone within five seconds is not reported.',
      response: { 200: Health, 503: Health }
    }
  }, async (_request, reply) => {
    const reason = reasonNow(app, { evenPassing: false })
    return await reply.code(reason === null ? 200 : 503).send({
      ...status(reason),
      sessions: sessions.count(),
      active_streams: chat.activeTurns(),
      active_runs: agent.size().runs,
      uptime_seconds: Math.round(process.uptime() * 10) / 10,
      log_lines_dropped: linesLost()
    })
  })

  app.get('/livez', {
    config: { access: 'public' },
    schema: {
      summary: 'Check whether the process responds',
      description: 'Public. Succeeds as long as the process can answer at all. Use it to decide whether to restart the process.',
      response: { 200: Alive }
    }
  }, async () => ({ status: 'ok' as const }))

  app.get('/readyz', {
    config: { access: 'public' },
    schema: {
      summary: 'Check whether requests can be served, including those that store something',
      description: 'Public. 503 with a `reason` while requests cannot be served or nothing can be stored. Use it to decide ' +
        'whether to send traffic here.',
      response: { 200: Ready, 503: Ready }
    }
  }, async (_request, reply) => {
    const reason = reasonNow(app, { evenPassing: true })
    const database = probe.pluck().get() === 1 && (reason === null || reason === 'no_file_handles')
    const isReady = database && reason === null
    const { running } = agent.health(app.profiles.active())
    return await reply.code(isReady ? 200 : 503).send({
      status: isReady ? 'ok' : 'unavailable', ...(reason === null ? {} : { reason }), database, agent: running
    })
  })

  app.get('/api/system/health', {
    config: { scope: 'read' },
    schema: {
      summary: 'Get the health of the service and its agent',
      description: 'Versions, memory, open streams, running turns, the database and its backups, problems of config.yaml, the agent ' +
        'process, git and the sandbox. Always 200; `status: degraded` has a `reason`.',
      response: { 200: SystemHealth }
    }
  }, async (request) => {
    const profile = request.activeProfile()
    const { running, pid, runs } = agent.health(profile)
    const { configError, configProblems } = app.profiles.settings(profile)
    const sandbox = await app.sandbox.status(profile)
    const backup = app.backups?.status() ?? noBackups
    return {
      ...status(reasonNow(app, { evenPassing: true })),
      version: app.serviceVersion,
      installed_as: app.updates.installedAs,
      node: process.versions.node,
      sqlite: sqliteVersion,
      uptime_seconds: Math.round(process.uptime() * 10) / 10,
      memory_bytes: process.memoryUsage.rss(),
      open_event_streams: app.eventStreams.open(),
      active_turns: chat.activeTurns(),
      log_lines_dropped: linesLost(),
      database: { version: databaseVersion, writable: db.trouble() === null && !db.isFull(), check: app.backups?.check() ?? 'none' },
      backup: {
        every_hours: backup.everyHours,
        result: backup.result,
        last_at: backup.lastAtS,
        age_seconds: backup.ageS,
        kept: backup.kept,
        warning: backupWarning(backup)
      },
      config: { profile, error: configError ?? null, problems: [...configProblems] },
      agent: { profile, running, pid, runs },
      git: await app.git.engine(),
      sandbox: sandboxToWire(sandbox)
    }
  })
}

/** Returns why not everything works; null if it does. */
function reasonNow ({ backups, db }: FastifyInstance, { evenPassing }: { evenPassing: boolean }): Reasons | null {
  const trouble = db.trouble()
  const isPassing = trouble?.kind === 'locked' && performance.now() - trouble.sinceMs < passingMs
  if (trouble !== null && (evenPassing || !isPassing)) return reasons[trouble.kind]
  if (db.isFull()) return 'disk_full'
  if (backups?.check() === 'damaged') return 'database_damaged'
  return hasHandles() ? null : 'no_file_handles'
}

function sandboxToWire (sandbox: SandboxStatus): Static<typeof SystemHealth>['sandbox'] {
  if (!sandbox.available) return { available: false, kind: null, version: null, note: `Every command needs an approval: ${sandbox.reason}.` }
  const { kind, version } = sandbox
  if (kind === 'container') return { available: true, kind, version, note: 'The container is the boundary: commands run in it without asking, with its network, and write the workspace and /tmp. They do not reach the service\'s own files; going beyond needs an approval.' }
  const unfiltered = sandbox.filters === false
    ? ' The kernel takes no filter of system calls here, so that commands can leave files with set-user bits in the workspace.'
    : ''
  return { available: true, kind, version, note: `Commands run in a sandbox of the workspace, without network; leaving it needs an approval.${unfiltered}` }
}

export default plugin
