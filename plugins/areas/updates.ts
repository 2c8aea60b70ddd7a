import { Type } from '@sinclair/typebox'
import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createValues } from '../../services/ground/database/index.js'
import { fromSource } from '../../services/ground/assets.js'
import { createUpdates, type UpdateCheck, type Installation, type Updates } from '../../services/areas/updates/index.js'

declare module 'fastify' {
  interface FastifyInstance { updates: Updates }
}

export interface UpdatesPluginOptions {
  /** The installation that can be updated; without it there are no updates. */
  installation?: Installation
  /** Shuts the service down and starts it again; without it there are no updates. `keepsTurns`: turns that can continue do. */
  restart?: (keepsTurns: boolean) => void
}

const packageName = 'agent-web-service'
const keptCheck = 'update_check'
const keptWish = 'update_waiting'

/** Updates of this service: checks for new versions on request, and installs them. */
export default fp<UpdatesPluginOptions>(async (app: FastifyInstance, { installation, restart }) => {
  const { agent, audit, backups, chat, clock, config, db, environment, settings } = app
  const values = createValues(db.sqlite)
  const updates = createUpdates({
    environment,
    installation: installation ?? {
      reason: 'This service cannot be updated from the app. Update it the way it was installed', isSource: fromSource
    },
    packageName,
    stateDir: config.stateDir,
    clock,
    audit,
    kept: {
      // Only `write` stores this value, so the cast is safe.
      read: () => (values.get(keptCheck) as UpdateCheck | undefined) ?? null,
      write: (checked) => db.soonest(() => checked === null ? values.remove(keptCheck) : values.set(keptCheck, checked, clock.now() / 1000))
    },
    wish: {
      read: () => values.read(keptWish, Type.Number()) ?? null,
      write: (sinceS) => db.soonest(() => sinceS === null ? values.remove(keptWish) : values.set(keptWish, sinceS, clock.now() / 1000))
    },
    settings: () => settings.values(),
    busy (takesUp) {
      const streamIds = takesUp ? chat.endedByRestart() : chat.activeStreamIds()
      return {
        activeStreams: streamIds.length + chat.acceptedTurns(), activeRuns: takesUp ? streamIds.length : agent.size().runs, streamIds
      }
    },
    turns: { hold: chat.hold, release: chat.release },
    snapshot: async () => backups === null ? null : await backups.snapshot(),
    restart: restart ?? null,
    log: (message, details) => app.log.warn(details, message)
  })
  app.decorate('updates', updates)
  app.addHook('preClose', async () => await updates.stop())
}, { name: 'updates', dependencies: ['agent', 'audit', 'backups', 'chat', 'config', 'database', 'settings'] })
