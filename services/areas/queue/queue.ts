import { randomBytes } from 'node:crypto'
import { type Static } from '@sinclair/typebox'
import { type Queue as QueueSchema } from '../../../schemas/queue.js'
import { type sessionFrames } from '../../../schemas/sessions.js'
import { type Attachment } from '../../agent/protocol.js'
import { epochSeconds } from '../../ground/clock.js'
import { Conflict, Forbidden, Invalid, NotFound } from '../../ground/errors.js'
import { framesOf, type EventBroker } from '../../ground/events/index.js'
import { redactAhead } from '../../ground/redaction/index.js'
import { type Chat, type StartInput, type Turn, type TurnWishes } from '../chat/index.js'
import { type Sessions } from '../sessions/index.js'
import { QueueAdvance, type AdvanceOptions } from './advance.js'
import { createQueueRows, type Entry } from './rows.js'
import { entryToWire } from './wire.js'

export interface QueueOptions extends Omit<AdvanceOptions, 'sessions' | 'chat' | 'rows' | 'changed'> {
  events: EventBroker
  sessions: Sessions
  chat: Pick<Chat, 'start' | 'steer' | 'isLive' | 'isParkedIn' | 'isSettled' | 'lastEnded' | 'turns'>
}

/** A message that is to wait. `index`: its place, default the end; `notBefore`: epoch seconds. */
export interface NewMessage extends Omit<StartInput, 'accepted' | 'expanded' | 'unaccepted'> { index?: number, notBefore?: number }

/** What an edit says anew; what is absent stays. */
export interface EntryChange extends TurnWishes { message?: string | undefined, attachments?: Attachment[] | undefined }

/** Where a message stands: 1 is the next one. */
export interface Place { id: string, position: number }

/** An entry as a client means it; without a version, whatever it is. */
export interface EntryRef { sessionId: string, id: string, version?: number | undefined }

/** `started`: its turn has begun. `steered`: the running turn has it. `next`: that could not take it, and it is the next one. */
export type Sent = 'started' | 'steered' | 'next'

/** Runs in the transaction that does what is asked. */
type Accepted<Result> = (result: Result) => void

export const mostEntries = 100
export const mostBytes = 4 * 1024 * 1024

const frame = framesOf<typeof sessionFrames>()
const stale = (): Conflict =>
  new Conflict('This message was changed or has left the queue. Read the queue again', 'queue_changed')
const full = (): Conflict =>
  new Conflict(`A queue holds at most ${mostEntries} messages and 4 MiB. Wait until some have begun, or remove some`, 'queue_full')

/**
 * Messages that wait in conversations for the turns before them, for all devices of a person. {@link QueueAdvance} begins them. Each change
 * raises the version of the queue, and what it changes has that version: a client that means another state of an entry is refused.
 */
