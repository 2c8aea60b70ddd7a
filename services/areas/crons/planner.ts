import { randomBytes } from 'node:crypto'
import { epochSeconds, monotonicMs, type Clock } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { type Log } from '../../ground/log.js'
import { Alarm } from '../../ground/time/alarm.js'
import { present } from '../../ground/present.js'
import { type JobRow, type JobRows } from './job-rows.js'
import { nextRunColumns, scheduleOf, toMs } from './jobs.js'
import { type RunRows } from './run-rows.js'
import { graceMs } from './slots.js'

/** `zoneOf` throws if a profile names an unknown time zone. */
export interface PlannerOptions {
  db: Database
  clock: Clock
  jobs: JobRows
  runs: RunRows
  zoneOf: (profile: string) => string
  /** Whether the profile exists. */
  isThere: (profile: string) => boolean
  /** Called with runs that were entered into the ledger and wait to begin. */
  queued: (runIds: string[]) => void
  /** Called when a slot was skipped, or a job was stopped. */
  told: (jobId: string, event: 'skipped' | 'updated') => void
  log: Log
}

/** How many jobs are processed in one transaction, so that streaming turns do not wait longer. */
const atOnce = 50
/** The smallest difference that means the clock was set, and not just drifted. */
const jumpMs = 5_000

/**
 * Takes the slots that are due, with one timer for all jobs. A slot is entered into the ledger in the transaction that moves its job to the
 * next one, so each is taken exactly once, despite crashes and changes of the clock.
 */
export class Planner {
  readonly #alarm: Alarm
  #isStopped = false
  #looking: Promise<void> | null = null
  #isWanted = false
  #seen: { wallMs: number, monotonicMs: number }

  constructor (readonly options: PlannerOptions) {
    this.#alarm = new Alarm(options.clock, () => { void this.look() })
    this.#seen = this.#moment()
  }

  /** Called after a start of the service. */
  async start (): Promise<void> {
    const { jobs, clock } = this.options
    if ((jobs.latestWrite() ?? 0) > epochSeconds(clock) + jumpMs / 1000) await this.replan()
    await this.look()
  }

  stop (): void {
    this.#isStopped = true
    this.#alarm.stop()
  }

  /** Takes what is due and sets the timer for the next slot. Never rejects. */
  async look (): Promise<void> {
    this.#isWanted = true
    this.#looking ??= this.#lookWhileWanted().finally(() => { this.#looking = null })
    await this.#looking
  }

  /** Finds the next slots of all recurring jobs again, or of those of a profile whose zone has changed. */
  async replan (profile?: string): Promise<void> {
    const { db, jobs, clock, zoneOf } = this.options
    const ids = jobs.recurring(profile)
    for (let start = 0; start < ids.length; start += atOnce) {
      await db.durably(() => {
        for (const id of ids.slice(start, start + atOnce)) {
          const job = jobs.find(id)
          if (job === undefined || (job.state !== 'scheduled' && job.state !== 'error')) continue
          const plan = nextRunColumns(job, clock.now(), () => zoneOf(job.profile))
          // A missed slot stays due, so that it can be made up for.
          const isDue = job.nextRunAt !== null && job.nextRunAt <= epochSeconds(clock)
          if (plan.state !== job.state || plan.zone !== job.zone || (!isDue && plan.nextRunAt !== job.nextRunAt)) {
            jobs.set(id, { ...plan, updatedAt: epochSeconds(clock) })
          }
        }
      })
    }
  }

  async #lookWhileWanted (): Promise<void> {
    const { jobs, log } = this.options
    let isTrouble = false
    while (this.#isWanted && !this.#isStopped) {
      this.#isWanted = false
      try {
        await this.#work()
      } catch (error) {
        isTrouble = true
        log('schedules could not be checked; retrying', { reason: String(error) })
      }
    }
    if (this.#isStopped) return
    const next = jobs.nextDue()
    this.#alarm.set(isTrouble ? this.options.clock.now() + 1_000 : next === null ? null : toMs(next))
  }

  async #work (): Promise<void> {
    const { db, jobs, clock, queued, told } = this.options
    const { wallMs, monotonicMs: passedMs } = this.#seen
    this.#seen = this.#moment()
    const isPutBack = (this.#seen.wallMs - wallMs) - (this.#seen.monotonicMs - passedMs) < -jumpMs
    if (isPutBack) await this.replan()
    while (!this.#isStopped) {
      const nowMs = clock.now()
      if ((jobs.nextDue() ?? Infinity) > nowMs / 1000) return
      const taken = await db.durably(() => jobs.due(nowMs / 1000, atOnce).map((job) => ({ id: job.id, ...this.#take(job, nowMs) })))
      if (taken.length === 0) return
      queued(taken.flatMap(({ runId }) => runId ?? []))
      for (const { id, event } of taken) if (event !== undefined) told(id, event)
    }
  }

  /** Called inside a transaction: enters the slot of a job into the ledger, as a run or as skipped, and moves the job to its next slot. */
  #take (job: JobRow, nowMs: number): { runId?: string, event?: 'skipped' | 'updated' } {
    const { jobs, runs, zoneOf, isThere } = this.options
    const nowS = nowMs / 1000
    if (!isThere(job.profile)) {
      jobs.set(job.id, { state: 'paused', pausedAt: nowS, pausedReason: goneReason(job.profile), nextRunAt: null, updatedAt: nowS })
      return { event: 'updated' }
    }
    const slotAt = present(job.nextRunAt, 'the slot of a job that is due')
    const next = { ...nextRunColumns(job, nowMs, () => zoneOf(job.profile)), updatedAt: nowS }
    const why = this.#reasonAgainst(job, slotAt, nowMs)
    const entry = { id: randomBytes(6).toString('hex'), jobId: job.id, slotAt, createdAt: nowS }
    if (why === null) {
      const isNew = runs.enter({ ...entry, state: 'queued' })
      jobs.set(job.id, next)
      return isNew ? { runId: entry.id } : {}
    }
    runs.enter({ ...entry, state: 'skipped', error: why, endedAt: nowS })
    const isOver = job.kind === 'once' && why === missed
    jobs.set(job.id, { ...next, lastSkippedAt: slotAt, ...(isOver && { state: 'completed', lastStatus: 'error', lastError: missed }) })
    return { event: 'skipped' }
  }

  #reasonAgainst (job: JobRow, slotAt: number, nowMs: number): string | null {
    if (this.options.runs.openOf(job.id) !== undefined) return 'The run before was still at work'
    const slotMs = toMs(slotAt)
    if (nowMs - slotMs <= leastLateMs) return null
    try {
      return nowMs - slotMs <= graceMs(scheduleOf(job), slotMs, { zone: job.zone, anchorMs: toMs(job.anchorAt) }) ? null : missed
    } catch {
      return missed
    }
  }

  #moment (): { wallMs: number, monotonicMs: number } {
    return { wallMs: this.options.clock.now(), monotonicMs: monotonicMs(this.options.clock) }
  }
}

/** A delay up to this is always on time; beyond it, finding out costs more. */
const leastLateMs = 120_000
const missed = 'Its time passed while the service did not run'

/** Returns why jobs of a deleted profile do not run. */
export const goneReason = (profile: string): string => `The profile ${profile} no longer exists`
