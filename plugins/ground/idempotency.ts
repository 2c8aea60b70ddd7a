import fp from 'fastify-plugin'
import { createIdempotency, type Idempotency } from '../../services/areas/idempotency/index.js'
import { regularly } from './regularly.js'
import { type SharedApp } from './shared-app.js'

declare module 'fastify' {
  interface FastifyInstance { idempotency: Idempotency }
}

const pruneEveryMs = 3_600_000

/** Requests that clients may repeat, identified by ids that the clients give them. */
export default fp(async (app: SharedApp) => {
  const { db, clock } = app
  const idempotency = createIdempotency({ db, clock })
  app.decorate('idempotency', idempotency)
  regularly(app, pruneEveryMs, 'stored answers for repeated requests could not be pruned', idempotency.prune)
}, { name: 'idempotency', dependencies: ['database'] })
