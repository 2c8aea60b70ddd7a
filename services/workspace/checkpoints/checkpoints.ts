import { type Clock } from '../../ground/clock.js'
import { type Database } from '../../ground/database/index.js'
import { type Territory } from '../place/place.js'
import { type Workers } from '../../ground/workers/index.js'
import { usualLimits, type Limits } from './failures.js'
import { createHousekeeping } from './housekeeping.js'
import { KeptCheckpoints, type Difference, type DiffWanted, type RestoreWanted } from './kept.js'
import { createLimited } from './limited.js'
import { Patience } from './patience.js'
import { createPlumbing } from './plumbing.js'
import { type Restored } from './restoring.js'
import { createCheckpointRows, type Checkpoint, type ListedCheckpoint, type WorkingTurn } from './rows.js'
import { Stores } from './stores.js'
import { Taker, type Taking } from './taking.js'

export interface CheckpointsOptions {
  db: Database
  clock: Clock
  workers: Workers
  /** Where the private repositories lie. */
  folder: string
  /** The service's own environment: PATH finds git, HOME the user's rules about what is ignored. */
  env: Record<string, string>
  limits?: Partial<Limits>
  /** Turns that are under way, where the database does not know of them. */
  working?: () => WorkingTurn[]
  log: (message: string, details: Record<string, unknown>) => void
}

/** What workspaces held before turns wrote to them: taken, listed, compared and put back. */
export function createCheckpoints ({ db, clock, workers, folder, env, limits: wanted = {}, working, log }: CheckpointsOptions) {
  const limits: Limits = { ...usualLimits, ...wanted }
  const stopping = new AbortController()
  const plumbing = createPlumbing({ env, limits })
  const limited = createLimited(plumbing, stopping.signal)
  const rows = createCheckpointRows(db)
  const patience = new Patience(clock)
  const stores = new Stores({ folder, plumbing, workers, rows, onRemoved: (workspace) => patience.forget(workspace), log })
  const housekeeping = createHousekeeping({ folder, rows, limits, clock, stores, signal: stopping.signal, log })
  const taker = new Taker({
    db, clock, rows, stores, patience, plumbing, limits, limited, stopping: stopping.signal, onKept: housekeeping.soon, log
  })
  const kept = new KeptCheckpoints({ rows, working: working ?? rows.working, stores, workers, taker, limits, limited, log })

  return {
    /** May be changed while it runs. */
    limits,

    /**
     * What the workspace holds before a turn writes to it: one checkpoint per turn, however often it is asked for. One
     * that could not be taken is a row too, `skipped`. Rejects only when the service stops.
     */
    take: async (wanted: Taking): Promise<{ checkpoint: Checkpoint, isNew: boolean }> => await taker.take(wanted),

    /** Whether the conversation is to hear that there is none: once for each reason. */
    isNews: (row: Checkpoint): boolean => row.state === 'skipped' && !rows.wasTold(row),

    /** Newest first, of all conversations that work there. */
    list: (workspace: string): ListedCheckpoint[] => rows.list(workspace),

    /** The beginning of what the user said in a turn, for a list of another machine; empty when that is not known. */
    titleOf: (streamId: string): string => rows.titleOf(streamId),

    /** Throws Conflict (`active_stream`) while a turn is at work in a folder. */
    refuseWhileWorking: (workspace: string): void => kept.refuseWhileWorking(workspace),

    /** Whether conversations work, or have worked, in a folder. */
    isKnown: (workspace: string): boolean => rows.isOfSession(workspace) || rows.workspaces().includes(workspace),

    /** What has changed in the workspace since, or up to a later checkpoint. Throws NotFound, TooLarge and Unavailable. */
    diff: async (territory: Territory, id: string, how: DiffWanted = {}): Promise<Difference> => await kept.diff(territory, id, how),

    /** A file as the checkpoint has it. Throws Invalid for a path outside, NotFound, TooLarge (above 20 MiB) and Unavailable. */
    contents: async (territory: Territory, id: string, path: string): Promise<Buffer> => await kept.contents(territory, id, path),

    /**
     * Puts the workspace back as it was: what was changed or deleted comes back, what came since goes, what is ignored
     * stays. The present state is kept as a checkpoint first, unless nothing is to be done. Throws Invalid for paths that
     * name nothing in the workspace, NotFound, Conflict (`active_stream`, `no_safety_checkpoint`), TooLarge and Unavailable.
     */
    restore: async (restore: RestoreWanted): Promise<Restored & { safety: string | null }> => await kept.restore(restore),

    tidy: housekeeping.run,
    begin: housekeeping.begin,

    /** What it holds, for tests and metrics. */
    size: () => ({ stores: stores.size, taking: taker.size }),

    /** Ends what is under way. */
    async stop (): Promise<void> {
      stopping.abort()
      await housekeeping.stop()
      await stores.settled()
    }
  }
}

export type Checkpoints = ReturnType<typeof createCheckpoints>
