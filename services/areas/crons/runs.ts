import { randomBytes } from 'node:crypto'
import { type Chat } from '../chat/index.js'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { codeOf, Conflict, DomainError, TooMany } from '../../ground/errors.js'
import { type Log } from '../../ground/log.js'
import { type Sessions } from '../sessions/index.js'
import { type UsageLog } from '../usage/index.js'
import { type JobRow, type JobRows } from './job-rows.js'
import { type RunMessage } from './message.js'
import { reportOf, type RunResult } from './report.js'
import { type JobRunRow, type RunRows } from './run-rows.js'
import { isoIn } from '../../ground/time/zones.js'
import { answered, afterRun, interrupted, resultOf, outOfBudget } from './run-results.js'

export interface RunsOptions {
  db: Database
  clock: Clock
  jobs: JobRows
  runs: RunRows
  sessions: Sessions
  usageLog: Pick<UsageLog, 'addJobRun'>
  chat: Pick<Chat, 'open' | 'turn' | 'turns' | 'isParked'>
  /** How many runs are active at once. */
  width: number
  /** Returns the folder that a job works in. Throws Invalid when it no longer exists. */
  workspaceOf: (job: JobRow) => Promise<string>
  /** Returns the default model for a profile's jobs. Throws Invalid for a deleted profile. */
  modelOf: (profile: string) => string | undefined
  /** `request`: the request of a call; null: the job's prompt is used. */
  messageOf: (job: JobRow, request: string | null) => Promise<RunMessage>
  /** Whether lists show the sessions of runs. */
  areShown: () => boolean
  /** Writes the file of a run and returns its name. `isAgain`: it may have been written before. */
  write: (job: JobRow, report: string, endedMs: number, isAgain: boolean) => Promise<string>
  /** Called inside the transaction that ends a run: queues its answer for delivery. */
  deliver: (job: JobRow, run: JobRunRow, result: RunResult) => void
  told: (jobId: string, event: 'started' | 'ended' | 'updated', run?: { sessionId: string | null, status: string }) => void
  log: Log
}

/** Whether a run may ask a person. */
type Lane = 'alone' | 'asking'

/** How many times more runs are active at once if they may ask. */
const askingFactor = 8

/** How many runs of a job that is called may be queued or active. */
const mostCalled = 100

/** How long the service retries writing the file of an answer, in seconds. */
const unwrittenKeptS = 24 * 3600

/**
 * The runs of jobs. Each is queued in the ledger until there is room, becomes a turn in a session of its own, and stores its result with
 * the job.
 */
export class CronRuns {
  readonly #waiting = new Map<string, Lane>()
  /** Runs that have begun, or are about to. */
  readonly #begun = new Map<string, Lane>()
  /** Ids of runs by their streams. */
  readonly #turns = new Map<string, string>()
  /** Files being written, by run id. */
  readonly #writing = new Map<string, Promise<void>>()
  #isStarted = false
  #isStopped = false

