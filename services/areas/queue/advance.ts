import { wishesIn, type Chat, type TurnOutcome } from '../chat/index.js'
import { Alarm } from '../../ground/time/alarm.js'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { isDiskTrouble, type Database } from '../../ground/database/index.js'
import { Conflict, NotFound } from '../../ground/errors.js'
import { type Log } from '../../ground/log.js'
import { type Sessions } from '../sessions/index.js'
import { type Entry, type QueueRows, type StoredHold } from './rows.js'

export interface AdvanceOptions {
  db: Database
  clock: Clock
  sessions: Pick<Sessions, 'get' | 'on'>
  chat: Pick<Chat, 'send' | 'isSettled' | 'lastEnded' | 'turns'>
  rows: QueueRows
  /** Called inside the transaction that changes the queue of a session. */
  changed: (sessionId: string) => void
  log: Log
}

const againMs = 5_000

/** The queue has changed between the check of its first message and the start of a turn with it. */
class Overtaken extends Conflict {}

/**
 * Begins the messages of queues, each once and in order: the next one as soon as the previous turn has sent its last frame. An entry is
 * removed in the transaction that stores its message. A turn that failed or was stopped holds the queue until a person resumes it. A
 * restart of the service holds nothing: afterwards the queue continues behind the interrupted turn.
 */
export class QueueAdvance {
  /** Sessions in which a message is being started. */
  readonly #beginning = new Set<string>()
  /** Turns that a person stopped when their answers stood already. */
  readonly #stoppedLate = new Set<string>()
  readonly #alarm: Alarm
  #hasRecovered = false
  #isStopped = false

