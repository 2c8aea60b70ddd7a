import { epochSeconds } from '../../ground/time/clock.js'
import { type CronsContext } from './context.js'
import { listOutput, readOutput } from './output.js'
import { type JobRunRow } from './run-rows.js'

/** Reads what runs of jobs are doing, and their output. */
export function createResults ({ clock, runs, homeOf, existing }: Pick<CronsContext, 'clock' | 'runs' | 'homeOf' | 'existing'>) {
  const folderOf = (id: string): string => homeOf(existing(id).profile) ?? '/nonexistent'

  /** Returns the seconds since a run began, or since it was queued. */
  const elapsedOf = (run: JobRunRow): number => Math.max(0, Math.round((epochSeconds(clock) - (run.startedAt ?? run.createdAt)) * 10) / 10)

  /** Returns the seconds since the active run began; null if there is none. Throws NotFound. */
  function elapsed (id: string): number | null {
    existing(id)
    const run = runs.openOf(id)
    return run === undefined ? null : elapsedOf(run)
  }

  return {
    elapsed,
    /** Returns the same for all active runs. */
    running: (): Record<string, number> => Object.fromEntries(runs.open().map((run) => [run.jobId, elapsedOf(run)])),

    /** The newest first. Throws NotFound. */
    files: async (id: string) => await listOutput(folderOf(id), id),
    /** Throws NotFound. */
    file: async (id: string, filename: string) => await readOutput(folderOf(id), id, filename),
    usage: runs.usage,
    recent: runs.recent
  }
}