  constructor (readonly options: RunsOptions) {
    const { runs, chat: { turns } } = options
    turns.on('stopping', () => { this.#isStopped = true })
    turns.on('recovered', () => this.#recover())
    // A run that waits for the limit of a provider must not delay other runs.
    turns.on('parked', ({ streamId }) => {
      const runId = this.#turns.get(streamId)
      if (runId !== undefined) this.#leave(runId)
    })
    turns.on('resumed', ({ streamId }) => {
      const run = runs.open().find((open) => open.streamId === streamId)
      if (run !== undefined) this.#follow(run.id, streamId)
    })
    turns.on('ended', ({ streamId }, outcome) => {
      const runId = this.#turns.get(streamId)
      if (runId !== undefined) this.#finish(runId, resultOf(outcome))
    })
  }

  /** Begins queued runs, and writes the files that a stop of the service has left unwritten. */
  start (): void {
    this.#isStarted = true
    this.#advance()
    this.writeMissing()
  }

  /** Writes the missing files of ended runs: the service was stopped before, or the disk was full. */
  writeMissing (): void {
    const { runs, jobs, sessions, clock } = this.options
    for (const run of runs.unwritten(epochSeconds(clock) - unwrittenKeptS)) {
      const job = jobs.find(run.jobId)
      if (this.#writing.has(run.id) || job === undefined || run.endedAt === null || run.status === null) continue
      const { sessionId } = run
      const isGone = sessionId === null || sessions.rows.find(sessionId) === undefined
      const answer = isGone ? '' : sessions.transcript.lastAnswer(sessionId)
      this.#write(job, run, { status: run.status, answer, error: run.error }, run.endedAt * 1000, true)
    }
  }

  /** Queues runs that are in the ledger. They begin in this order, as soon as there is room. */
  enqueue (runIds: readonly string[]): void {
    for (const id of runIds) if (!this.#begun.has(id)) this.#waiting.set(id, this.#laneOf(id))
    this.#advance()
  }

  /** Enters a manual run into the ledger, inside a transaction. Throws Conflict while another run of the job is open. */
  enter (jobId: string): string {
    const id = randomBytes(6).toString('hex')
    if (this.options.runs.openOf(jobId) !== undefined) throw new Conflict('The job is already running')
    this.options.runs.enter({ id, jobId, slotAt: null, state: 'queued', createdAt: epochSeconds(this.options.clock) })
    return id
  }

  /** Enters a run for a call, inside a transaction: a job may have several at once. Throws TooMany. */
  enterCalled (jobId: string, request: string): string {
    const id = randomBytes(6).toString('hex')
    if (this.options.runs.openCount(jobId) >= mostCalled) throw new TooMany(`At most ${mostCalled} calls of a hook wait or run at once`)
    this.options.runs.enter({ id, jobId, slotAt: null, state: 'queued', request, createdAt: epochSeconds(this.options.clock) })
    return id
  }

  /** Waits for files that are being written. */
  async close (): Promise<void> {
    this.#isStopped = true
    await Promise.allSettled([...this.#writing.values()])
  }

  /** The number of entries in memory, for tests and metrics. */
  size (): number {
    return this.#waiting.size + this.#begun.size + this.#turns.size
  }

  #advance (): void {
    if (!this.#isStarted) return
    for (const [runId, lane] of this.#waiting) {
      if (this.#isStopped) return
      if (!this.#hasRoom(lane)) continue
      this.#waiting.delete(runId)
      this.#begun.set(runId, lane)
      this.#begin(runId).catch((error: unknown) => {
        // A turn that exists reports its own end.
        if (this.#isStopped || [...this.#turns].some(([streamId, id]) => id === runId && this.options.chat.turn(streamId) !== undefined)) {
          return
        }
        const isTheirs = error instanceof DomainError
        const ended = { host: null, code: 'blocked_config', attempts: 1, reason: isTheirs ? error.message : String(error) }
        this.options.log('a scheduled run could not be started', { job: this.options.runs.find(runId)?.jobId, run: runId, ...ended })
        this.#finish(runId, {
          status: 'blocked_config', answer: '',
          error: isTheirs ? error.message : 'The run could not be started; the log of the service has the details.'
        })
      })
    }
  }

  /** Runs that may wait for a person, for however long, must not delay the others. */
  #hasRoom (lane: Lane): boolean {
    const begun = [...this.#begun.values()].filter((other) => other === lane).length
    return begun < this.options.width * (lane === 'asking' ? askingFactor : 1)
  }

  #laneOf (runId: string): Lane {
    const { runs, jobs } = this.options
    return jobs.find(runs.find(runId)?.jobId ?? '')?.ask === 'wait' ? 'asking' : 'alone'
  }

  async #begin (runId: string): Promise<void> {
    const { clock, jobs, runs, sessions, chat, workspaceOf, modelOf, messageOf, areShown, told } = this.options
    const run = runs.find(runId)
    const job = run === undefined ? undefined : jobs.find(run.jobId)
    // The job or run was removed in the meantime.
    if (run?.state !== 'queued' || job === undefined) return this.#leave(runId)
    const workspace = await workspaceOf(job)
    const model = job.model ?? modelOf(job.profile)
    const input = {
      ...await messageOf(job, run.request), attachments: [],
      ...(model === undefined ? {} : { model, modelProvider: job.provider ?? undefined })
    }
    await chat.open({
      session: () => {
        if (jobs.find(job.id) === undefined) throw new Conflict('The job was deleted')
        return sessions.insert({
          profile: job.profile,
          workspace,
          title: `${job.name} · ${isoIn(clock.now(), job.zone).slice(0, 16).replace('T', ' ')}`,
          source: 'cron',
          model: job.model ?? undefined,
          modelProvider: job.provider ?? undefined,
          // A session that waits for a person has to be visible.
          hidden: !areShown() && job.ask === 'deny'
        })
      },
      input,
      fields: { _source: 'cron' },
      waits: true,
      plan: (session) => ({
        kind: 'cron', input, toolset: 'all', promptsIn: session.id, attended: job.ask === 'wait',
        budget: { scope: 'job', id: job.id, ...(job.dailyUsd !== null && { limits: { hard_usd: job.dailyUsd } }) }
      }),
      alongside: ({ session, streamId }) => {
        if (!runs.begin(runId, { sessionId: session.id, streamId, startedAt: epochSeconds(clock) })) {
          throw new Conflict('This run is already over')
        }
        for (const [stream, id] of this.#turns) if (id === runId) this.#turns.delete(stream)
        this.#turns.set(streamId, runId)
      }
    })
    told(job.id, 'started')
  }

  /** Stores the result in the ledger and with the job, in the same commit as the last frames of the turn. */
  #finish (runId: string, result: RunResult): void {
    const { db, clock, jobs, runs, usageLog, deliver, told } = this.options
    const run = runs.find(runId)
    const job = run === undefined ? undefined : jobs.find(run.jobId)
    if (run === undefined || job === undefined) return this.#leave(runId)
    const endedMs = clock.now()
    let isEnded = false
    db.enqueue({
      write: () => {
        isEnded = runs.end(runId, { status: result.status, error: result.error, endedAt: endedMs / 1000 })
        const now = jobs.find(job.id)
        if (!isEnded || now === undefined) return
        usageLog.addJobRun({ profile: now.profile, jobId: job.id, name: now.name, isFailed: result.status !== 'ok' })
        jobs.set(job.id, afterRun(now, result, endedMs / 1000))
        deliver(now, run, result)
      },
      committed: () => {
        if (!isEnded) return
        told(job.id, 'ended', { sessionId: run.sessionId, status: result.status })
        this.#write(job, run, result, endedMs)
      },
      refused: (error) => this.options.log('the result of a scheduled run could not be stored', { runId, reason: error.message })
    })
    this.#leave(runId)
  }

  #write (job: JobRow, run: JobRunRow, result: RunResult, endedMs: number, isAgain = false): void {
    const { db, runs, write, told, log } = this.options
    const writing = write(job, reportOf(job, result, endedMs), endedMs, isAgain)
      .then((filename) => { db.enqueue({ write: () => runs.setOutput(run.id, filename), committed: () => told(job.id, 'updated') }) })
      .catch((error: unknown) => log('the output of a scheduled run could not be written', {
        jobId: job.id, runId: run.id, reason: codeOf(error) ?? String(error)
      }))
      .finally(() => this.#writing.delete(run.id))
    this.#writing.set(run.id, writing)
  }

  #follow (runId: string, streamId: string): void {
    this.#begun.set(runId, this.#laneOf(runId))
    this.#turns.set(streamId, runId)
  }

  #leave (runId: string): void {
    this.#begun.delete(runId)
    for (const [streamId, id] of this.#turns) if (id === runId) this.#turns.delete(streamId)
    this.#advance()
  }

  /** Handles what a stop of the service has left: running turns are followed, queued runs are queued again, all others end. */
  #recover (): void {
    const { db, runs, chat, sessions } = this.options
    for (const run of runs.open()) {
      const { id, streamId, sessionId } = run
      if (run.state === 'queued') this.#waiting.set(id, this.#laneOf(id))
      else if (streamId !== null && chat.turn(streamId) !== undefined) this.#follow(id, streamId)
      else if (streamId === null || !chat.isParked(streamId)) {
        const ended = streamId === null ? undefined : runs.terminalState(streamId)
        const isAnswered = ended === 'completed' || ended === 'tool_limit_reached'
        const answer = (): string => sessionId === null ? '' : sessions.transcript.lastAnswer(sessionId)
        this.#finish(id, isAnswered ? answered(answer()) : ended === 'budget_exhausted' ? outOfBudget(answer()) : interrupted)
      }
    }
    db.catchUp()
  }
}
