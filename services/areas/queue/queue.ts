import { type Static } from '@sinclair/typebox'
import { type Queue as QueueSchema } from '../../../schemas/queue.js'
import { type sessionFrames } from '../../../schemas/sessions.js'
import { framesOf, type EventBroker } from '../../ground/events/index.js'
import { redactAhead } from '../../ground/redaction/index.js'
import { type Chat, type Turn } from '../chat/index.js'
import { type Sessions } from '../sessions/index.js'
import { QueueAdvance, type AdvanceOptions } from './advance.js'
import { createEntries } from './entries.js'
import { createQueueRows } from './rows.js'
import { createQueueSending } from './sending.js'
import { entryToWire } from './wire.js'

export interface QueueOptions extends Omit<AdvanceOptions, 'sessions' | 'chat' | 'rows' | 'changed'> {
  events: EventBroker
  sessions: Sessions
  chat: Pick<Chat, 'send' | 'hasBegun' | 'steer' | 'isLive' | 'isParkedIn' | 'isSettled' | 'lastEnded' | 'turns'>
}

const frame = framesOf<typeof sessionFrames>()

/**
 * Messages that wait in conversations for earlier turns, shared by all devices of a person. {@link QueueAdvance} begins them. Each change
 * raises the version of the queue and gives it to the entries that it changes: a request that refers to another state of an entry is
 * refused.
 */
export function createMessageQueue (options: QueueOptions) {
  const { db, events, sessions, chat } = options
  const rows = createQueueRows(db)
  const advance = new QueueAdvance({ ...options, rows, changed })

  /** Returns why a queue does not continue by itself; null if it does, or if it is empty. */
  function heldOf (sessionId: string): Static<typeof QueueSchema>['held'] {
    if (rows.count(sessionId) === 0) return null
    const reason = rows.queue(sessionId)?.heldReason ?? null
    if (reason !== null) return { reason }
    if (chat.isParkedIn(sessionId)) return { reason: 'limit' }
    const isWaiting = chat.isLive(sessionId) && sessions.rowToWire(sessions.get(sessionId)).attention !== null
    return isWaiting ? { reason: 'waiting' } : null
  }

  /** Tells readers of the session and of lists; called inside the transaction of the change. Returns the new version. */
  function changed (sessionId: string): number {
    const version = rows.raise(sessionId)
    if (rows.isOver(sessionId)) rows.hold(sessionId, null)
    sessions.changed('session_queue', sessionId)
    db.afterCommit(() => {
      publish(sessionId, version)
      advance.watchTime()
      advance.proceed(sessionId)
    })
    return version
  }

  function publish (sessionId: string, version = 0): void {
    events.publish({ kind: 'session', id: sessionId }, () => frame('queue_changed', {
      session_id: sessionId, queued_count: rows.count(sessionId), version: rows.queue(sessionId)?.version ?? version,
      held: heldOf(sessionId)
    }))
  }
  const heldAnew = ({ sessionId }: Pick<Turn, 'sessionId'>): void => { if (rows.count(sessionId) > 0) publish(sessionId) }
  chat.turns.on('parked', heldAnew)
  chat.turns.on('resumed', heldAnew)

  sessions.on('movedOut', (from, to) => {
    for (const sessionId of rows.within(from)) rows.moveOut({ sessionId, folder: from, to, version: changed(sessionId) })
  })

  const entries = createEntries({ ...options, rows, changed })

  return {
    /** Returns the queue, and what holds it; with credentials masked, unless `typed`. Throws NotFound. */
    async read (sessionId: string, { typed }: { typed: boolean }): Promise<Static<typeof QueueSchema>> {
      if (sessions.isForeign(sessionId)) return { queue: [], held: null }
      sessions.get(sessionId)
      const waiting = rows.list(sessionId)
      if (!typed) await redactAhead(waiting.map(({ message }) => message))
      const queue = waiting.map(entryToWire)
      return { queue: typed ? queue : sessions.shown(queue), held: heldOf(sessionId) }
    },

    add: entries.add,
    edit: entries.edit,
    move: entries.move,
    remove: entries.remove,
    clear: entries.clear,
    resume: entries.resume,
    ...createQueueSending({ chat, sessions, rows, entries, advance, changed }),

    heldOf,

    /** Whether a message waits that begins by itself once the session is free. */
    isReady: (sessionId: string): boolean => advance.isReady(sessionId),

    /** See QueueAdvance. */
    recover: async (): Promise<void> => await advance.recover(),

    /** Returns how many messages wait in all conversations. */
    waiting: (): number => rows.countAll(),

    /** Returns how many messages are being started, for tests and metrics. */
    size: (): number => advance.size()
  }
}

export type MessageQueue = ReturnType<typeof createMessageQueue>
