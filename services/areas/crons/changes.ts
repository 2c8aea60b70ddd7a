import { randomBytes } from 'node:crypto'
import { epochSeconds } from '../../ground/time/clock.js'
import { codeOf, Conflict, Invalid } from '../../ground/errors.js'
import { asSaved, refuseOwnSecrets } from '../../ground/redaction/index.js'
import { present } from '../../ground/present.js'
import { type Clearing } from './clearing.js'
import { type CronsContext } from './context.js'
import { webhookPrefix } from './deliveries.js'
import { type DeliveryRows } from './delivery-rows.js'
import { calledColumns, columnsOfFields, nameOf, scheduleColumns, timesOf, type JobFields } from './fields.js'
import { type JobRow } from './job-rows.js'
import { isEnabled, isUsedUp, nextRunColumns } from './jobs.js'
import { moveOutput, removeOutput } from './output.js'
import { goneReason, type Planner } from './planner.js'
import { scheduleWords } from './words.js'

const mostJobs = 5_000
/**
 * The sessions of as many runs disappear in the transaction that removes their job. Normally that is all: upkeep removes the sessions of
 * older runs every hour, unless the profile keeps more outputs.
 */
const concealedAtOnce = 500

/** The columns that are not set for a new job. */
const unused = {
  dailyUsd: null,
  repeatCompleted: 0, pausedAt: null, pausedReason: null, lastRunAt: null, lastStatus: null, lastDeliveryError: null, lastSkippedAt: null,
  failureStreak: 0
}

/** Checks a job inside the transaction that changes it, and throws if it may not be changed. */
export type Assertion = (job: JobRow) => void
const anything: Assertion = () => {}

/** `schedule`: null for a job that runs only when its hook is called. */
export type NewJob = JobFields & { prompt: string, schedule: string | null, profile: string }

interface Parts {
  planner: Pick<Planner, 'look'>
  clearing: Pick<Clearing, 'clearAway'>
  deliveries: Pick<DeliveryRows, 'removeOf'>
}

/** Changes of jobs by people. Each change is on disk, and the planner has processed it, when it resolves. */
export function createJobChanges (context: CronsContext, parts: Parts) {
  const { planner } = parts
  const { db, clock, audit, homeOf, secretOf, log, jobs, news, existing, existingHome } = context

  async function change (id: string, assert: Assertion, make: (job: JobRow) => Partial<JobRow>): Promise<JobRow> {
    const job = await db.durably(() => {
      const before = existing(id)
      assert(before)
      const made = present(jobs.set(id, make(before)), 'the job')
      audit.record('job.changed', recorded(made))
      return made
    })
    news(id, 'updated')
    await planner.look()
    return jobs.find(id) ?? job
  }

  return {
    /** `stored` runs in the transaction that stores the job. Throws Invalid. */
    async create (fields: NewJob, stored: (job: JobRow) => void = () => {}): Promise<JobRow> {
      const row = await newJob(context, fields)
      const job = await db.durably(() => {
        if (jobs.count() >= mostJobs) throw new Invalid(`At most ${mostJobs} jobs; delete one first`)
        const made = jobs.insert(row)
        stored(made)
        audit.record('job.created', recorded(made))
        return made
      })
      news(job.id, 'created')
      await planner.look()
      return jobs.find(job.id) ?? job
    },

    /** Returns a job as it would be, made or changed, without storing it. Throws Invalid and NotFound. */
    async foresee (job: JobRow | null, fields: JobFields): Promise<JobRow> {
      if (job === null) return { ...unused, ...await newJob(context, fields as NewJob) }
      const what = await prepared(context, job, asStored(job, fields))
      await assertSkills(context, what, job)
      return { ...job, ...changed(context, job, what) }
    },

    /**
     * Changes the given fields and keeps all others at their current values, so that concurrent changes of different fields both take
     * effect. An unchanged schedule keeps its slots. Throws NotFound, Invalid and Conflict.
     */
    async update (id: string, fields: JobFields, assert = anything): Promise<JobRow> {
      const before = existing(id)
      const what = await prepared(context, before, asStored(before, fields))
      await assertSkills(context, what, before)
      const { profile, columns: { deliver } } = what
      if (deliver?.startsWith(webhookPrefix) === true) await secretOf(profile)
      let formerly = before.profile
      const job = await change(id, assert, (job) => {
        const isUnsaid = fields.schedule === null || fields.schedule === undefined
        if (!isUnsaid && what.schedule === null && job.expression !== before.expression) {
          throw new Conflict('Someone else changed the schedule of this job at the same time')
        }
        formerly = job.profile
        return changed(context, job, what)
      })
      const from = homeOf(formerly)
      if (job.profile !== formerly && from !== undefined) {
        await moveOutput(from, existingHome(job.profile), id).catch((error: unknown) =>
          log('the output of a job could not be moved', { jobId: id, reason: codeOf(error) ?? 'unknown' }))
      }
      return job
    },

    /** See `removeJob`. */
    async remove (id: string, assert = anything): Promise<void> {
      await removeJob(context, parts, id, assert)
      await planner.look()
    },

    /** Throws NotFound, and Invalid for a finished job. */
    pause: (id: string, reason: string | null, assert = anything): Promise<JobRow> => change(id, assert, (job) => {
      if (job.state === 'completed') throw new Invalid('This job is finished and cannot be paused')
      const nowS = epochSeconds(clock)
      return { ...resting(nowS, reason === null ? null : asSaved('reason', reason, job.pausedReason)), updatedAt: nowS }
    }),

    /** Continues with the next slot after now. Throws NotFound, and Invalid for a job that is finished or whose time has passed. */
    resume: (id: string, assert = anything): Promise<JobRow> =>
      change(id, assert, (job) => ({ ...goingOn(context, job), updatedAt: epochSeconds(clock) }))
  }
}

