import { randomBytes } from 'node:crypto'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { type Log } from '../../ground/log.js'
import { longestPauseS, Outbox, pausesS } from '../../ground/outbox.js'
import { redact } from '../../ground/redaction/index.js'
import { type DeliveryRow, type DeliveryRows } from './delivery-rows.js'
import { type JobRow, type JobRows } from './job-rows.js'
import { toMs } from './jobs.js'
import { wholeTo } from '../../ground/text/whole-characters.js'
import { type RunResult } from './report.js'
import { isSilent } from './run-results.js'
import { type JobRunRow, type RunRows } from './run-rows.js'
import { sendWebhook } from './webhook.js'
import { isoIn } from '../../ground/time/zones.js'

export interface DeliveriesOptions {
  db: Database
  clock: Clock
  jobs: JobRows
  runs: RunRows
  deliveries: DeliveryRows
  /** Returns the secret that signs a profile's webhooks, and makes it if there is none. */
  secretOf: (profile: string) => Promise<string>
  isPrivateAllowed: boolean
  /** Notifies browsers of a run. Returns how many. */
  ring: (job: JobRow, run: { sessionId: string | null, status: string }, everybody: boolean) => number
  /** Posts a message to a conversation; called inside a transaction. */
  post: (sessionId: string, job: JobRow, text: string) => 'posted' | 'busy' | 'gone'
  told: (jobId: string) => void
  log: Log
}

/** How many attempts run at once. */
const width = 4
const mostChars = 100_000
const longestSecret = 16_000

export const webhookPrefix = 'webhook:'
/** The prefix of a conversation's id in the column `target`. */
const originPrefix = 'origin:'
/** The pause while a turn is running there. The end of the turn wakes the delivery earlier; this is a fallback. */
const busyPauseS = 600

/** Delivers the answers of runs to the targets of their jobs. Retries until they have arrived or are abandoned, also across restarts. */
export class Deliveries {
  readonly #outbox: Outbox<DeliveryRow>

