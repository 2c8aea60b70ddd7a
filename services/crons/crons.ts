import { randomBytes } from 'node:crypto'
import { type Chat } from '../chat/index.js'
import { epochSeconds, type Clock } from '../ground/clock.js'
import { type Database } from '../ground/database/index.js'
import { Conflict, Invalid, NotFound } from '../ground/errors.js'
import { type Sessions } from '../sessions/index.js'
import { type Skills } from '../skills/index.js'
import { columnsOfFields, nameOf, scheduleColumns, timesOf, type JobFields } from './changes.js'
import { Deliveries } from './deliveries.js'
import { createDeliveryRows } from './delivery-rows.js'
import { createJobRows, type JobRow } from './job-rows.js'
import { isEnabled, isUsedUp, planned } from './jobs.js'
import { messageOf, type EarlierOutput } from './message.js'
import { listOutput, moveOutput, readOutput, removeOutput, writeOutput } from './output.js'
import { goneReason, Planner } from './planner.js'
import { responseIn } from './report.js'
import { createRunRows, type RunRow } from './run-rows.js'
import { CronRuns } from './runs.js'
import { zoneOf } from './zones.js'

export interface CronsOptions {
  db: Database
  clock: Clock
  sessions: Sessions
  chat: Pick<Chat, 'open' | 'cancel' | 'turn' | 'turns'>
  skills: Pick<Skills, 'invoke' | 'note'>
  /** What config.yaml of a profile says; undefined when there is no such profile. */
  configOf: (profile: string) => Readonly<Record<string, unknown>> | undefined
  /** Undefined when there is no such profile. */
  homeOf: (profile: string) => string | undefined
  /** The real path of a folder that may serve as a workspace. Throws Invalid. */
  folder: (path: string) => Promise<string>
  defaultFolder: () => string
  /** The secret that a profile's webhooks are signed with; made when there is none. */
  secretOf: (profile: string) => Promise<string>
  isPrivateAllowed: boolean
  areShown: () => boolean
  told: (change: CronChange) => void
  log: (message: string, details: Record<string, unknown>) => void
  /** Runs at once. */
  width?: number
}

/** Something has happened to a job; null when it is gone. */
export interface CronChange {
  jobId: string
  job: JobRow | null
  event: 'created' | 'updated' | 'removed' | 'started' | 'ended' | 'skipped' | 'delivered'
  run?: { sessionId: string | null, status: string }
}

const mostJobs = 5_000
const usualWidth = 4
const usualRetention = 50
/** The ledger is kept so long: a clock that is put back further than this could have a slot run again. */
const ledgerKeptS = 90 * 24 * 3600
/** A job of every second that is slow passes over most of its slots. */
const skippedKeptS = 24 * 3600

