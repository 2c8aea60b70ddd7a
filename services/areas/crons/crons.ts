import { epochSeconds } from '../../ground/time/clock.js'
import { Conflict } from '../../ground/errors.js'
import { createJobChanges } from './changes.js'
import { createClearing } from './clearing.js'
import { createContext, type CronsContext, type CronsOptions } from './context.js'
import { Deliveries } from './deliveries.js'
import { createDeliveryRows } from './delivery-rows.js'
import { type JobRow } from './job-rows.js'
import { createRunMessages } from './run-message.js'
import { resultFor } from '../../ground/quoted-material.js'
import { writeOutput } from './output.js'
import { goneReason, Planner } from './planner.js'
import { createPreview } from './preview.js'
import { createResults } from './results.js'
import { CronRuns } from './runs.js'
import { createUpkeep } from './upkeep.js'
import { type JobReader } from './job-views.js'

const usualWidth = 4

/** Jobs that run on schedules; each run is a turn in a session of its own. */
export function createCrons (options: CronsOptions) {
  const context = createContext(options)
  const { db, configOf, jobs, runs, views, news, existing } = context
  const deliveryRows = createDeliveryRows(db)
  const deliveries = new Deliveries({
    ...context, deliveries: deliveryRows, post: postTo(context), told: (jobId) => news(jobId, 'delivered')
  })
  const work = runsOf(context, deliveries)
  const planner = plannerOf(context, work)
  const results = createResults(context)
  options.chat.turns.on('ended', ({ sessionId }) => deliveries.turnEnded(sessionId))
  const clearing = createClearing(context)
  const { pauseOrphans, ...upkeep } = createUpkeep(context, { planner, work, clearing })

  return {
    /** Returns the jobs of a profile as clients are shown them, oldest first, as JSON text; null: of all profiles. */
    list: (profile: string | null, reader: JobReader): Promise<string> => views.list(profile, reader),
    /** Returns the rows of jobs with a schedule, oldest first. */
    of: (profile: string): JobRow[] => jobs.list(profile).filter(({ kind }) => kind !== 'hook'),
    /** Throws NotFound. */
    existing,
    /** Returns one job as it is shown to those who may change it. */
    shown: (job: JobRow) => views.wire(job, { mayChange: true }),
    elsewhere: jobs.elsewhere,
    /** Previews a schedule that is being typed. Throws Invalid. */
    preview: createPreview(context),
    ...createJobChanges(context, { planner, clearing, deliveries: deliveryRows }),
    ...results,
    ...upkeep,

    /** Runs a job now, in addition to its slots. Returns `elapsedS`, in seconds, if it is running already. Throws NotFound and Conflict. */
    async run (id: string): Promise<{ elapsedS: number } | null> {
      const job = existing(id)
      if (job.kind === 'hook') throw new Conflict('This job runs when its hook is called')
      if (configOf(job.profile) === undefined) throw new Conflict(goneReason(job.profile))
      const runId = await db.durably(() => {
        existing(id)
        return runs.openOf(id) === undefined ? work.enter(id) : null
      })
      if (runId === null) return { elapsedS: results.elapsed(id) ?? 0 }
      work.enqueue([runId])
      news(id, 'updated')
      return null
    },

    /**
     * Runs a job that waits for calls, with a request of its own. `entered` runs in the transaction that stores the call. Throws NotFound,
     * Conflict if the profile was deleted, and TooMany.
     */
    async call (id: string, request: string, entered: (runId: string) => void): Promise<string> {
      const runId = await db.durably(() => {
        const { profile } = existing(id)
        if (configOf(profile) === undefined) throw new Conflict(goneReason(profile))
        const runId = work.enterCalled(id, request)
        entered(runId)
        return runId
      })
      work.enqueue([runId])
      news(id, 'updated')
      return runId
    },

    /** Checks at once for due jobs. */
    look: (): Promise<void> => planner.look(),

    /** Called when everything else is ready. */
    async start (): Promise<void> {
      await pauseOrphans()
      work.start()
      deliveries.start()
      await planner.start()
    },
    async stop (): Promise<void> {
      planner.stop()
      await work.close()
      await deliveries.stop()
      await clearing.stop()
    },

    /** For metrics: how many jobs exist and are due, how many deliveries are pending, and how many attempts to deliver failed. */
    standing: () => ({
      jobs: jobs.standing(), due: jobs.dueBy(epochSeconds(options.clock)), deliveries: deliveries.pending(), failures: deliveries.failures()
    }),

    /** The number of runs in memory, for tests and metrics. */
    size: (): number => work.size()
  }
}

/** Posts the result of a job to a conversation. People see it as an answer; to the model it is material, from its next turn on. */
function postTo ({ clock, sessions, isBusy }: CronsContext) {
  return (sessionId: string, { name }: JobRow, text: string): 'posted' | 'busy' | 'gone' => {
    const session = sessions.rows.find(sessionId)
    if (session === undefined || session.source === 'deleted' || session.readOnly) return 'gone'
    if (isBusy(sessionId)) return 'busy'
    sessions.transcript.append(sessionId, epochSeconds(clock), {
      role: 'assistant', content: text, fields: { _source: 'cron' },
      replay: { role: 'user', content: [{ type: 'text', text: resultFor({ job: name, text }) }] }
    })
    sessions.changed('cron_result', sessionId)
    return 'posted'
  }
}

function runsOf (context: CronsContext, deliveries: Deliveries): CronRuns {
  const { folder, defaultFolder, existingHome, retention, news } = context
  return new CronRuns({
    ...context,
    width: context.width ?? usualWidth,
    workspaceOf: async ({ workspace }) => workspace === null ? defaultFolder() : await folder(workspace),
    messageOf: createRunMessages(context),
    write: async (job, text, atMs, isAgain) =>
      await writeOutput(existingHome(job.profile), job.id, { text, atMs, zone: job.zone, keep: retention(job.profile), isAgain }),
    deliver: (job, run, result) => deliveries.add(job, run, result),
    told: news
  })
}

function plannerOf (context: CronsContext, work: CronRuns): Planner {
  return new Planner({
    ...context,
    zoneOf: context.zone,
    isThere: (profile) => context.homeOf(profile) !== undefined,
    queued: (runIds) => work.enqueue(runIds),
    told: context.news
  })
}

export type Crons = ReturnType<typeof createCrons>
