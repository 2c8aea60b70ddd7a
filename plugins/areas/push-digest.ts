import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createDigest, type Digest } from '../../services/areas/push/index.js'
import { systemZone } from '../../services/ground/time/zones.js'
import { regularly } from '../ground/regularly.js'

declare module 'fastify' {
  interface FastifyInstance { digest: Digest }
}

const lookEveryMs = 60_000

/** One push message a day with a summary of what happened, if the user has set a time for it. */
export default fp(async (app: FastifyInstance) => {
  const { clock, db, home, profiles, push, settings } = app
  const digest = createDigest({
    db,
    clock,
    wanted: () => {
      const { push_digest_at: at, push_time_zone: zone } = settings.values()
      // Evaluated only when needed, because the engine then reads its tables of time zones.
      return { at, zone: () => zone || systemZone() }
    },
    counts: (sinceS) => {
      const all = profiles.list().map(({ name }) => home.counts(name, later(home.seenAt(name), sinceS)))
      const sum = (of: 'ended' | 'failed' | 'waiting' | 'running' | 'queued'): number => all.reduce((total, counts) => total + counts[of], 0)
      return { ended: sum('ended'), failed: sum('failed'), waiting: sum('waiting'), running: sum('running'), queued: sum('queued') }
    },
    tell: (counts) => { push.tell({ kind: 'digest', title: '', profile: profiles.active(), sessionId: null, counts }) }
  })
  app.decorate('digest', digest)
  const trouble = 'the digest could not be told'
  settings.on('changed', (keys) => {
    if (!keys.includes('push_digest_at') && !keys.includes('push_time_zone')) return
    digest.chosen().catch((error: unknown) => app.log.warn({ reason: String(error) }, trouble))
  })
  regularly(app, lookEveryMs, trouble, digest.look)
}, { name: 'push-digest', dependencies: ['database', 'home', 'profiles', 'push', 'settings'] })

/** Returns the later of two times that may be unknown; undefined if both are. */
const later = (one: number | null, other: number | null): number | undefined =>
  one === null && other === null ? undefined : Math.max(one ?? 0, other ?? 0)
