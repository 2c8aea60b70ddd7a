import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { Feed } from '../../services/areas/feed/index.js'
import { NotFound } from '../../services/ground/errors.js'

declare module 'fastify' {
  interface FastifyInstance {
    feed: Feed
  }
}

/** How many turns of a session are searched for those in which a cursor has a position: more than ever run at once. */
const turnsLookedAt = 20

/** Everything that a client of the operator needs, on one stream. */
export default fp(async (app: FastifyInstance) => {
  const { auth, chat, events, foreign, home, machines, memory, profiles, prompts, sessions, settings, watching } = app
  const feed = new Feed({
    events,
    sessions,
    prompts,
    settings: settings.values,
    savedSettings: settings.savedKeys,
    configState: (name) => profiles.get(name) === undefined ? undefined : profiles.settings(name),
    memoryTime: (profile, section) => memory.mtime(profile, section),
    seenAt: home.seenAt,
    counts: (profile) => home.counts(profile),
    machines: () => machines.list().map(({ name, state, sinceS }) => ({ name, state, since: sinceS })),
    foreign: () => foreign.rows({
      profile: profiles.active(), allProfiles: true, includeArchived: false, archivedLimit: 0, archivedOffset: 0, source: 'all'
    }).rows,
    sessionOf: (streamId) => chat.sessionOfStream(streamId) ?? null,
    conversations: {
      has: (sessionId, profile) =>
        app.isSessionOf(sessionId, profile) && (sessions.isForeign(sessionId) || found(() => sessions.get(sessionId)) !== null),
      opening: sessions.opening,
      turns: (sessionId) => chat.latestStreams(sessionId, turnsLookedAt)
    },
    watchFolder: async ({ sessionId, path }) => await watching.subscribe(sessionId, path, { isPatient: true })
  })
  const machinesMoved = (): void => events.publish({ kind: 'hosts', id: 'all' }, () => ({ event: 'hosts_changed', data: '{}' }))
  machines.presence.on('changed', machinesMoved)
  machines.presence.on('forgotten', machinesMoved)
  profiles.on('changed', (name) => events.publish({ kind: 'profile', id: name }, () => ({ event: 'profile_changed', data: '{}' })))
  profiles.on('listed', (name) => events.publish({ kind: 'profile', id: name }, () => ({ event: 'profile_changed', data: '{}' })))
  settings.on('changed', (keys) =>
    events.publish({ kind: 'settings', id: 'all' }, () => ({ event: 'settings_changed', data: JSON.stringify({ keys }) })))
  auth.on('changed', (keys) =>
    events.publish({ kind: 'settings', id: 'all' }, () => ({ event: 'settings_changed', data: JSON.stringify({ keys }) })))
  app.decorate('feed', feed)
  app.addHook('onClose', async () => feed.close())
}, {
  name: 'feed', dependencies: [
    'auth', 'events', 'profiles', 'settings', 'sessions', 'sessions-profiles', 'foreign', 'home', 'machines', 'workspace-watching', 'prompts', 'chat', 'memory'
  ]
})

/** Returns what `look` finds; null if it throws NotFound. */
function found<Found> (look: () => Found): Found | null {
  try {
    return look()
  } catch (error) {
    if (error instanceof NotFound) return null
    throw error
  }
}
