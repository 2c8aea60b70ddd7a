import { epochSeconds } from '../../ground/clock.js'
import { type CronsContext } from './context.js'
import { listOutput, readOutput } from './output.js'
import { type RunRow } from './run-rows.js'

/** What runs of jobs do at the moment, and what they have left. */
export function createResults ({ clock, runs, homeOf, existing }: Pick<CronsContext, 'clock' | 'runs' | 'homeOf' | 'existing'>) {
  const folderOf = (id: string): string => homeOf(existing(id).profile) ?? '/nonexistent'

  /** Seconds since a run began, or since it waits to begin. */
  const elapsedOf = (run: RunRow): number => Math.max(0, Math.round((epochSeconds(clock) - (run.startedAt ?? run.createdAt)) * 10) / 10)

  /** Seconds since the run that is at work began; null when there is none. Throws NotFound. */
  function elapsed (id: string): number | null {
    existing(id)
    const run = runs.openOf(id)
    return run === undefined ? null : elapsedOf(run)
  }

  return {
    elapsed,
    /** The same of all jobs that run. */
    running: (): Record<string, number> => Object.fromEntries(runs.open().map((run) => [run.jobId, elapsedOf(run)])),

    /** The newest first. Throws NotFound. */
    files: async (id: string) => await listOutput(folderOf(id), id),
    /** Throws NotFound. */
    file: async (id: string, filename: string) => await readOutput(folderOf(id), id, filename),
    usage: runs.usage,
    recent: runs.recent
  }
}
