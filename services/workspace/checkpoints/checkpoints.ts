import { type Clock } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { type Log } from '../../ground/log.js'
import { type Territory } from '../place/place.js'
import { type Workers } from '../../ground/workers/index.js'
import { usualLimits, type Limits } from './failures.js'
import { createHousekeeping } from './housekeeping.js'
import { KeptCheckpoints, type Difference, type DiffWanted, type RestoreWanted } from './kept-checkpoints.js'
import { createLimited } from './time-limit.js'
import { SlowWorkspaces } from './slow-workspaces.js'
import { createPlumbing } from './plumbing.js'
import { type Restored } from './restoring.js'
import { createCheckpointRows, type Checkpoint, type ListedCheckpoint, type WorkingTurn } from './rows.js'
import { Stores } from './stores.js'
import { Taker, type Taking } from './taking.js'

export interface CheckpointsOptions {
  db: Database
  clock: Clock
  workers: Workers
  /** Folder of the private repositories. */
  folder: string
  /** The service's own environment: PATH locates git, HOME the user's ignore rules. */
  env: Record<string, string>
  limits?: Partial<Limits>
  /** Returns the running turns, if the database does not know them. */
  working?: () => WorkingTurn[]
  log: Log
}

/** Takes, lists, compares and restores checkpoints of workspaces, which are taken before turns write to them. */
export function createCheckpoints ({ db, clock, workers, folder, env, limits: wanted = {}, working, log }: CheckpointsOptions) {
  const limits: Limits = { ...usualLimits, ...wanted }
  const stopping = new AbortController()
  const plumbing = createPlumbing({ env, limits })
  const limited = createLimited(plumbing, stopping.signal)
  const rows = createCheckpointRows(db)
  const slow = new SlowWorkspaces(clock)
  const stores = new Stores({ folder, plumbing, workers, rows, onRemoved: (workspace) => slow.forget(workspace), log })
  const housekeeping = createHousekeeping({ folder, rows, limits, clock, stores, signal: stopping.signal, log })
  const taker = new Taker({
    db, clock, rows, stores, slow, plumbing, limits, limited, stopping: stopping.signal, onKept: housekeeping.soon, log
  })
  const kept = new KeptCheckpoints({ rows, working: working ?? rows.working, stores, workers, taker, limits, limited, log })

  return {
    /** May be changed while it runs. */
    limits,

    /**
     * Takes a checkpoint of the workspace before a turn writes to it: one per turn, however often it is requested. A checkpoint
     * that could not be taken gets a row too, with the state `skipped`. Rejects only when the service stops.
     */
    take: async (wanted: Taking): Promise<{ checkpoint: Checkpoint, isNew: boolean }> => await taker.take(wanted),

    /** Whether the conversation must be told that there is no checkpoint: once for each reason. */
    isNews: (row: Checkpoint): boolean => row.state === 'skipped' && !rows.wasTold(row),

    /** Returns the checkpoints of all conversations that work there, newest first. */
    list: (workspace: string): ListedCheckpoint[] => rows.list(workspace),

    /** Returns the beginning of the user's message in a turn, for a list of another machine; empty if it is not known. */
    titleOf: (streamId: string): string => rows.titleOf(streamId),

    /** Throws Conflict (`active_stream`) while a turn runs in a folder. */
    refuseWhileWorking: (workspace: string): void => kept.refuseWhileWorking(workspace),

    /** Whether conversations work, or have worked, in a folder. */
    isKnown: (workspace: string): boolean => rows.isOfSession(workspace) || rows.workspaces().includes(workspace),

    /** Returns what has changed in the workspace since the checkpoint, or up to a later one. Throws NotFound, TooLarge and Unavailable. */
    diff: async (territory: Territory, id: string, how: DiffWanted = {}): Promise<Difference> => await kept.diff(territory, id, how),

    /** Returns a file from the checkpoint. Throws Invalid for a path outside, NotFound, TooLarge (above 20 MiB) and Unavailable. */
    contents: async (territory: Territory, id: string, path: string): Promise<Buffer> => await kept.contents(territory, id, path),

    /**
     * Restores the workspace: changed and deleted files are restored, newer ones removed, ignored ones kept. A checkpoint of the
     * current state is taken first, unless there is nothing to do. Throws Invalid for paths outside of the workspace, NotFound,
     * Conflict (`active_stream`, `no_safety_checkpoint`), TooLarge and Unavailable.
     */
    restore: async (restore: RestoreWanted): Promise<Restored & { safety: string | null }> => await kept.restore(restore),

    tidy: housekeeping.run,
    begin: housekeeping.begin,

    /** Returns counts for tests and metrics. */
    size: () => ({ stores: stores.size, taking: taker.size }),

    /** Ends all work in progress. */
    async stop (): Promise<void> {
      stopping.abort()
      await housekeeping.stop()
      await stores.settled()
    }
  }
}

export type Checkpoints = ReturnType<typeof createCheckpoints>
