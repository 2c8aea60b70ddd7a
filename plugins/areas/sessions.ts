import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createRemasking, createSessions, type Sessions } from '../../services/areas/sessions/index.js'
import { epochSeconds } from '../../services/ground/time/clock.js'
import { attachmentsOf, copyAttachments, removeAttachments } from '../../services/workspace/index.js'
import { regularly } from '../ground/regularly.js'

declare module 'fastify' {
  interface FastifyInstance { sessions: Sessions }
}

/** A repository may be large, and git slow. */
const worktreeMs = 90_000

/** How long a temporary chat without activity is kept, and how often the service looks for such chats. */
const temporaryS = 24 * 60 * 60
const sweepEveryMs = 15 * 60_000

/** Conversations: their messages, and their metadata. */
export default fp(async (app: FastifyInstance) => {
  const { audit, db, agent, machines, events, clock, config, models, settings } = app
  const log = (message: string, details: Record<string, unknown>) => app.log.warn(details, message)
  const remasking = createRemasking({ db, clock, log: (message, details) => app.log.info(details, message) })
  remasking.prepare()
  const sessions = createSessions({
    db,
    events,
    clock,
    audit,
    defaultModel: (profile) => models.defaults.everywhere(profile),
    isMasked: () => settings.values().api_redact_enabled,
    pinLimit: () => settings.values().pinned_sessions_limit,
    attachments: {
      has: async (id) => (await attachmentsOf(config.stateDir, id)).length > 0,
      copy: (fromId, toId) => copyAttachments(config.stateDir, fromId, toId),
      remove: (id) => removeAttachments(config.stateDir, id)
    },
    remoteWorktrees: {
      create: async (machine, wanted) => await machines.ask(machine, 'worktree_create', wanted, { timeoutMs: worktreeMs }),
      status: async (machine, worktree) => await machines.ask(machine, 'worktree_status', worktree, { timeoutMs: worktreeMs }),
      remove: async (machine, worktree, options) =>
        await machines.ask(machine, 'worktree_remove', { worktree, ...options }, { timeoutMs: worktreeMs })
    },
    log
  })
  settings.on('changed', () => sessions.changed('settings'))
  models.defaults.on('changed', () => sessions.changed('default_model'))
  agent.serve('session_search', async (search, { spec: { profile, sessionId } }) => sessions.recall(profile, sessionId, search))
  app.decorate('sessions', sessions)
  app.addHook('onReady', async () => {
    remasking.begin()
    sessions.sweep().catch((error: unknown) => log('half-made sessions could not be removed', { reason: String(error) }))
  })
  app.addHook('preClose', async () => await remasking.stop())
  regularly(app, sweepEveryMs, 'temporary chats could not be deleted', async () => {
    await sessions.removeAbandoned(epochSeconds(clock) - temporaryS)
  })
}, { name: 'sessions', dependencies: ['machines', 'audit', 'config', 'database', 'events', 'agent', 'models', 'settings'] })
