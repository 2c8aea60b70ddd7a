import { epochSeconds } from '../../ground/time/clock.js'
import { type Clearing } from './clearing.js'
import { type CronsContext } from './context.js'
import { goneReason, type Planner } from './planner.js'
import { type CronRuns } from './runs.js'

/** Keeps jobs in step with profiles and settings, and removes old data. */
export function createUpkeep (
  context: CronsContext, { planner, work, clearing }: { planner: Planner, work: CronRuns, clearing: Clearing }
) {
  const { db, clock, sessions, chat, configOf, jobs, runs, news, retention } = context
  const pauseAll = async (profile: string): Promise<string[]> =>
    await db.durably(() => jobs.pauseAll(profile, goneReason(profile), epochSeconds(clock)))

  return {
    /** Called when a profile is about to be deleted: stops its runs. */
    leaving (profile: string): void {
      for (const { jobId, streamId } of runs.open()) {
        if (streamId !== null && jobs.find(jobId)?.profile === profile) chat.cancel(streamId)
      }
    },

    /** Called when a profile was added, deleted or changed. */
    async profileChanged (profile: string): Promise<void> {
      if (configOf(profile) === undefined) {
        for (const id of await pauseAll(profile)) news(id, 'updated')
      } else if (jobs.profiles().includes(profile)) {
        await planner.replan(profile)
        await planner.look()
      }
    },

    /** Pauses jobs whose profile was deleted while the service was down. */
    async pauseOrphans (): Promise<void> {
      for (const profile of jobs.profiles()) if (configOf(profile) === undefined) await pauseAll(profile)
    },

    /** Shows the sessions of runs in lists, or hides them. */
    async show (isShown: boolean): Promise<void> {
      await db.durably(() => {
        sessions.rows.showSource('cron', isShown)
        sessions.changed('cron_sessions')
      })
    },

    /** Removes the sessions of old runs that nobody has continued, the runs of jobs that were removed, and old entries of the ledger. */
    async sweep (): Promise<void> {
      work.writeMissing()
      for (const { id, profile } of jobs.list(null)) await clearing.trim(id, retention(profile))
      await clearing.finishInterrupted()
      await clearing.forget()
    }
  }
}
