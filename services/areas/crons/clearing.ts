import { createPace } from '../../ground/concurrency/pace.js'
import { NotFound } from '../../ground/errors.js'
import { epochSeconds } from '../../ground/time/clock.js'
import { type CronsContext } from './context.js'

/** How long the ledger is kept: if the clock is put back further than this, a slot could run again. */
const ledgerKeptS = 90 * 24 * 3600
/** A slow job that is due every second skips most of its slots. */
const skippedKeptS = 24 * 3600
/** How many runs are removed at once; each may have a session of its own. */
const removedAtOnce = 100
/** How many runs are looked at at once, most of which stay. */
const readAtOnce = 1_000

/** A person was faster. */
function ignoreGone (error: unknown): void { if (!(error instanceof NotFound)) throw error }

/**
 * Removes runs from the ledger, a few at a time. A job is removed in one transaction and leaves its runs, which nothing shows without their
 * job. They are also the record of what is still to be removed, with their sessions: the next start continues there.
 */
export function createClearing ({ db, clock, sessions, runs, log }: CronsContext) {
  const pause = createPace(0)
  const clearing = new Map<string, Promise<void>>()
  const stopping = new AbortController()

  /** Removes the newest runs of a job that was removed, with those of their sessions that nobody has continued. */
  async function portion (jobId: string): Promise<boolean> {
    for (const id of runs.sessionsOf(jobId, removedAtOnce)) await sessions.remove(id).catch(ignoreGone)
    return db.transaction(() => runs.removeNewest(jobId, removedAtOnce))
  }

  async function clear (jobId: string): Promise<void> {
    try {
      while (!stopping.signal.aborted && await portion(jobId)) await pause()
    } catch (error) {
      log('the runs of a deleted job could not be removed', { jobId, reason: String(error) })
    }
  }

  /** Removes the runs of a job that was removed. If it fails, `finishInterrupted` continues. Never rejects. */
  async function clearAway (jobId: string): Promise<void> {
    const work = clearing.get(jobId) ?? clear(jobId).finally(() => clearing.delete(jobId))
    clearing.set(jobId, work)
    await work
  }

  return {
    clearAway,

    /** Removes the runs of jobs that were removed, which a stop of the service has left. */
    async finishInterrupted (): Promise<void> { for (const jobId of runs.jobless()) await clearAway(jobId) },

    /** Removes old entries of the ledger. */
    async forget (): Promise<void> {
      const nowS = epochSeconds(clock)
      const before = { doneS: nowS - ledgerKeptS, skippedS: nowS - skippedKeptS }
      for (let after = 0; !stopping.signal.aborted; await pause()) {
        const upto = runs.rowAfter(after, readAtOnce)
        if (upto === null) return
        const range = { after, upto }
        db.transaction(() => runs.forget({ ...before, ...range }))
        after = upto
      }
    },

    /** Waits for the portions that are being removed. */
    async stop (): Promise<void> {
      stopping.abort()
      await Promise.all(clearing.values())
    }
  }
}

export type Clearing = ReturnType<typeof createClearing>