/**
 * Removes the job, its output and the sessions of its runs that nobody has continued; an active run is stopped. What takes long goes in the
 * background: nobody sees it any more. Throws NotFound.
 */
async function removeJob (
  context: CronsContext, { clearing, deliveries }: Pick<Parts, 'clearing' | 'deliveries'>, id: string, assert: Assertion
): Promise<void> {
  const { db, audit, sessions, chat, homeOf, log, jobs, runs, news, existing } = context
  existing(id)
  // Read in the transaction that removes the job, because a run may be about to begin.
  const { own, streamIds, profile } = await db.durably(() => {
    const job = existing(id)
    assert(job)
    const streamIds = runs.open().flatMap((run) => run.jobId === id ? run.streamId ?? [] : [])
    // A turn is stopped before its session disappears.
    const own = runs.quietSessionsOf(id, concealedAtOnce).map(sessions.conceal)
    deliveries.removeOf(id)
    jobs.remove(id)
    audit.record('job.deleted', recorded(job))
    return { profile: job.profile, own, streamIds }
  })
  for (const streamId of streamIds) chat.cancel(streamId)
  news(id, 'removed')
  const home = homeOf(profile)
  if (home !== undefined) {
    await removeOutput(home, id).catch((error: unknown) =>
      log('the output of a job could not be removed', { jobId: id, reason: codeOf(error) ?? 'unknown' }))
  }
  void clearing.clearAway(id, own)
}

/** Returns the row of a new job. Throws Invalid, and NotFound for an unknown conversation. */
async function newJob (context: CronsContext, wanted: NewJob) {
  const fields = asStored(null, wanted)
  const { clock, secretOf, profileOf, zone } = context
  const profile = profileOf(fields.profile)
  const columns = await columnsOfFields(fields, context)
  refuseOwnSecrets('The job', [columns.name, fields.prompt])
  await assertSkills(context, { profile, columns }, null)
  if (columns.origin != null && context.sessions.get(columns.origin).profile !== profile) {
    throw new Invalid('session_id: that conversation belongs to another profile')
  }
  const nowMs = clock.now()
  const schedule = fields.schedule === null
    ? calledColumns({ nowMs, zone: zone(profile) })
    : await scheduleColumns(fields.schedule, { nowMs, zone: zone(profile) })
  if (columns.deliver?.startsWith(webhookPrefix) === true) await secretOf(profile)
  const nowS = nowMs / 1000
  const base = {
    id: randomBytes(6).toString('hex'), profile, prompt: fields.prompt, skills: [], model: null, provider: null, workspace: null,
    origin: null, deliver: 'local', toast: true, ask: 'deny' as const,
    lastError: null, createdAt: nowS, updatedAt: nowS, ...columns, ...schedule,
    repeatTimes: timesOf(fields.repeat) ?? (schedule.kind === 'once' && fields.repeat !== 'forever' ? 1 : null)
  }
  const plan = nextRunColumns(base, justBefore(schedule.runAt, nowMs), () => zone(profile))
  return {
    ...base, name: columns.name ?? nameOf(fields.prompt, columns.skills ?? []), ...plan,
    ...(fields.enabled === false && resting(nowS, null))
  }
}

/** Throws Invalid with the names of skills that are new to the job and that its profile does not have. */
async function assertSkills (
  { skills }: CronsContext, { profile, columns }: { profile: string, columns: Partial<JobRow> }, before: JobRow | null
): Promise<void> {
  const kept = before?.profile === profile ? before.skills : []
  const added = (columns.skills ?? before?.skills ?? []).filter((name) => !kept.includes(name))
  const found = await Promise.all(added.map(async (name) => await skills.has(profile, name)))
  const unknown = added.filter((_, index) => found[index] === false)
  if (unknown.length > 0) {
    throw new Invalid(`skills: there is no skill named ${unknown.map((name) => `"${name.slice(0, 100)}"`).join(', ')} in this profile`)
  }
}

