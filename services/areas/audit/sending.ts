import { randomBytes } from 'node:crypto'
import { epochSeconds, type Clock } from '../../ground/clock.js'
import { createValues, type Database } from '../../ground/database/index.js'
import { Outbox, pausesS } from '../../ground/outbox.js'
import { type Audit } from './audit.js'
import { entryToWire } from './wire.js'

export interface SendingOptions {
  db: Database
  clock: Clock
  audit: Pick<Audit, 'after' | 'head' | 'onRecorded' | 'removedUpTo'>
  /** Where entries are sent to; null: nowhere. */
  webhook: () => string | null
  /** Sends a body once. Never rejects. */
  post: (target: string, what: { id: string, body: string, signal: AbortSignal }) => Promise<{ ok: true } | { ok: false, reason: string }>
  log: (message: string, details: Record<string, unknown>) => void
}

/** Up to which entry all were sent; `nextAttemptAt` in epoch seconds. */
interface Sent { upTo: number, attempts: number, nextAttemptAt: number }

const key = 'audit_webhook'
const mostAtOnce = 100
/** More do not wait: the oldest are left out, which the receiver sees in their ids. */
const mostWaiting = 10_000

/**
 * Sends the entries of the audit log to a webhook, in their order and again and again until they have arrived, also after a restart. The
 * log itself is what waits; nothing that is recorded waits for it.
 */
export function createSending ({ db, clock, audit, webhook, post, log }: SendingOptions) {
  const values = createValues(db.sqlite)
  const sent = (): Sent | undefined => values.get(key) as Sent | undefined
  const keep = async (now: Sent): Promise<void> => await db.durably(() => values.set(key, now, epochSeconds(clock)))
  const isWaiting = (): boolean => webhook() !== null && audit.head().id > (sent()?.upTo ?? Infinity)

  const outbox = new Outbox<{ id: string }>({
    clock,
    width: 1,
    due: (nowS) => isWaiting() && (sent()?.nextAttemptAt ?? 0) <= nowS ? [{ id: key }] : [],
    nextAfter (nowS) {
      const next = sent()?.nextAttemptAt ?? 0
      return isWaiting() && next > nowS ? next : null
    },
    send: (_item, signal) => send(signal),
    failed: (_item, error) => log('up to which entry the audit log was sent could not be stored', { reason: String(error) })
  })

  async function send (signal: AbortSignal): Promise<void> {
    const [target, before] = [webhook(), sent()]
    if (target === null || before === undefined) return
    const entries = audit.after(Math.max(before.upTo, audit.head().id - mostWaiting, audit.removedUpTo()), mostAtOnce)
    const last = entries.at(-1)
    if (last === undefined) return
    const id = randomBytes(8).toString('hex')
    const body = `{"event":"audit","delivery_id":"${id}","entries":[${entries.map(entryToWire).join(',')}]}`
    const attempt = await post(target, { id, body, signal })
    if (signal.aborted && !attempt.ok) return
    if (attempt.ok) return await keep({ upTo: last.id, attempts: 0, nextAttemptAt: 0 })
    if (before.attempts === 0) log('entries of the audit log could not be sent', { reason: attempt.reason })
    const pauseS = pausesS[Math.min(before.attempts, pausesS.length - 1)] ?? 0
    await keep({ ...before, attempts: before.attempts + 1, nextAttemptAt: epochSeconds(clock) + pauseS })
  }

  audit.onRecorded(() => outbox.look())

  return {
    /** The webhook may be another one. A new one gets what is recorded from now on. */
    async look (): Promise<void> {
      const isSet = webhook() !== null
      if (isSet && sent() === undefined) await keep({ upTo: audit.head().id, attempts: 0, nextAttemptAt: 0 })
      else if (!isSet && sent() !== undefined) await db.durably(() => values.remove(key))
      outbox.look()
    },

    /** Breaks off what is under way, and waits for that. */
    stop: (): Promise<void> => outbox.stop()
  }
}
