import { epochSeconds } from '../../ground/clock.js'
import { type CronsContext } from './context.js'
import { goneReason, type Planner } from './planner.js'
import { type CronRuns } from './runs.js'

/** The ledger is kept so long: a clock that is put back further than this could have a slot run again. */
const ledgerKeptS = 90 * 24 * 3600
/** A job of every second that is slow passes over most of its slots. */
const skippedKeptS = 24 * 3600

/** Keeps jobs in step with profiles and settings, and clears away what is old. */
export function createUpkeep (context: CronsContext, { planner, work }: { planner: Planner, work: CronRuns }) {
  const { db, clock, sessions, chat, configOf, jobs, runs, news, retention } = context
  const pauseAll = async (profile: string): Promise<string[]> =>
    await db.durably(() => jobs.pauseAll(profile, goneReason(profile), epochSeconds(clock)))

  return {
    /** A profile is about to go: its runs are stopped. */
    leaving (profile: string): void {
      for (const { jobId, streamId } of runs.open()) {
        if (streamId !== null && jobs.find(jobId)?.profile === profile) chat.cancel(streamId)
      }
    },

    /** A profile has come or gone, or its files say something else. */
    async profileChanged (profile: string): Promise<void> {
      if (configOf(profile) === undefined) {
        for (const id of await pauseAll(profile)) news(id, 'updated')
      } else if (jobs.profiles().includes(profile)) {
        await planner.replan(profile)
        await planner.look()
      }
    },

    /** Jobs whose profile went while the service did not run. */
    async pauseOrphans (): Promise<void> {
      for (const profile of jobs.profiles()) if (configOf(profile) === undefined) await pauseAll(profile)
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
    }
  }
}