/** Jobs that run at times, each run a turn in a session of its own. */
export function createCrons (options: CronsOptions) {
  const { db, clock, sessions, chat, skills, configOf, homeOf, folder, defaultFolder, secretOf, isPrivateAllowed, areShown, log } = options
  const jobs = createJobRows(db)
  const runs = createRunRows(db)
  const told = (jobId: string, event: CronChange['event'], run?: CronChange['run']): void => options.told({ jobId, job: jobs.find(jobId) ?? null, event, ...(run && { run }) })
  const cronConfig = (profile: string): Record<string, unknown> => (configOf(profile)?.cron ?? {}) as Record<string, unknown>
  const zone = (profile: string): string => zoneOf(configOf(profile) ?? {})
  const deliveries = new Deliveries({ db, clock, jobs, runs, deliveries: createDeliveryRows(db), secretOf, isPrivateAllowed, told: (jobId) => told(jobId, 'delivered'), log })
  const work = new CronRuns({
    db, clock, jobs, runs, sessions, chat, areShown, told, log,
    width: options.width ?? usualWidth,
    workspaceOf: async ({ workspace }) => workspace === null ? defaultFolder() : await folder(workspace),
    modelOf: (profile) => {
      if (configOf(profile) === undefined) throw new Invalid(goneReason(profile))
      const { model } = cronConfig(profile)
      return typeof model === 'string' && model !== '' ? model : undefined
    },
    messageOf: (job) => messageOf(job, { earlier: (name) => earlierOutput(job, name), withSkills: (names, request) => withSkills(job.profile, names, request) }),
    write: async (job, text, atMs, isAgain) => await writeOutput(existingHome(job.profile), job.id, { text, atMs, zone: job.zone, keep: retention(job.profile), isAgain }),
    deliver: (job, run, result) => deliveries.add(job, run, result)
  })
  const planner = new Planner({
    db, clock, jobs, runs, zoneOf: zone, told, log,
    isThere: (profile) => homeOf(profile) !== undefined,
    queued: (runIds) => work.enqueue(runIds)
  })

  function retention (profile: string): number {
    const { output_retention: kept } = cronConfig(profile)
    return typeof kept === 'number' && Number.isFinite(kept) ? Math.max(0, Math.floor(kept)) : usualRetention
  }

  function existingHome (profile: string): string {
    const home = homeOf(profile)
    if (home === undefined) throw new NotFound('Profile not found')
    return home
  }

  function existing (id: string): JobRow {
    const job = jobs.find(id)
    if (job === undefined) throw new NotFound('Job not found')
    return job
  }

  async function earlierOutput (job: JobRow, name: string | undefined): Promise<EarlierOutput | null> {
    const id = name === undefined ? job.id : jobs.named(job.profile, name)
    if (id === undefined) return null
    const home = existingHome(job.profile)
    for (const { filename } of (await listOutput(home, id)).slice(0, usualRetention)) {
      const text = responseIn(await readOutput(home, id, filename).catch(() => ''))
      if (text !== null) return { job: jobs.find(id)?.name ?? id, text }
    }
    return null
  }

  async function withSkills (profile: string, names: readonly string[], request: string) {
    const { loaded, ...found } = await skills.invoke(profile, names, request)
    for (const name of loaded) skills.note(profile, name, 'use')
    return found
  }

  /** The columns that only a look at the job can say, inside the transaction that changes it. Throws Invalid. */
  function changed (job: JobRow, columns: Partial<JobRow>, schedule: Awaited<ReturnType<typeof scheduleColumns>> | null, times: number | null | undefined): Partial<JobRow> {
    const isOther = schedule !== null && schedule.expression !== job.expression
    if (job.state === 'completed' && (isOther || (times !== undefined && times !== job.repeatTimes))) throw new Invalid('This job is over: it cannot be made to run again. Make a new one')
    const isOtherKind = isOther && schedule.kind !== job.kind
    const repeat = isOtherKind ? { repeatTimes: schedule.kind === 'once' ? 1 : null, repeatCompleted: 0 } : {}
    const next = { ...job, ...columns, ...(isOther && schedule), ...repeat, ...(times !== undefined && { repeatTimes: times }) }
    if (times !== undefined && job.state !== 'completed' && isUsedUp(next)) throw new Invalid(`repeat: the job has run ${next.repeatCompleted} times already`)
    // What happens once keeps its time in another profile, also one that is due at this moment.
    const isMoved = isOther || (job.kind !== 'once' && next.profile !== job.profile)
    return { ...next, ...(isMoved && isEnabled(job) && planned(next, justBefore(next.runAt, clock.now()), () => zone(next.profile))), updatedAt: epochSeconds(clock) }
  }

  /** A profile that there is. Throws Invalid. */
  function profileOf (name: string): string {
    const profile = name.trim()
    if (configOf(profile) === undefined) throw new Invalid(`There is no profile named "${profile}"`)
    return profile
  }

  function stopRun (jobId: string): void {
    const run = runs.openOf(jobId)
    if (run?.streamId != null) chat.cancel(run.streamId)
  }

  async function change (id: string, make: (job: JobRow) => Partial<JobRow>): Promise<JobRow> {
    const job = await db.durably(() => jobs.set(id, make(existing(id)))!)
    told(id, 'updated')
    await planner.look()
    return jobs.find(id) ?? job
  }

  return {
    /** Oldest first; null: of all profiles. */
    list: (profile: string | null): JobRow[] => jobs.list(profile),
    elsewhere: jobs.elsewhere,
    /** The newest run of a job. */
    newest: (id: string): RunRow | undefined => runs.newest(id),

    /** Throws Invalid. */
    async create (fields: JobFields & { prompt: string, schedule: string, profile: string }): Promise<JobRow> {
      const profile = profileOf(fields.profile)
      const columns = await columnsOfFields(fields, { isPrivateAllowed, folder })
      const nowMs = clock.now()
      const schedule = await scheduleColumns(fields.schedule, { nowMs, zone: zone(profile) })
      if (columns.deliver !== undefined && columns.deliver !== 'local') await secretOf(profile)
      const nowS = nowMs / 1000
      const base = {
        id: randomBytes(6).toString('hex'), profile, prompt: fields.prompt, skills: [], model: null, provider: null, workspace: null, deliver: 'local', toast: true, ask: 'deny' as const,
        lastError: null, createdAt: nowS, updatedAt: nowS, ...columns, ...schedule,
        repeatTimes: timesOf(fields.repeat) ?? (schedule.kind === 'once' && fields.repeat !== 'forever' ? 1 : null)
      }
      const plan = planned(base, justBefore(schedule.runAt, nowMs), () => zone(profile))
      const job = await db.durably(() => {
        if (jobs.count() >= mostJobs) throw new Invalid(`At most ${mostJobs} jobs; delete one first`)
        return jobs.insert({ ...base, name: columns.name ?? nameOf(fields.prompt, columns.skills ?? []), ...plan })
      })
      told(job.id, 'created')
      await planner.look()
      return jobs.find(job.id) ?? job
    },

    /** Changes what is said; a schedule that is the same leaves its slots where they are. Throws NotFound and Invalid. */
    async update (id: string, fields: JobFields): Promise<JobRow> {
      const before = existing(id)
      const profile = fields.profile === null || fields.profile === undefined ? before.profile : profileOf(fields.profile)
      const columns = { ...await columnsOfFields(fields, { isPrivateAllowed, folder }), profile }
      const isSame = fields.schedule === null || fields.schedule === undefined || [before.expression, before.display].includes(fields.schedule.trim())
      const schedule = isSame ? null : await scheduleColumns(fields.schedule!, { nowMs: clock.now(), zone: zone(profile) })
      if (columns.deliver !== undefined && columns.deliver !== 'local') await secretOf(profile)
      const job = await change(id, (job) => changed(job, columns, schedule, timesOf(fields.repeat)))
      const from = homeOf(before.profile)
      if (profile !== before.profile && from !== undefined) {
        await moveOutput(from, existingHome(profile), id).catch((error: unknown) => log('the output of a job could not be taken along', { jobId: id, reason: (error as NodeJS.ErrnoException).code ?? 'unknown' }))
      }
      return job
    },

    /** Removes the job, its output and the sessions of its runs that nobody has made their own; a run that is at work is stopped. Throws NotFound. */
    async remove (id: string): Promise<void> {
      const { profile } = existing(id)
      // Looked at in the transaction that removes it: a run may be about to begin.
      const { own, streamId } = await db.durably(() => {
        const left = { own: runs.sessionsOf(id), streamId: runs.openOf(id)?.streamId ?? null }
        if (!jobs.remove(id)) throw new NotFound('Job not found')
        return left
      })
      if (streamId !== null) chat.cancel(streamId)
      told(id, 'removed')
      const home = homeOf(profile)
      if (home !== undefined) await removeOutput(home, id).catch((error: unknown) => log('the output of a job could not be removed', { jobId: id, reason: (error as NodeJS.ErrnoException).code ?? 'unknown' }))
      for (const sessionId of own) await sessions.remove(sessionId).catch(() => {})
      await planner.look()
    },

    /** Runs it now, beside its slots. `elapsedS`: it is running already, for so long. Throws NotFound. */
    async run (id: string): Promise<{ elapsedS: number } | null> {
      const job = existing(id)
      if (configOf(job.profile) === undefined) throw new Conflict(goneReason(job.profile))
      const runId = await db.durably(() => {
        existing(id)
        return runs.openOf(id) === undefined ? work.enter(id) : null
      })
      if (runId === null) return { elapsedS: elapsed(runs.openOf(id)) }
      work.enqueue([runId])
      told(id, 'updated')
      return null
    },

    /** Throws NotFound, and Invalid for one that is over. */
    pause: (id: string, reason: string | null): Promise<JobRow> => change(id, (job) => {
      if (job.state === 'completed') throw new Invalid('This job is over: there is nothing to pause')
      const nowS = epochSeconds(clock)
      return { state: 'paused', pausedAt: nowS, pausedReason: reason, nextRunAt: null, updatedAt: nowS }
    }),

    /** Goes on from the next slot after now. Throws NotFound, and Invalid for one that is over or whose time has passed. */
    resume: (id: string): Promise<JobRow> => change(id, (job) => {
      if (job.state === 'completed' || isUsedUp(job)) throw new Invalid('This job is over: it cannot be made to run again. Make a new one')
      if (configOf(job.profile) === undefined) throw new Invalid(goneReason(job.profile))
      if (isEnabled(job) && job.nextRunAt !== null) return { updatedAt: epochSeconds(clock) }
      const plan = planned(job, clock.now(), () => zone(job.profile))
      if (job.kind === 'once' && plan.nextRunAt === null && runs.openOf(id) === undefined) throw new Invalid('The time of this job has passed: give it another one')
      return { ...plan, pausedAt: null, pausedReason: null, updatedAt: epochSeconds(clock) }
    }),

    /** Seconds since the run that is at work began; null when there is none. Throws NotFound. */
    elapsed (id: string): number | null {
      existing(id)
      const run = runs.openOf(id)
      return run === undefined ? null : elapsed(run)
    },
    /** The same of all jobs that run. */
    running: (): Record<string, number> => Object.fromEntries(runs.open().map((run) => [run.jobId, elapsed(run)])),

    /** The newest first. Throws NotFound. */
    files: async (id: string) => await listOutput(homeOf(existing(id).profile) ?? '/nonexistent', id),
    /** Throws NotFound. */
    file: async (id: string, filename: string) => await readOutput(homeOf(existing(id).profile) ?? '/nonexistent', id, filename),
    usage: runs.usage,
    recent: runs.recent,

    /** A profile is about to go: its runs are stopped. */
    leaving (profile: string): void {
      for (const { jobId } of runs.open()) if (jobs.find(jobId)?.profile === profile) stopRun(jobId)
    },
    /** A profile has come or gone, or its files say something else. */
    async profileChanged (profile: string): Promise<void> {
      if (configOf(profile) === undefined) {
        const paused = await db.durably(() => jobs.pauseAll(profile, goneReason(profile), epochSeconds(clock)))
        for (const id of paused) told(id, 'updated')
      } else if (jobs.profiles().includes(profile)) {
        await planner.replan(profile)
        await planner.look()
      }
    },

    /** Looks at once for what is due. */
    look: (): Promise<void> => planner.look(),

    /** When everything else is ready. */
    async start (): Promise<void> {
      for (const profile of jobs.profiles()) {
        if (configOf(profile) === undefined) await db.durably(() => jobs.pauseAll(profile, goneReason(profile), epochSeconds(clock)))
      }
      work.start()
      deliveries.start()
      await planner.start()
    },
    async stop (): Promise<void> {
      planner.stop()
      await work.close()
      await deliveries.stop()
    },

    /** Sessions of runs stand in lists from now on, or do not. */
    async show (isShown: boolean): Promise<void> {
      await db.durably(() => {
        sessions.rows.showSource('cron', isShown)
        sessions.changed('cron_sessions')
      })
    },

    /** Removes sessions of old runs that nobody has made their own, and what is old of the ledger. */
    async sweep (): Promise<void> {
      work.writeMissing()
      for (const { id, profile } of jobs.list(null)) {
        const keep = retention(profile)
        if (keep === 0) continue
        for (const sessionId of runs.sessionsBehind(id, keep)) await sessions.remove(sessionId).catch(() => {})
      }
      const nowS = epochSeconds(clock)
      db.enqueue({ write: () => runs.forget({ doneS: nowS - ledgerKeptS, skippedS: nowS - skippedKeptS }) })
    },

    /** What it holds, for tests and metrics. */
    size: (): number => work.size()
  }

  function elapsed (run: RunRow | undefined): number {
    if (run === undefined) return 0
    return Math.max(0, Math.round((epochSeconds(clock) - (run.startedAt ?? run.createdAt)) * 10) / 10)
  }
}

/** From when on the next slot is looked for: a moment that has passed a little while ago, and is accepted, is still to come. */
const justBefore = (runAtS: number | null, nowMs: number): number => Math.min(nowMs, (runAtS ?? Infinity) * 1000 - 1)

export type Crons = ReturnType<typeof createCrons>
