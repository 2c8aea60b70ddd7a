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
 * Removes runs from the ledger and their sessions, a few at a time. A job is removed in one transaction and leaves its runs, which nothing
 * shows without their job. They are also the record of what is still to be removed: the next start continues there.
 */
export function createClearing ({ db, clock, sessions, runs, log }: CronsContext) {
  const pause = createPace(0)
  const breathe = createPace()
  const clearing = new Map<string, Promise<void>>()
  const stopping = new AbortController()

  /** Removes the session of a run. Each of many takes a while, in which a person may continue the next one. */
  const removeSession = async (id: string): Promise<boolean> => await sessions.remove(id, () => runs.isSpent(id))

  /** Removes the newest runs of a job that was removed, with those of their sessions that nobody has continued. */
  async function portion (jobId: string): Promise<boolean> {
    for (const id of runs.sessionsOf(jobId, removedAtOnce)) {
      await removeSession(id).catch(ignoreGone)
      if (stopping.signal.aborted) return false
    }
    return db.transaction(() => runs.removeNewest(jobId, removedAtOnce))
  }

  async function clear (jobId: string, concealed: ReadonlyArray<readonly string[]>): Promise<void> {
    try {
      for (const own of concealed) {
        if (stopping.signal.aborted) return
        await sessions.clear(own)
      }
      while (!stopping.signal.aborted && await portion(jobId)) await pause()
    } catch (error) {
      log('the runs of a deleted job could not be removed', { jobId, reason: String(error) })
    }
  }

  /**
   * Removes the runs of a job that was removed, after the sessions that were concealed with it. If it fails, `finishInterrupted` and the
   * next start of the service continue. Never rejects.
   */
  async function clearAway (jobId: string, concealed: ReadonlyArray<readonly string[]> = []): Promise<void> {
    const work = (clearing.get(jobId) ?? Promise.resolve()).then(async () => await clear(jobId, concealed))
    clearing.set(jobId, work)
    await work
    if (clearing.get(jobId) === work) clearing.delete(jobId)
  }

  return {
    clearAway,

    /** Removes the sessions of a job's runs that nobody has continued, without those of the newest `keep` runs; 0: keeps all. */
    async trim (jobId: string, keep: number): Promise<void> {
      if (keep === 0 || stopping.signal.aborted) return
      for (const { sessionId } of runs.behind(jobId, keep)) {
        if (sessionId !== null) await removeSession(sessionId).catch(() => {})
        await breathe()
        if (stopping.signal.aborted) return
      }
    },

    /** Removes the runs of jobs that were removed, which a stop of the service has left. */
    async finishInterrupted (): Promise<void> {
      if (stopping.signal.aborted) return
      for (const jobId of runs.jobless()) await clearAway(jobId)
    },

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