  constructor (readonly options: AdvanceOptions) {
    const { clock, rows } = options
    this.#alarm = new Alarm(clock, () => {
      for (const sessionId of rows.due(epochSeconds(clock))) this.proceed(sessionId)
      this.watchTime()
    })
    this.#listen()
  }

  /** Whether a message waits that will begin by itself. */
  isReady (sessionId: string): boolean {
    return this.#next(sessionId) !== undefined
  }

  /** Begins the next message if possible. Called after each change of a queue, and at the end of each turn. */
  proceed (sessionId: string): void {
    // Turns that a stop of the service interrupted return messages before it is clear which queues are held.
    if (!this.#hasRecovered || this.#beginning.has(sessionId)) return
    void this.#advance(sessionId)
  }

  /**
   * Begins a message, even if its queue is held. `isMeant` and `alongside` are called in the transaction that stores it. Throws the errors
   * of starting a turn, and Conflict (`queue_changed`) if `isMeant` is false or the entry is gone.
   */
  async begin (
    entry: Entry, { waits = false, isMeant = () => true, alongside }: { waits?: boolean, isMeant?: () => boolean, alongside?: () => void }
  ): Promise<void> {
    const { sessionId, message, attachments, workspace, model, modelProvider, explicitModelPick, messageSource } = entry
    const { chat, db, rows, changed } = this.options
    const take = (): void => {
      if (!isMeant() || !rows.remove(entry)) throw new Overtaken('The queue has changed in the meantime', 'queue_changed')
      changed(sessionId)
      alongside?.()
    }
    const { isNew } = await chat.send({
      sessionId, message, attachments, explicitModelPick, source: messageSource ?? undefined, workspace: workspace ?? undefined,
      model: model ?? undefined, modelProvider: modelProvider ?? undefined, ...wishesIn(entry)
    }, { waits, alongside: take })
    // It was sent in another way meanwhile, and is not sent twice.
    if (!isNew) await db.durably(take)
  }

  /** Called after a start of the service: continues every queue that is not held, one after the other. Rejects if none can be read. */
  async recover (): Promise<void> {
    const { rows, chat } = this.options
    let free: string[] = []
    try {
      free = rows.sessions().filter((sessionId) => chat.isSettled(sessionId) && !this.#holdAgain(sessionId))
    } finally {
      this.#hasRecovered = true
    }
    for (const sessionId of free) if (!this.#beginning.has(sessionId)) await this.#advance(sessionId)
    this.watchTime()
  }

  /** Sets the alarm for the next time that a message waits for. */
  watchTime (): void {
    const { rows, clock } = this.options
    const atS = rows.nextTime(epochSeconds(clock))
    this.#alarm.set(atS === null ? null : atS * 1_000)
  }

  /** Returns how many messages are being started, for tests and metrics. */
  size (): number {
    return this.#beginning.size
  }

  /** Returns the message that may begin once the session is free; undefined if there is none. */
  #next (sessionId: string): Entry | undefined {
    const { rows, clock } = this.options
    const entry = rows.first(sessionId)
    if (entry === undefined || (rows.queue(sessionId)?.heldReason ?? null) !== null) return undefined
    return entry.notBefore !== null && entry.notBefore > epochSeconds(clock) ? undefined : entry
  }

  /** Never rejects: a queue that cannot be read stops neither the service nor other queues. */
  async #advance (sessionId: string): Promise<void> {
    this.#beginning.add(sessionId)
    try {
      // A turn may have ended before its start has returned.
      while (!this.#isStopped && this.options.chat.isSettled(sessionId)) {
        const entry = this.#next(sessionId)
        if (entry === undefined || !await this.#tried(entry)) return
      }
    } catch (error) {
      this.#report(sessionId, error)
    } finally {
      this.#beginning.delete(sessionId)
    }
  }

  /** Returns false if something else comes first, or the message cannot begin. */
  async #tried (entry: Entry): Promise<boolean> {
    const { sessionId } = entry
    try {
      // No request waits for it, so the message stays in the queue while no turn may begin.
      await this.begin(entry, { waits: true, isMeant: () => this.#next(sessionId)?.id === entry.id })
      return true
    } catch (error) {
      if (error instanceof Overtaken) return true
      // A person was faster, and the queue continues after their turn; or the session is gone.
      const isOther = (error instanceof Conflict && error.details['active_stream_id'] !== undefined) || !this.#exists(sessionId)
      if (isOther || this.#isStopped) return false
      this.options.log('a queued message could not begin', { session: sessionId, reason: String(error) })
      if (isDiskTrouble(error)) setTimeout(() => this.proceed(sessionId), againMs).unref()
      else this.#hold(sessionId, 'failed')
      return false
    }
  }

  #exists (sessionId: string): boolean {
    try {
      this.options.sessions.get(sessionId)
      return true
    } catch (error) {
      if (error instanceof NotFound) return false
      throw error
    }
  }

  #hold (sessionId: string, reason: StoredHold): void {
    this.options.db.soonest(() => this.#setHeld(sessionId, reason))
  }

  /** Called inside a transaction. An empty queue is never held. */
  #setHeld (sessionId: string, reason: StoredHold): void {
    const { rows, changed } = this.options
    if (rows.count(sessionId) === 0) return
    rows.hold(sessionId, reason)
    changed(sessionId)
  }

  /**
   * Holds a queue if a stop of the service came between the end of its last turn and the hold. Returns whether the queue must not continue;
   * true, too, if it cannot be read.
   */
  #holdAgain (sessionId: string): boolean {
    try {
      const reason = this.#leftHeld(sessionId)
      if (reason !== null) this.#hold(sessionId, reason)
      return reason !== null
    } catch (error) {
      this.#report(sessionId, error)
      return true
    }
  }

  #report (sessionId: string, error: unknown): void {
    if (!this.#isStopped) this.options.log('a queue could not be continued', { session: sessionId, reason: String(error) })
  }

  /** Returns why a queue has to be held because of how its last turn ended; null if it need not be. */
  #leftHeld (sessionId: string): StoredHold | null {
    const { rows, chat } = this.options
    const [first, last] = [rows.first(sessionId), chat.lastEnded(sessionId)]
    if (first === undefined || last?.endedAt == null) return null
    const since = Math.max(first.createdAt, rows.queue(sessionId)?.resumedAt ?? 0)
    return last.endedAt < since ? null : holdAfter(last.terminalState)
  }

  #listen (): void {
    const { chat: { turns }, sessions, db, rows } = this.options
    // The session is about to be deleted, together with what waits in it.
    sessions.on('removing', (ids) => { for (const id of ids) if (rows.count(id) > 0) this.#hold(id, 'cancelled') })
    turns.on('ended', ({ sessionId, streamId }, outcome) => {
      const isStoppedLate = this.#stoppedLate.delete(streamId)
      const reason = this.#isStopped ? null : isStoppedLate ? 'cancelled' : reasonOf(outcome)
      // The queue may still be empty: the last write of the turn can return messages to it.
      db.enqueue({
        write: () => { if (reason !== null) this.#setHeld(sessionId, reason) },
        committed: () => this.proceed(sessionId)
      })
    })
    turns.on('stoppedLate', ({ sessionId, streamId }) => {
      this.#stoppedLate.add(streamId)
      this.#hold(sessionId, 'cancelled')
    })
    turns.on('stopping', () => {
      this.#isStopped = true
      this.#alarm.stop()
    })
  }
}

/** Returns how a turn's end holds the queue; null if it does not. An interruption by a stop of the service does not. */
function holdAfter (terminalState: string | null): StoredHold | null {
  switch (terminalState) {
    case null: case 'completed': case 'tool_limit_reached': case 'client_calls': case 'interrupted-by-crash': return null
    case 'interrupted-by-user': return 'cancelled'
    case 'budget_exhausted': return 'budget'
    default: return 'failed'
  }
}

function reasonOf ({ state, ended }: TurnOutcome): StoredHold | null {
  if (state === 'done') return ended === 'budget_exhausted' ? 'budget' : null
  return state === 'cancelled' ? 'cancelled' : 'failed'
}