  constructor (readonly options: DeliveriesOptions) {
    const { clock, deliveries, log } = options
    this.#outbox = new Outbox({
      clock,
      width,
      due: deliveries.due,
      nextAfter: deliveries.nextAfter,
      send: (delivery, signal) => this.#send(delivery, signal),
      failed: ({ runId }, error) => log('the result of a delivery could not be stored', { runId, reason: String(error) })
    })
  }

  start (): void {
    const { db, clock, deliveries } = this.options
    // Deliveries that wait longer than the longest pause were planned while the clock was ahead.
    const latestS = epochSeconds(clock) + longestPauseS
    if ((deliveries.latest() ?? 0) > latestS) db.enqueue({ write: () => deliveries.hurry(latestS), committed: () => this.#outbox.look() })
    // The turns that these waited for ended with the earlier process, or will announce their end again.
    if (deliveries.areFor(originPrefix)) {
      db.enqueue({ write: () => deliveries.wake(originPrefix, epochSeconds(clock)), committed: () => this.#outbox.look() })
    }
    this.#outbox.look()
  }

  /** The number of pending deliveries. */
  pending = (): number => this.options.deliveries.pending()

  /** The number of failed attempts since the start. */
  failures = (): number => this.#outbox.failures

  /** Called when the turn of a conversation has ended: deliveries that waited for it are due. */
  turnEnded (sessionId: string): void {
    const { db, clock, deliveries } = this.options
    const target = originPrefix + sessionId
    if (deliveries.areFor(target)) {
      db.enqueue({ write: () => deliveries.wake(target, epochSeconds(clock)), committed: () => this.#outbox.look() })
    }
  }

  /** Aborts the current attempts and waits for them. */
  stop = async (): Promise<void> => await this.#outbox.stop()

  /** Called inside the transaction that ends a run: queues its answer for delivery, unless it is silent. */
  add (job: JobRow, run: JobRunRow, result: RunResult): void {
    if (isSilent(result)) return
    const { db, clock, deliveries } = this.options
    this.#ring(job, run, result)
    const target = job.deliver.startsWith(webhookPrefix)
      ? job.deliver.slice(webhookPrefix.length)
      : job.deliver === 'origin' && job.origin !== null ? originPrefix + job.origin : null
    if (target === null) return
    const nowS = epochSeconds(clock)
    const id = randomBytes(8).toString('hex')
    const body = target.startsWith(originPrefix) ? messageOfJob(job, result) : bodyOf(id, job, run, result, clock.now())
    deliveries.insert({ id, runId: run.id, target, body, createdAt: nowS, nextAttemptAt: nowS })
    db.afterCommit(() => this.#outbox.look())
  }

  /** Notifies browsers that want to hear of jobs, or all browsers. */
  #ring (job: JobRow, { id, sessionId }: JobRunRow, { status }: RunResult): void {
    const everybody = job.deliver === 'push'
    if (!everybody && !job.toast) return
    if (this.options.ring(job, { sessionId, status }, everybody) > 0 || !everybody) return
    const reason = 'No browser has subscribed to Web Push. Switch notifications on in one.'
    this.options.jobs.set(job.id, { lastDeliveryError: reason, ...(status === 'ok' && { lastStatus: 'delivery_failed' }) })
    this.options.db.afterCommit(() => this.#tellLost(job, id, { host: null, code: 'no_subscription', attempts: 1, reason }))
  }

  #tellLost ({ id }: JobRow, run: string, ended: { host: string | null, code: string | null, attempts: number, reason: string }): void {
    this.options.log('gave up a delivery', { job: id, run, ...ended })
  }

  async #send ({ id, runId, target, body, attempts }: DeliveryRow, signal: AbortSignal): Promise<'failed' | void> {
    const { db, clock, jobs, runs, deliveries, secretOf, isPrivateAllowed, told } = this.options
    const run = runs.find(runId)
    const job = run === undefined ? undefined : jobs.find(run.jobId)
    if (run === undefined || job === undefined) return
    if (target.startsWith(originPrefix)) return await this.#post({ id, runId, attempts }, job, target.slice(originPrefix.length), body)
    const attempt = await this.#attempt(job, { id, target, body, secretOf, isPrivateAllowed, signal })
    if (signal.aborted && !attempt.ok) return
    const pauseS = pausesS[attempts]
    const isOver = attempt.ok || attempt.isFinal || pauseS === undefined
    await db.durably(() => {
      const error = attempt.ok ? null : attempt.reason
      deliveries.set(id, {
        attempts: attempts + 1,
        error,
        state: attempt.ok ? 'done' : isOver ? 'failed' : 'pending',
        nextAttemptAt: isOver || pauseS === undefined ? null : epochSeconds(clock) + pauseS
      })
      const now = jobs.find(job.id)
      // A later run has stored its own result since.
      if (now === undefined || now.lastRunAt !== runs.find(runId)?.endedAt) return
      jobs.set(job.id, {
        lastDeliveryError: error, ...(error !== null && isOver && now.lastStatus === 'ok' && { lastStatus: 'delivery_failed' as const })
      })
    })
    if (isOver && !attempt.ok) {
      this.#tellLost(job, runId, { host: hostOf(target), code: attempt.code, attempts: attempts + 1, reason: attempt.reason })
    }
    told(job.id)
    if (!attempt.ok) return 'failed'
  }

  /** Posts a message exactly once, because posting and marking it as done share a transaction; while a turn is running there, it waits. */
  async #post (
    { id, runId, attempts }: Pick<DeliveryRow, 'id' | 'runId' | 'attempts'>, job: JobRow, sessionId: string, body: string
  ): Promise<'failed' | void> {
    const { db, clock, jobs, deliveries, post, told } = this.options
    const error = await db.durably(() => {
      const posted = post(sessionId, job, body)
      if (posted === 'busy') {
        deliveries.set(id, { nextAttemptAt: epochSeconds(clock) + busyPauseS })
        return null
      }
      const error = posted === 'gone'
        ? 'The conversation that the job was made in no longer exists. Give the job another place to deliver to.'
        : null
      deliveries.set(id, { state: error === null ? 'done' : 'failed', error, nextAttemptAt: null })
      const now = jobs.find(job.id)
      if (error !== null && now !== undefined) {
        jobs.set(job.id, { lastDeliveryError: error, ...(now.lastStatus === 'ok' && { lastStatus: 'delivery_failed' as const }) })
      }
      return error
    })
    if (error !== null) this.#tellLost(job, runId, { host: null, code: 'session_gone', attempts: attempts + 1, reason: error })
    told(job.id)
    if (error !== null) return 'failed'
  }

  async #attempt (job: JobRow, { secretOf, ...what }: {
    id: string
    target: string
    body: string
    isPrivateAllowed: boolean
    signal: AbortSignal
    secretOf: DeliveriesOptions['secretOf']
  }) {
    let secret: string
    try {
      secret = await secretOf(job.profile)
    } catch {
      return {
        ok: false as const, isFinal: false, code: 'no_secret',
        reason: 'The webhook has no secret to sign with, and none could be written to the profile\'s .env. Make that file writable.'
      }
    }
    return await sendWebhook(what.target, { ...what, secret })
  }
}

const hostOf = (target: string): string | null => URL.canParse(target) ? new URL(target).hostname : null

/** Returns the message that a conversation gets for a run of its job. */
function messageOfJob ({ name }: JobRow, { answer, error }: RunResult): string {
  const head = `Scheduled job “${name}”${error === null ? '' : ' failed'}`
  return [head, ...(error === null ? [] : [error]), ...(answer === '' ? [] : [wholeTo(answer, mostChars)])].join('\n\n')
}

/** Credentials are masked, as in all texts that leave the service. */
function bodyOf (deliveryId: string, job: JobRow, run: JobRunRow, { status, answer, error }: RunResult, endedMs: number): string {
  // Masked before it is cut, with some more text than is sent: no credential is cut in two, and masking does not scan megabytes.
  const text = redact(wholeTo(answer, mostChars + longestSecret))
  const output = wholeTo(text, mostChars)
  return JSON.stringify({
    event: 'cron.run',
    delivery_id: deliveryId,
    job_id: job.id,
    job_name: redact(job.name),
    profile: job.profile,
    run_id: run.id,
    session_id: run.sessionId,
    scheduled_for: run.slotAt === null ? null : isoIn(toMs(run.slotAt), job.zone),
    finished_at: isoIn(endedMs, job.zone),
    status,
    output,
    truncated: output.length < text.length || answer.length > mostChars + longestSecret,
    error: error === null ? null : redact(error)
  })
}