export function createQueue (options: QueueOptions) {
  const { db, clock, events, sessions, chat } = options
  const rows = createQueueRows(db)
  const advance = new QueueAdvance({ ...options, rows, changed })

  /** Why a queue does not go on by itself; null: it does, or nothing waits. */
  function heldOf (sessionId: string): Static<typeof QueueSchema>['held'] {
    if (rows.count(sessionId) === 0) return null
    const reason = rows.queue(sessionId)?.heldReason ?? null
    if (reason !== null) return { reason }
    if (chat.isParkedIn(sessionId)) return { reason: 'limit' }
    const isWaiting = chat.isLive(sessionId) && sessions.rowToWire(sessions.get(sessionId)).attention !== null
    return isWaiting ? { reason: 'waiting' } : null
  }

  /** Tells whoever looks at the session, or at lists; inside the transaction of the change. Returns the version that it has. */
  function changed (sessionId: string): number {
    const version = rows.raise(sessionId)
    if (rows.count(sessionId) === 0) rows.hold(sessionId, null)
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

  /** Throws NotFound, and Forbidden where nobody may speak. */
  function assertSpeakable (sessionId: string, profile?: string): void {
    const session = sessions.get(sessionId)
    if (profile !== undefined && profile !== session.profile) throw new NotFound('Session not found')
    if (session.readOnly) throw new Forbidden('This session is read-only')
  }

  /** Throws Conflict (`queue_changed`) unless it is there as it is meant. */
  function meant ({ sessionId, id, version }: EntryRef): Entry {
    assertSpeakable(sessionId)
    const entry = rows.find(sessionId, id)
    if (entry === undefined || (version !== undefined && version !== entry.version)) throw stale()
    return entry
  }

  /** Throws Conflict (`queue_full`) where `added` bytes, or one message more, are too many. */
  function assertRoom (sessionId: string, added: number, most: number): void {
    const there = rows.list(sessionId)
    if (there.length > most || there.reduce((sum, { sizeBytes }) => sum + sizeBytes, added) > mostBytes) throw full()
  }

  const change = async <Result>(work: () => Result, accepted?: Accepted<Result>): Promise<Result> => await db.durably(() => {
    const result = work()
    accepted?.(result)
    return result
  })

  /** Throws NotFound, Forbidden, Invalid for a blank message, and Conflict (`queue_full`). */
  async function add (
    {
      sessionId, profile, message, attachments, workspace, model, modelProvider, explicitModelPick, effort, personality, index = Infinity,
      notBefore
    }: NewMessage,
    accepted?: Accepted<Place>
  ): Promise<Place> {
    if (message.trim() === '') throw new Invalid('message is required')
    await redactAhead(message)
    return await change(() => {
      assertSpeakable(sessionId, profile)
      const sizeBytes = sizeOf(message, attachments)
      assertRoom(sessionId, sizeBytes, mostEntries - 1)
      const id = randomBytes(8).toString('hex')
      rows.insert({
        id, sessionId, message, attachments, model: model ?? null, modelProvider: modelProvider ?? null, explicitModelPick,
        effort: effort ?? null, personality: personality ?? null, workspace: workspace ?? null, sizeBytes, notBefore: notBefore ?? null,
        version: changed(sessionId), createdAt: epochSeconds(clock)
      }, index)
      return { id, position: rows.list(sessionId).findIndex((entry) => entry.id === id) + 1 }
    }, accepted)
  }

  /** Hands the text of an entry to the running turn; false where that does not take it, and the entry is the next one. */
  async function steer (entry: Entry, accepted?: Accepted<Sent>): Promise<boolean> {
    const { sessionId, id } = entry
    const { accepted: isTaken } = await chat.steer(sessionId, entry.message, {
      taken: () => {
        if (!rows.remove(entry)) throw stale()
        changed(sessionId)
        accepted?.('steered')
      },
      returned: () => {
        rows.insert({ ...entry, version: changed(sessionId) }, 0)
        accepted?.('next')
      }
    })
    if (isTaken || rows.find(sessionId, id) === undefined) return isTaken
    await change(() => first(entry), () => accepted?.('next'))
    return false
  }

  function first ({ sessionId, id }: Entry): void {
    if (rows.find(sessionId, id) === undefined) return
    rows.put(sessionId, id, 0)
    rows.change(id, { version: changed(sessionId), notBefore: null })
  }

  return {
    /** What waits, and whether it goes on; unless `typed`, with credentials masked. Throws NotFound. */
    async read (sessionId: string, { typed }: { typed: boolean }): Promise<Static<typeof QueueSchema>> {
      if (sessions.isForeign(sessionId)) return { queue: [], held: null }
      sessions.get(sessionId)
      const entries = rows.list(sessionId)
      if (!typed) await redactAhead(entries.map(({ message }) => message))
      const queue = entries.map(entryToWire)
      return { queue: typed ? queue : sessions.shown(queue), held: heldOf(sessionId) }
    },

    add,

    /** A message that waits where it cannot begin at once: a turn runs, or others wait. `start` begins it. */
    async send<Started> (input: NewMessage, start: () => Promise<Started>, accepted?: Accepted<Place>): Promise<Started | Place> {
      const { sessionId } = input
      if (!chat.isLive(sessionId) && !advance.isReady(sessionId)) {
        try {
          return await start()
        } catch (error) {
          if (!(error instanceof Conflict) || error.details['active_stream_id'] === undefined) throw error
        }
      }
      return await add(input, accepted)
    },

    /** Throws Invalid for a blank message, and Conflict (`queue_changed`, `queue_full`). */
    async edit (
      of: EntryRef, { message, attachments, ...wishes }: EntryChange,
      accepted?: Accepted<void>
    ): Promise<void> {
      if (message?.trim() === '') throw new Invalid('message is required')
      await redactAhead(message ?? '')
      await change(() => {
        const entry = meant(of)
        const { effort = entry.effort, personality = entry.personality } = wishes
        const now = { message: message ?? entry.message, attachments: attachments ?? entry.attachments, effort, personality }
        const sizeBytes = sizeOf(now.message, now.attachments)
        assertRoom(of.sessionId, sizeBytes - entry.sizeBytes, mostEntries)
        rows.change(entry.id, { ...now, sizeBytes, version: changed(of.sessionId) })
      }, accepted)
    },

    /** To a place in the order, from 0; beyond the end is the end. Throws Conflict (`queue_changed`). */
    move: async (of: EntryRef, index: number, accepted?: Accepted<void>): Promise<void> => await change(() => {
      const { id, sessionId } = meant(of)
      rows.put(sessionId, id, index)
      rows.change(id, { version: changed(sessionId) })
    }, accepted),

    /** Throws Conflict (`queue_changed`). */
    remove: async (of: EntryRef, accepted?: Accepted<void>): Promise<void> => await change(() => {
      const entry = meant(of)
      rows.remove(entry)
      changed(entry.sessionId)
    }, accepted),

    /** Before all others, and although the queue is held, which it stays. Throws Conflict (`queue_changed`), and what a start throws. */
    async sendNow (of: EntryRef, accepted?: Accepted<Sent>): Promise<Sent> {
      const entry = meant(of)
      if (!chat.isLive(entry.sessionId)) {
        await advance.begin(entry, { alongside: () => accepted?.('started') })
        return 'started'
      }
      if (entry.attachments.length === 0) return await steer(entry, accepted) ? 'steered' : 'next'
      await change(() => first(meant(of)), () => accepted?.('next'))
      return 'next'
    },

    /** Goes on, whatever holds it. Throws NotFound and Forbidden. */
    resume: async (sessionId: string, accepted?: Accepted<void>): Promise<void> => await change(() => {
      assertSpeakable(sessionId)
      if (rows.count(sessionId) === 0) return
      rows.resumed(sessionId, epochSeconds(clock))
      changed(sessionId)
    }, accepted),

    /** Removes all that is known as of that version. Throws Conflict (`queue_changed`) where something is younger. */
    clear: async (sessionId: string, version?: number, accepted?: Accepted<void>): Promise<void> => await change(() => {
      assertSpeakable(sessionId)
      const entries = rows.list(sessionId)
      if (version !== undefined && entries.some((entry) => entry.version > version)) throw stale()
      if (entries.length === 0) return
      rows.clear(sessionId)
      changed(sessionId)
    }, accepted),

    /** Whether something waits that begins by itself once the session is free. */
    isReady: (sessionId: string): boolean => advance.isReady(sessionId),

    /** See QueueAdvance. */
    takeUp: async (): Promise<void> => await advance.takeUp(),

    /** What it holds, for tests and metrics. */
    size: (): number => advance.size()
  }
}

export type Queue = ReturnType<typeof createQueue>

const sizeOf = (message: string, attachments: Attachment[]): number =>
  Buffer.byteLength(message) + (attachments.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(attachments)))
