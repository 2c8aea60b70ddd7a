import { type chatFrames } from '../../../../schemas/chat.js'
import { Alarm } from '../../../ground/time/alarm.js'
import { epochSeconds, type Clock } from '../../../ground/time/clock.js'
import { isDiskTrouble, type Database } from '../../../ground/database/index.js'
import { Invalid, NotFound } from '../../../ground/errors.js'
import { framesOf, type EventBroker } from '../../../ground/events/index.js'
import { type Listeners } from '../../../ground/listeners.js'
import { type Log } from '../../../ground/log.js'
import { type ModelChoice } from '../../models/index.js'
import { type SessionRow, type Sessions } from '../../sessions/index.js'
import { type Recovery } from '../recovery/recovery.js'
import { type TurnStore } from '../rows.js'
import { type TurnStarts } from '../starting.js'
import { type TurnEvents } from '../turn-events.js'
import { type TurnInput } from '../turn-plan.js'
import { type Turns } from '../turns.js'
import { parkForPerson } from './at-limit.js'
import { pauseS } from './decision.js'
import { toldOf, type NamedModel } from './rows.js'

export interface ParkingOptions {
  db: Database
  events: EventBroker
  clock: Clock
  sessions: Sessions
  store: TurnStore
  turns: Turns
  starts: TurnStarts
  recovery: Pick<Recovery, 'restore'>
  listeners: Listeners<TurnEvents>
  log: Log
}

/** What a person wants of a parked turn. `now`: resume at once; false: at its time. `model`: another one than the turn has waited for. */
export interface ResumeWish { streamId: string, now: boolean, model?: string | undefined, modelProvider?: string | undefined }

/** `resumed`: false if the turn resumes later, or was no longer parked. `resumesAt`: when it resumes by itself; null: it does not wait. */
export interface ResumeAnswer { resumed: boolean, resumesAt: number | null }

/** Turns of one provider resume one after the other. */
const spacingMs = 1_000
const jitterMs = 250
const againMs = 5_000
const frame = framesOf<typeof chatFrames>()

/**
 * Turns that wait for a limit of their provider to pass. While they do, they are only rows: no run, no timer of their own. Each resumes
 * once, however many requests ask for it, and with a generation of its own. The row stays until something was heard of the new run, so a
 * stop of the service in between starts it again.
 */
export class Parking {
  readonly #alarm: Alarm
  #notBeforeMs = 0
  #isStopped = false

  constructor (readonly options: ParkingOptions) {
    const { clock, listeners, sessions } = options
    this.#alarm = new Alarm(clock, () => this.resumeDue())
    listeners.on('parked', () => this.watch())
    listeners.on('recovered', () => {
      this.#tellTimes()
      this.watch()
    })
    listeners.on('stopping', () => {
      this.#isStopped = true
      this.#alarm.stop()
    })
    sessions.on('removing', (ids) => { for (const id of ids) this.cancelIn(id) })
    sessions.on('archived', (id) => { this.cancelIn(id) })
  }

  /** Sets the alarm for the next parked turn. */
  watch (): void {
    const atS = this.options.store.nextParked()
    this.#alarm.set(atS === null ? null : Math.max(atS * 1_000, this.#notBeforeMs))
  }

  /** Whether a stream is parked and has no turn in memory. */
  isParked (streamId: string): boolean {
    return this.options.turns.get(streamId) === undefined && this.options.store.parked(streamId) !== undefined
  }

  /** Whether the active turn of a session is parked. */
  isParkedIn (sessionId: string): boolean {
    const streamId = this.options.store.activeStream(sessionId)
    return streamId !== undefined && this.isParked(streamId)
  }

  /**
   * Resumes a turn, once however many requests ask for it. Throws NotFound for an unknown stream, Invalid for a model that cannot answer,
   * and Unavailable (`restarting`) while no turn may begin.
   */
  async resume ({ streamId, now, model, modelProvider }: ResumeWish): Promise<ResumeAnswer> {
    const { store, starts, clock, db } = this.options
    const session = this.#sessionOf(streamId)
    if (!this.isParked(streamId)) return this.#standing(streamId)
    if (now && starts.gate.isHeld) throw starts.gate.refusal()
    const isNamed = model !== undefined || modelProvider !== undefined
    const wanted = isNamed ? await starts.chooseModel(session, named({ model, modelProvider })) : now ? await this.#choose(streamId) : null
    if (wanted !== null && 'error' in wanted) {
      const problem = isNamed ? wanted.error : await this.#problemOf(streamId, Promise.resolve(wanted))
      if (problem !== null) throw new Invalid(problem)
    }
    const other = isNamed && wanted !== null && !('error' in wanted)
      ? { provider: wanted.ref.provider, model: wanted.ref.id, providerName: wanted.providerName ?? wanted.ref.provider }
      : null
    if (now) return await this.#resume(streamId, other, wanted) ? { resumed: true, resumesAt: null } : this.#standing(streamId)
    await db.durably(() => {
      const parked = store.parked(streamId)
      if (parked === undefined) return
      store.waitUntil(streamId, parked.resumesAt ?? epochSeconds(clock) + pauseS(parked.tries), other)
    })
    this.#tellTimes()
    this.watch()
    return this.#standing(streamId)
  }