/** The columns of a paused job. */
function resting (nowS: number, reason: string | null): Pick<JobRow, 'state' | 'pausedAt' | 'pausedReason' | 'nextRunAt'> {
  return { state: 'paused', pausedAt: nowS, pausedReason: reason, nextRunAt: null }
}

/**
 * Returns the columns of a job that continues with its next slot after now. Throws Invalid for one that is finished or whose time has
 * passed.
 */
function goingOn ({ clock, zone, configOf, runs }: CronsContext, job: JobRow): Partial<JobRow> {
  if (job.state === 'completed' || isUsedUp(job)) throw new Invalid('This job is finished and cannot run again. Create a new one')
  if (configOf(job.profile) === undefined) throw new Invalid(goneReason(job.profile))
  if (isEnabled(job) && job.nextRunAt !== null) return {}
  const plan = nextRunColumns(job, clock.now(), () => zone(job.profile))
  if (job.kind === 'once' && plan.nextRunAt === null && runs.openOf(job.id) === undefined) {
    throw new Invalid('The time of this job has passed. Choose another time')
  }
  return { ...plan, pausedAt: null, pausedReason: null }
}

/** Values that come back masked, as they were shown, keep their stored text. Throws Invalid for a mask that stands for nothing. */
function asStored<Fields extends JobFields> (before: JobRow | null, fields: Fields): Fields {
  const kept: JobFields = {}
  for (const key of ['name', 'prompt', 'deliver'] as const) {
    const said = fields[key]
    if (said !== undefined && said !== null) kept[key] = asSaved(key, said, before?.[key] ?? null)
  }
  return { ...fields, ...kept }
}

/** Prepares the parts of a change that do not depend on the current state of the job. */
async function prepared (context: CronsContext, before: JobRow, fields: JobFields) {
  const { clock, profileOf, zone } = context
  const profile = fields.profile == null ? before.profile : profileOf(fields.profile)
  const columns: Partial<JobRow> = { ...await columnsOfFields(fields, context), ...(fields.profile != null && { profile }) }
  refuseOwnSecrets('The job', [columns.name, columns.prompt], `${before.name}\n${before.prompt}`)
  const said = fields.schedule ?? null
  if (said !== null && before.kind === 'hook') throw new Invalid('schedule: this job runs when its hook is called')
  const isSame = said === null || [before.expression, before.display, scheduleWords(before)].includes(said.trim())
  const schedule = isSame ? null : await scheduleColumns(said, { nowMs: clock.now(), zone: zone(profile) })
  return { profile, columns, schedule, times: timesOf(fields.repeat), enabled: fields.enabled ?? null }
}

/** Returns the columns that depend on the current state of the job, inside the transaction that changes it. Throws Invalid. */
function changed (
  context: CronsContext, job: JobRow,
  { columns, schedule, times, enabled }: Pick<Awaited<ReturnType<typeof prepared>>, 'columns' | 'schedule' | 'times' | 'enabled'>
): Partial<JobRow> {
  const { clock, zone } = context
  const isOther = schedule !== null && schedule.expression !== job.expression
  if (job.state === 'completed' && (isOther || (times !== undefined && times !== job.repeatTimes))) {
    throw new Invalid('This job is finished and cannot run again. Create a new one')
  }
  const isOtherKind = isOther && schedule.kind !== job.kind
  const repeat = isOtherKind ? { repeatTimes: schedule.kind === 'once' ? 1 : null, repeatCompleted: 0 } : {}
  const next = { ...job, ...columns, ...(isOther && schedule), ...repeat, ...(times !== undefined && { repeatTimes: times }) }
  if (times !== undefined && job.state !== 'completed' && isUsedUp(next)) {
    throw new Invalid(`repeat: the job has run ${next.repeatCompleted} times already`)
  }
  // A job that runs once keeps its time in another profile, even if it is due right now.
  const isMoved = isOther || (job.kind !== 'once' && next.profile !== job.profile)
  const nowS = epochSeconds(clock)
  const plan = isMoved && isEnabled(job) ? nextRunColumns(next, justBefore(next.runAt, clock.now()), () => zone(next.profile)) : {}
  return { ...next, ...plan, ...switched(context, { ...next, ...plan }, enabled, nowS), updatedAt: nowS }
}

/** Returns what `enabled` of a change does to a job; nothing if the job is in that state already. Throws Invalid. */
function switched (context: CronsContext, job: JobRow, enabled: boolean | null, nowS: number): Partial<JobRow> {
  if (enabled === null || enabled === isEnabled(job)) return {}
  if (enabled) return goingOn(context, job)
  return job.state === 'scheduled' || job.state === 'error' ? resting(nowS, null) : {}
}

/** The moment after which the next slot is searched: a time in the recent past that was accepted still has to count as upcoming. */
export const justBefore = (runAtS: number | null, nowMs: number): number => Math.min(nowMs, (runAtS ?? Infinity) * 1000 - 1)

/** What the audit log records of a job. */
const recorded = ({ profile, id, name }: JobRow) => ({ profile, job: id, name })
