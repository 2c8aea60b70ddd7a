import { hash } from 'node:crypto'
import { type AgentRuntime, type JobChange, type JobFacts } from '../../agent/index.js'
import { domainMessage, Invalid, NotFound } from '../../ground/errors.js'
import { redact } from '../../ground/redaction/index.js'
import { type Crons } from './crons.js'
import { type JobFields } from './fields.js'
import { type JobRow } from './job-rows.js'
import { scheduleOf, toMs } from './jobs.js'
import { nextSlot } from './slots.js'
import { isoIn } from '../../ground/time/zones.js'

interface Change {
  action: 'create' | 'update' | 'pause' | 'resume' | 'remove'
  job_id?: string
  name?: string
  prompt?: string
  schedule?: string
  deliver?: string
}
interface Asker { profile: string, sessionId: string, kind: string, attended: boolean }

const mostListed = 100
const timesShown = 3
/** Identifies what a person has seen of a job: everything that determines what it does, but not its next times, which change meanwhile. */
function versionOf (job: JobRow | null): string {
  if (job === null) return 'new'
  const { id, profile, name, prompt, skills, model, provider, workspace, deliver, ask, expression, runAt, zone, repeatTimes, state } = job
  return hash('sha256', JSON.stringify([
    id, profile, name, prompt, skills, model, provider, workspace, deliver, ask, expression, runAt, zone, repeatTimes, state
  ]))
}

/**
 * Answers requests of runs about the scheduled jobs of their profile. Runs of jobs, and their sub-agents, may not change any: jobs must not
 * make jobs.
 */
export function answerRuns (crons: Crons, agent: Pick<AgentRuntime, 'serve'>, nowMs: () => number): void {
  const own = (id: string | undefined, profile: string): JobRow => {
    if (id === undefined) throw new Invalid('job_id is required')
    const job = crons.existing(id)
    if (job.profile !== profile) throw new NotFound('Job not found')
    return job
  }
  const told = (job: JobRow): string => inWords(job, nowMs())

  async function foresee (
    change: Change, asker: Asker
  ): Promise<{ path: string, before: string | null, after: string, version: string, job: JobChange }> {
    assertMay(asker)
    const { action } = change
    const job = action === 'create' ? null : own(change.job_id, asker.profile)
    const before = job === null ? null : told(job)
    const changed = action === 'create' || action === 'update'
      ? await crons.foresee(job, fieldsOf(change, asker))
      : action === 'remove' || job === null ? null : { ...job, state: action === 'pause' ? 'paused' as const : 'scheduled' as const }
    const name = (job ?? changed)?.name ?? 'a new job'
    return {
      path: `schedule: ${name}`, before, after: changed === null ? '' : told(changed), version: versionOf(job),
      job: {
        action, name,
        ...(job === null ? {} : { before: factsOf(job, nowMs()) }), ...(changed === null ? {} : { after: factsOf(changed, nowMs()) })
      }
    }
  }

  agent.serve('schedule_list', async (_, { spec: { profile } }) => {
    const jobs = crons.of(profile)
    const listed = jobs.slice(0, mostListed).map((job) => `${job.id}\n${told(job)}`)
    return {
      text: redact(jobs.length === 0
        ? 'There are no scheduled jobs.'
        : [...listed, ...(jobs.length > mostListed ? [`(${jobs.length - mostListed} more)`] : [])].join('\n\n')), isError: false
    }
  })
  agent.serve('schedule_text', async (change, { spec }) => {
    try {
      return await foresee(change, spec)
    } catch (error) {
      return { problem: domainMessage(error) }
    }
  })
  agent.serve('schedule_save', async ({ expected, ...change }, { spec }) => {
    try {
      assertMay(spec)
      const job = change.action === 'create' ? null : own(change.job_id, spec.profile)
      const assertSeen = (job: JobRow | null): void => {
        if (expected !== null && expected !== versionOf(job)) {
          throw new Invalid('The job has changed since the user was shown the change. Look at it again.')
        }
      }
      assertSeen(job)
      return { text: redact(await make(change, spec, assertSeen)), isError: false }
    } catch (error) {
      return { text: domainMessage(error), isError: true }
    }
  })

  /** `assertSeen` is called inside the transaction that changes the job. */
  async function make (change: Change, asker: Asker, assertSeen: (job: JobRow) => void): Promise<string> {
    const { action, job_id: id = '' } = change
    switch (action) {
      case 'create': {
        const { prompt, schedule } = change
        if (prompt === undefined || schedule === undefined) throw new Invalid('prompt and schedule are required')
        const job = await crons.create({ ...fieldsOf(change, asker), prompt, schedule, profile: asker.profile })
        return `Made the job ${job.id}.\n${told(job)}`
      }
      case 'update': return `Changed.\n${told(await crons.update(id, fieldsOf(change, asker), assertSeen))}`
      case 'pause': return `Paused.\n${told(await crons.pause(id, null, assertSeen))}`
      case 'resume': return `It goes on.\n${told(await crons.resume(id, assertSeen))}`
      case 'remove':
        await crons.remove(id, assertSeen)
        return 'Removed.'
    }
  }
}

/** Allowed only where a person has asked for it, and watches. */
function assertMay ({ kind, attended }: Asker): void {
  if (!attended || !['chat', 'goal'].includes(kind)) {
    throw new Invalid(
      'Refused: scheduled jobs can only be changed in conversations that the user watches. Say what to change instead.'
    )
  }
}

function fieldsOf ({ action, name, prompt, schedule, deliver }: Change, { profile, sessionId }: Asker): JobFields {
  if (action !== 'create') return { name, prompt, schedule, deliver }
  if (prompt === undefined || schedule === undefined) throw new Invalid('prompt and schedule are required')
  return { name, prompt, schedule, deliver: deliver ?? 'origin', origin: sessionId, profile }
}

/** Returns the next times of a job, ISO 8601. */
function nextRunsOf (job: JobRow, nowMs: number): string[] {
  const times: string[] = []
  let at: number | null = nowMs
  while (times.length < timesShown && (job.state === 'scheduled' || job.state === 'error')) {
    at = nextSlot(scheduleOf(job), at, { zone: job.zone, anchorMs: toMs(job.anchorAt) })
    if (at === null) break
    times.push(isoIn(at, job.zone))
  }
  return times
}

function factsOf (job: JobRow, nowMs: number): JobFacts {
  const { name, kind, display, words, zone, state, deliver, model, skills, workspace, ask, prompt } = job
  return {
    name, kind, schedule: display, words, zone, nextRuns: nextRunsOf(job, nowMs), state, deliver, model, skills, workspace, ask, prompt
  }
}

function inWords (job: JobRow, nowMs: number): string {
  const times = nextRunsOf(job, nowMs)
  return [
    `Name: ${job.name}`,
    `When: ${job.display}${job.words === null ? '' : ` (${job.words})`}, ${job.zone}`,
    `Next: ${times.length === 0 ? job.state : times.join(', ')}`,
    `Results: ${job.deliver}`,
    ...(job.model === null ? [] : [`Model: ${job.model}`]),
    ...(job.skills.length === 0 ? [] : [`Skills: ${job.skills.join(', ')}`]),
    ...(job.workspace === null ? [] : [`Folder: ${job.workspace}`]),
    ...(job.ask === 'wait' ? ['Questions: wait for an answer'] : []),
    ...(job.lastStatus === null ? [] : [`Last run: ${job.lastStatus}`]),
    'Prompt:',
    job.prompt
  ].join('\n')
}