  /** Returns the state of a turn that this request did not resume. */
  #standing (streamId: string): ResumeAnswer {
    const parked = this.options.store.parked(streamId)
    return { resumed: false, resumesAt: parked === undefined || parked.isResuming ? null : parked.resumesAt }
  }

  /** Stops a parked turn in the same way as a running one. Returns false if it is not parked. */
  cancel (streamId: string): boolean {
    const { store, recovery, listeners } = this.options
    const parked = this.isParked(streamId) ? store.parked(streamId) : undefined
    const turn = parked === undefined ? null : recovery.restore(parked)
    if (parked === undefined || turn === null) return false
    listeners.emit('resumed', turn, parked.parkedAt)
    return turn.ending.cancel()
  }

  cancelIn (sessionId: string): void {
    const parked = this.options.store.parkedIn(sessionId)
    if (parked !== undefined) this.cancel(parked.streamId)
  }

  /** Called when a profile is about to be deleted: none of its turns may resume. */
  cancelOf (profile: string): void {
    for (const streamId of this.options.store.parkedOf(profile)) this.cancel(streamId)
  }

  /** Resumes the turns that are due. */
  resumeDue (): void {
    const { store, clock, db, starts, log } = this.options
    if (this.#isStopped) return
    const nowS = epochSeconds(clock)
    // A time further in the future means that the clock was set back.
    if (this.#notBeforeMs > clock.now() + againMs) this.#notBeforeMs = 0
    const isEarly = clock.now() < this.#notBeforeMs
    if (!isEarly && !starts.gate.isHeld) {
      db.enqueue({ write: () => { if (store.waitAnew(nowS)) db.afterCommit(() => this.#tellTimes()) } })
      db.catchUp()
      const due = store.dueParked(nowS)
      if (due.length > 0) this.#notBeforeMs = clock.now() + spacingMs + Math.random() * jitterMs
      for (const { streamId } of due) {
        this.#resume(streamId).catch((error: unknown) => {
          log('a parked turn could not be resumed', { stream: streamId, reason: String(error) })
          if (isDiskTrouble(error)) this.#notBeforeMs = clock.now() + againMs
        }).finally(() => this.watch())
      }
    } else if (starts.gate.isHeld) this.#notBeforeMs = clock.now() + spacingMs
    this.watch()
  }

  /**
   * Tells readers of parked turns if time or model differ from what they were told last: a person has changed them, the clock was set back,
   * or a backup was restored.
   */
  #tellTimes (): void {
    const { store, events, sessions } = this.options
    for (const { sessionId, generation, parked } of store.parkedOtherwise()) {
      events.commit(parked.streamId, generation, () => {
        sessions.changed('turn_parked', sessionId)
        return [frame('parked', { session_id: sessionId, ...toldOf(parked) })]
      }, () => {}) // it resumes already
    }
  }

  /** Returns false if another request was faster, the turn is over, or a person is asked because it cannot resume. */
  async #resume (streamId: string, other: NamedModel = null, wanted: ModelChoice | null = null): Promise<boolean> {
    const { db, clock, store, turns } = this.options
    if (!await db.durably(() => store.beginResuming(streamId, epochSeconds(clock), other))) return false
    try {
      return await this.#launch(streamId, wanted === null ? this.#choose(streamId) : Promise.resolve(wanted))
    } catch (error) {
      // Parked again, because otherwise nothing would resume it.
      if (turns.get(streamId) === undefined) {
        db.soonest(() => {
          store.parkAgain(streamId)
          db.afterCommit(() => this.watch())
        })
      }
      throw error
    }
  }

  async #launch (streamId: string, choosing: Promise<ModelChoice>): Promise<boolean> {
    const { store, turns, recovery, listeners } = this.options
    const problem = await this.#problemOf(streamId, choosing)
    const parked = store.parked(streamId)
    // It may have been stopped in the meantime.
    if (parked?.isResuming !== true || turns.get(streamId) !== undefined || this.#isStopped) return false
    const turn = recovery.restore(parked)
    if (turn === null || (problem !== null && parkForPerson(turn, problem))) return false
    listeners.emit('resumed', turn, parked.parkedAt)
    turn.recorder.resumed()
    turns.launch(turn, choosing)
    return true
  }

  /**
   * Returns why a turn can resume neither with its model nor with another one of its profile; null if it can, or if its run will report the
   * error itself.
   */
  async #problemOf (streamId: string, choosing: Promise<ModelChoice>): Promise<string | null> {
    const choice = await choosing.catch(() => null)
    if (choice === null || !('error' in choice)) return null
    return await this.options.turns.context.fallback(this.#sessionOf(streamId), []) === null ? choice.error : null
  }

  async #choose (streamId: string): Promise<ModelChoice> {
    const { model, provider } = this.options.store.parked(streamId) ?? {}
    return await this.options.starts.chooseModel(this.#sessionOf(streamId), named({ model, modelProvider: provider }))
  }

  /** Throws NotFound. */
  #sessionOf (streamId: string): SessionRow {
    const { store, sessions } = this.options
    const stream = store.stream(streamId)
    if (stream === undefined) throw new NotFound('stream not found')
    return sessions.get(stream.sessionId)
  }
}

const named = ({ model, modelProvider }: Pick<ResumeWish, 'model' | 'modelProvider'>): Pick<TurnInput, 'model' | 'modelProvider'> => ({
  ...(model === undefined ? {} : { model }), ...(modelProvider === undefined ? {} : { modelProvider })
})
