import { Type, type Static } from '@sinclair/typebox'
import { createHash } from 'node:crypto'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { createValues, type Database } from '../../ground/database/index.js'
import { asError } from '../../ground/errors.js'
import { type Log } from '../../ground/log.js'
import { Outbox, pausesS } from '../../ground/outbox.js'
import { type Audit } from './audit.js'
import { type AuditRow } from './chain.js'

/** Where entries are sent. */
export interface Destination {
  /** The key under which the progress is stored. */
  key: string
  /** Its name in the log, such as `webhook`. */
  name: string
  /** Returns its address; null if none is set. */
  target: () => string | null
  /** Sends entries once, in order. Rejects with the reason if that fails. */
  post: (target: string, entries: AuditRow[], signal: AbortSignal) => Promise<void>
}

export interface AuditSendingOptions {
  db: Database
  clock: Clock
  audit: Pick<Audit, 'after' | 'head' | 'onRecorded' | 'removedUpTo'>
  destination: Destination
  log: Log
}

/** The last entry that was sent to the target with this fingerprint; `nextAttemptAt` in epoch seconds. */
const SendingState = Type.Object({ target: Type.String(), upTo: Type.Number(), attempts: Type.Number(), nextAttemptAt: Type.Number() })
type SendingState = Static<typeof SendingState>

const mostAtOnce = 100
/** If more are waiting, the oldest are skipped, which the receiver can see from their ids. */
const mostWaiting = 10_000
/** A fingerprint is stored, because an address may contain a secret. */
const fingerprint = (target: string): string => createHash('sha256').update(target).digest('hex').slice(0, 16)

/**
 * Sends the entries of the audit log to a destination, in order, and retries until they have arrived, even after a restart. The log itself
 * is the queue; recording never waits for it.
 */
export function createAuditSending ({ db, clock, audit, destination, log }: AuditSendingOptions) {
  const { key, name, target } = destination
  const values = createValues(db.sqlite)
  /** Undefined also if the stored progress is that of another target. */
  const sent = (): SendingState | undefined => {
    const now = target()
    if (now === null) return undefined
    const stored = values.read(key, SendingState)
    return stored?.target === fingerprint(now) ? stored : undefined
  }
  const keep = async (now: SendingState): Promise<void> => await db.durably(() => values.set(key, now, epochSeconds(clock)))
  /** Stores the progress of a target, unless another target has replaced it meanwhile. */
  const proceed = async (now: SendingState): Promise<void> => {
    const isStill = (): boolean => values.read(key, SendingState)?.target === now.target
    await db.durably(() => { if (isStill()) values.set(key, now, epochSeconds(clock)) })
  }
  /** Returns the progress if entries are waiting. */
  const behind = (): SendingState | undefined => {
    const state = sent()
    return state !== undefined && audit.head().id > state.upTo ? state : undefined
  }

  const outbox = new Outbox<{ id: string }>({
    clock,
    width: 1,
    due: (nowS) => (behind()?.nextAttemptAt ?? Infinity) <= nowS ? [{ id: key }] : [],
    nextAfter (nowS) {
      const next = behind()?.nextAttemptAt ?? 0
      return next > nowS ? next : null
    },
    send: (_item, signal) => send(signal),
    failed: (_item, error) => log('the last entry of the audit log that was sent could not be stored', { to: name, reason: String(error) })
  })

  async function send (signal: AbortSignal): Promise<'failed' | void> {
    const [to, before] = [target(), sent()]
    if (to === null || before === undefined) return
    const entries = audit.after(Math.max(before.upTo, audit.head().id - mostWaiting, audit.removedUpTo()), mostAtOnce)
    const last = entries.at(-1)
    if (last === undefined) return
    try {
      await destination.post(to, entries, signal)
    } catch (error) {
      if (signal.aborted) return
      if (before.attempts === 0) log('entries of the audit log could not be sent', { to: name, reason: asError(error).message })
      const pauseS = pausesS[Math.min(before.attempts, pausesS.length - 1)] ?? 0
      await proceed({ ...before, attempts: before.attempts + 1, nextAttemptAt: epochSeconds(clock) + pauseS })
      return 'failed'
    }
    await proceed({ ...before, upTo: last.id, attempts: 0, nextAttemptAt: 0 })
  }

  audit.onRecorded(() => outbox.look())

  return {
    /** Called when the target may have changed. A new one receives what is recorded from now on. */
    async look (): Promise<void> {
      const to = target()
      if (to === null) {
        if (values.get(key) !== undefined) await db.durably(() => values.remove(key))
      } else if (sent() === undefined) {
        await keep({ target: fingerprint(to), upTo: audit.head().id, attempts: 0, nextAttemptAt: 0 })
      }
      outbox.look()
    },

    /** Aborts what is in progress, and waits for that. */
    stop: (): Promise<void> => outbox.stop()
  }
}
