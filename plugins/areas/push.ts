import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { type OpenedPrompt } from '../../services/areas/prompts/index.js'
import { createPush, type Push } from '../../services/areas/push/index.js'
import { isBeside } from '../../services/areas/sessions/index.js'
import { Invalid } from '../../services/ground/errors.js'
import { isZone, systemZone } from '../../services/ground/time/zones.js'

declare module 'fastify' {
  interface FastifyInstance { push: Push }
}

/** How long a person who watches a conversation has to answer before their other devices are notified. */
const watchedDelayS = 10

/** After a wait of this length a person may have put the device away. */
const longParkS = 600

/** Web Push: notifies browsers of what waits for a person, and of what has ended, while nobody watches. */
export default fp(async (app: FastifyInstance) => {
  const { auth, chat, clock, config, db, events, prompts, pulls, sessions, settings } = app
  const log = (message: string, details: Record<string, unknown>) => app.log.warn(details, message)
  const zone = (): string => settings.values().push_time_zone || systemZone()
  const push = createPush({
    db,
    clock,
    isPrivateAllowed: config.webhookPrivate,
    contact: config.pushContact,
    stands: auth.stands,
    isPromptOpen: prompts.isOpen,
    quiet: () => {
      const { push_quiet_from: from, push_quiet_until: until, push_quiet_waiting: rings } = settings.values()
      return { from, until, rings, zone: zone() }
    },
    isDigested: () => settings.values().push_digest_at !== '',
    log
  })
  settings.vet('push_time_zone', async (name) => {
    if (typeof name === 'string' && isZone(name)) return name
    throw new Invalid('the name of a time zone, such as Europe/Berlin')
  })
  settings.on('changed', (keys) => { if (keys.some((key) => key.startsWith('push_'))) push.hoursChanged() })
  const isWatched = (sessionId: string, streamId?: string): boolean =>
    ([['approvals', sessionId], ['questions', sessionId], [
      'session', sessionId
    ], ...(streamId === undefined ? [] : [['chat', streamId] as const])] as const).some(([kind, id]) => events.isWatched({ kind, id }))

  const tellOfPrompt = ({ id, sessionId, kind, expiresAt }: OpenedPrompt): void => {
    const session = sessions.rows.find(sessionId)
    if (session === undefined) return
    push.tell({
      kind: kind === 'approval' ? 'approval' : 'question', title: session.title, profile: session.profile, sessionId, promptId: id
    }, { delayS: isWatched(sessionId) ? watchedDelayS : 0, untilS: expiresAt })
  }
  prompts.on('opened', (opened) => {
    try {
      tellOfPrompt(opened)
    } catch (error) {
      log('a push message could not be stored; retrying', { reason: String(error) })
      // Not in this transaction: the card must be stored in any case.
      setImmediate(() => db.enqueue({
        write: () => tellOfPrompt(opened), refused: (error) => log('a push message could not be stored', { reason: error.message })
      }))
    }
  })
  chat.turns.on('ended', ({ sessionId, streamId, plan }, { state, error }) => {
    if ((plan.kind !== 'chat' && plan.kind !== 'goal') || state === 'cancelled' || isWatched(sessionId, streamId)) return
    db.enqueue({
      write: () => {
        const session = sessions.rows.find(sessionId)
        if (session === undefined || isBeside(session)) return
        push.tell({
          kind: 'turn', title: session.title, profile: session.profile, sessionId,
          status: state === 'failed' || error !== undefined ? 'error' : 'ok'
        })
      }
    })
  })
  chat.turns.on('parked', ({ sessionId, streamId, plan }) => {
    if ((plan.kind !== 'chat' && plan.kind !== 'goal') || !plan.attended || isWatched(sessionId, streamId)) return
    db.enqueue({
      write: () => {
        const session = sessions.rows.find(sessionId)
        if (session === undefined || isBeside(session) || sessions.rowToWire(session).resumes_at !== null) return
        push.tell({ kind: 'turn', title: session.title, profile: session.profile, sessionId, status: 'at_limit' })
      }
    })
  })
  chat.turns.on('resumed', ({ sessionId, streamId, plan }, parkedAtS) => {
    if ((plan.kind !== 'chat' && plan.kind !== 'goal') || clock.now() / 1_000 - parkedAtS < longParkS || isWatched(sessionId, streamId)) return
    db.enqueue({
      write: () => {
        const session = sessions.rows.find(sessionId)
        // The turn may have been stopped in the same moment.
        if (session === undefined || isBeside(session) || chat.turn(streamId) === undefined) return
        push.tell({ kind: 'turn', title: session.title, profile: session.profile, sessionId, status: 'resumed' })
      }
    })
  })
  pulls.on('happened', ({ sessionId, number: pullNumber, event: status }) => {
    const session = sessions.rows.find(sessionId)
    if (session !== undefined) push.tell({ kind: 'pull', title: session.title, profile: session.profile, sessionId, pullNumber, status })
  })
  app.decorate('push', push)
  app.addHook('onReady', async () => {
    push.start().catch((error: unknown) => log('the keys for Web Push could not be stored', { reason: String(error) }))
  })
  app.addHook('onClose', async () => await push.stop())
}, { name: 'push', dependencies: ['config', 'database', 'auth', 'events', 'sessions', 'settings', 'prompts', 'pulls', 'chat'] })
