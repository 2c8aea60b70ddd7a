import { createHash, randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { epochSeconds, monotonicMs, type Clock } from '../../ground/clock.js'
import { within } from '../../ground/containment.js'
import { type Database } from '../../ground/database/index.js'
import { Conflict, NotFound } from '../../ground/errors.js'
import { type Territory } from '../place/place.js'
import { timeLimit } from '../../ground/time-limit.js'
import { type Workers } from '../../ground/workers/index.js'
import { SnapshotFailed, usualLimits, type Limits } from './failures.js'
import { createHousekeeping } from './housekeeping.js'
import { createPlumbing } from './plumbing.js'
import { carryOut, placesOf, planRestore, type Restored } from './restoring.js'
import { createCheckpointRows, type Checkpoint, type ListedCheckpoint } from './rows.js'
import { createStore, type Change, type Snapshot, type Store } from './store.js'

export interface CheckpointsOptions {
  db: Database
  clock: Clock
  workers: Workers
  /** Where the private repositories lie. */
  folder: string
  /** The service's own environment: PATH finds git, HOME the user's rules about what is ignored. */
  env: Record<string, string>
  limits?: Partial<Limits>
  log: (message: string, details: Record<string, unknown>) => void
}

export interface Taking {
  territory: Territory
  sessionId: string
  /** The turn it is taken for. */
  streamId: string
}

export interface Difference {
  diff: string
  truncated: boolean
  /** At most 5,000. */
  files: Array<{ file: string, status: 'added' | 'modified' | 'deleted' }>
  count: number
}

export interface RestoreWanted {
  territory: Territory
  sessionId: string
  id: string
  /** Files and folders, relative to the workspace; null = everything. */
  paths: readonly string[] | null
  /** Also when the present state cannot be put aside first. */
  force: boolean
}

const mostSkipped = 20
const slowPauseS = 10 * 60
const mostFilesListed = 5_000
const namedFiles = 5
const restoreLimitMs = 120_000
/** For the time to come, when a diff or a restore is asked for while others are at work. */
const waitLimitMs = 120_000
const statusNames = { A: 'added', M: 'modified', T: 'modified', D: 'deleted' } as const

/** What workspaces held before turns wrote to them: taken, listed, compared and put back. */
export function createCheckpoints ({ db, clock, workers, folder, env, limits: wanted = {}, log }: CheckpointsOptions) {
  const limits: Limits = { ...usualLimits, ...wanted }
  const plumbing = createPlumbing({ env, limits })
  const rows = createCheckpointRows(db)
  const stores = new Map<string, Store>()
  const taking = new Map<string, Promise<Checkpoint>>()
  /** Workspaces that took too long lately. */
  const slow = new Map<string, { times: number, untilMs: number }>()
  const stopping = new AbortController()
  const housekeeping = createHousekeeping({ folder, rows, limits, clock, storeOf, remove: removeStore, signal: stopping.signal, log })

  function storeOf (workspace: string): Store {
    const known = stores.get(workspace)
    if (known !== undefined) return known
    const store = createStore({
      plumbing,
      workers,
      workspace,
      gitDir: folderOf(workspace),
      isKept: (id) => rows.get(id)?.state === 'ready',
      isNew: () => rows.removeReady(workspace),
      log
    })
    stores.set(workspace, store)
    return store
  }

  const folderOf = (workspace: string): string => join(folder, createHash('sha256').update(workspace).digest('hex').slice(0, 32))

  async function removeStore (workspace: string): Promise<void> {
    await storeOf(workspace).queue.run(async () => {
      stores.delete(workspace)
      slow.delete(workspace)
      rows.removeAll(workspace)
      await rm(folderOf(workspace), { recursive: true, force: true })
    })
  }

  async function limited<T> (ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { signal, clear } = timeLimit(ms, [stopping.signal])
    try {
      return await work(signal)
    } catch (error) {
      throw error === signal.reason ? plumbing.interrupted(signal) : error
    } finally {
      clear()
    }
  }

  /** Keeps a snapshot; the newest so many stay. To be called in the store's queue. */
  async function keep (store: Store, snapshot: Snapshot, about: Pick<Checkpoint, 'workspace' | 'sessionId' | 'streamId' | 'kind'>, signal: AbortSignal): Promise<Checkpoint> {
    const { workspace } = about
    const id = randomBytes(8).toString('hex')
    await store.keep(id, snapshot, signal)
    const row = await db.durably(() => rows.add({
      ...about, state: 'ready', reason: missing(snapshot.leftOut), tree: snapshot.tree, files: snapshot.files, createdAtS: epochSeconds(clock)
    }, id))
    const old = rows.beyond(workspace, 'ready', limits.checkpoints)
    if (old.length > 0) {
      await db.durably(() => rows.remove(old))
      await store.drop(old, signal).catch((error: unknown) => log('old checkpoints could not be given up', { workspace, reason: String(error) }))
    }
    housekeeping.soon()
    return row
  }

  /** What took too long twice is not tried at every turn. A first time may have been half of the work, which is kept. */
  function refuseSlow (workspace: string): void {
    const { times, untilMs } = slow.get(workspace) ?? { times: 0, untilMs: 0 }
    if (times >= 2 && untilMs > monotonicMs(clock)) throw plumbing.failed('timeout')
  }

  function wasSlow (workspace: string): void {
    const { times, untilMs } = slow.get(workspace) ?? { times: 0, untilMs: 0 }
    const nowMs = monotonicMs(clock)
    if (times < 2 || untilMs <= nowMs) slow.set(workspace, { times: times + 1, untilMs: nowMs + slowPauseS * 1000 })
  }

  async function take ({ territory, sessionId, streamId }: Taking): Promise<Checkpoint> {
    const { root: workspace } = territory
    const store = storeOf(workspace)
    try {
      refuseSlow(workspace)
      const row = await limited(limits.timeMs, async (signal) => await store.queue.run(async () => {
        return await keep(store, await store.snapshot(territory, signal), { workspace, sessionId, streamId, kind: 'turn' }, signal)
      }, signal))
      slow.delete(workspace)
      return row
    } catch (thrown) {
      if (stopping.signal.aborted) throw thrown
      const error = thrown instanceof SnapshotFailed ? thrown : plumbing.failed('failed', String(thrown))
      if (error.kind === 'timeout') wasSlow(workspace)
      if (error.kind === 'failed' || error.kind === 'blocked') log('a checkpoint could not be taken', { workspace, reason: error.detail })
      return await db.durably(() => {
        rows.remove(rows.beyond(workspace, 'skipped', mostSkipped - 1))
        return rows.add({ workspace, sessionId, streamId, kind: 'turn', state: 'skipped', reason: error.message, tree: null, files: null, createdAtS: epochSeconds(clock) })
      })
    }
  }

  /** Throws NotFound for what is unknown, of another workspace, or holds nothing. */
  function held (workspace: string, id: string): Checkpoint & { tree: string } {
    const row = rows.get(id)
    if (row === undefined || row.workspace !== workspace) throw new NotFound('Checkpoint not found')
    if (row.tree === null) throw new NotFound(`This checkpoint holds nothing: ${row.reason ?? 'it was skipped.'}`, 'skipped')
    return { ...row, tree: row.tree }
  }

  function explain (error: unknown): never {
    if (!(error instanceof SnapshotFailed)) throw error
    if (error.kind === 'failed') log('a checkpoint could not be read or restored', { reason: error.detail })
    throw error.asDomainError()
  }

  function refuseWhileWorking (workspace: string): void {
    const turn = rows.working().find((turn) => within(workspace, turn.workspace) || within(turn.workspace, workspace))
    if (turn !== undefined) throw new Conflict('A turn is at work in this folder', 'active_stream', { active_stream_id: turn.streamId })
  }

  return {
    /** May be changed while it runs. */
    limits,

    /**
     * What the workspace holds before a turn writes to it: one checkpoint per turn, however often it is asked for. One
     * that could not be taken is a row too, `skipped`. Rejects only when the service stops.
     */
    async take (input: Taking): Promise<{ checkpoint: Checkpoint, isNew: boolean }> {
      const { streamId } = input
      const known = rows.ofStream(streamId)
      if (known !== undefined) return { checkpoint: known, isNew: false }
      const begun = taking.get(streamId) ?? take(input).finally(() => taking.delete(streamId))
      taking.set(streamId, begun)
      return { checkpoint: await begun, isNew: true }
    },

    /** Whether the conversation is to hear that there is none: once for each reason. */
    isNews: (row: Checkpoint): boolean => row.state === 'skipped' && !rows.wasTold(row),

    /** Newest first, of all conversations that work there. */
    list: (workspace: string): ListedCheckpoint[] => rows.list(workspace),

    /** Whether conversations work, or have worked, in a folder. */
    isKnown: (workspace: string): boolean => rows.isOfSession(workspace) || rows.workspaces().includes(workspace),

    /** What has changed in the workspace since. Throws NotFound, TooLarge and Unavailable. */
    async diff (territory: Territory, id: string): Promise<Difference> {
      const { tree } = held(territory.root, id)
      const store = storeOf(territory.root)
      return await limited(waitLimitMs, async (inQueue) => await store.queue.run(async () => await limited(limits.timeMs, async (signal) => {
        const now = await store.snapshot(territory, signal)
        const changes = await store.changes(tree, now.tree, signal)
        const { text, truncated } = await store.diff(tree, now.tree, signal)
        return { diff: text, truncated, files: changes.slice(0, mostFilesListed).map(shown), count: changes.length }
      }), inQueue)).catch(explain)
    },

    /**
     * Puts the workspace back as it was: what was changed or deleted comes back, what came since goes, what is ignored
     * stays. The present state is kept as a checkpoint first, unless nothing is to be done. Throws Invalid for paths that
     * name nothing in the workspace, NotFound, Conflict (`active_stream`, `no_safety_checkpoint`), TooLarge and Unavailable.
     */
    async restore ({ territory, sessionId, id, paths, force }: RestoreWanted): Promise<Restored & { safety: string | null }> {
      const { root: workspace } = territory
      held(workspace, id)
      const places = paths === null ? null : placesOf(paths, workspace)
      const store = storeOf(workspace)
      const orNone = (error: unknown): null => {
        if (!(error instanceof SnapshotFailed) || error.kind === 'stopped') throw error
        if (!force) throw new Conflict(`The present state cannot be kept, so this could not be undone. ${error.message}`, 'no_safety_checkpoint')
        return null
      }
      return await limited(waitLimitMs, async (inQueue) => await store.queue.run(async () => {
        const { tree } = held(workspace, id)
        refuseWhileWorking(workspace)
        const present = await limited(limits.timeMs, async (signal) => await store.snapshot(territory, signal)).catch(orNone)
        return await limited(restoreLimitMs, async (signal) => {
          const plan = await planRestore({ store, territory, id, tree, present, places, force, signal })
          if (plan.placed.length + plan.removed.length === 0) return { files: [], errors: plan.errors, safety: null }
          const safety = present === null ? null : await keep(store, present, { workspace, sessionId, streamId: null, kind: 'restore' }, signal).catch(orNone)
          return { ...await carryOut(plan, { store, workers, territory, tree, signal }), safety: safety?.id ?? null }
        })
      }, inQueue)).catch(explain)
    },

    tidy: housekeeping.run,
    begin: housekeeping.begin,

    /** What it holds, for tests and metrics. */
    size: () => ({ stores: stores.size, taking: taking.size }),

    /** Ends what is under way. */
    async stop (): Promise<void> {
      stopping.abort()
      await housekeeping.stop()
      await Promise.all([...stores.values()].map(async (store) => await store.queue.run(async () => {})))
    }
  }
}

export type Checkpoints = ReturnType<typeof createCheckpoints>

function shown ({ name, status }: Change): Difference['files'][number] {
  return { file: Buffer.from(name, 'latin1').toString(), status: statusNames[status] }
}

function missing (leftOut: readonly string[]): string | null {
  if (leftOut.length === 0) return null
  const more = leftOut.length - namedFiles
  return `Left out, as too large or not readable: ${leftOut.slice(0, namedFiles).join(', ')}${more > 0 ? ` and ${more} more` : ''}.`
}
