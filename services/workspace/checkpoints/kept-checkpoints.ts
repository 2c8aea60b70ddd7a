import { within } from '../../ground/files/containment.js'
import { Conflict, NotFound, TooLarge } from '../../ground/errors.js'
import { type Log } from '../../ground/log.js'
import { type Workers } from '../../ground/workers/index.js'
import { type Territory } from '../place/place.js'
import { SnapshotFailed, type Limits } from './failures.js'
import { type Limited } from './time-limit.js'
import { readable } from './names.js'
import { carryOut, placesOf, planRestore, type Restored } from './restoring.js'
import { type Checkpoint, type CheckpointRows, type WorkingTurn } from './rows.js'
import { type Stores } from './stores.js'
import { type Taker } from './taking.js'
import { type Change } from './trees.js'

export interface KeptOptions {
  rows: CheckpointRows
  working: () => WorkingTurn[]
  stores: Stores
  workers: Workers
  /** Takes a checkpoint of the current state before a restore. */
  taker: Taker
  /** May be changed while it runs. */
  limits: Limits
  limited: Limited
  log: Log
}

export interface Difference {
  diff: string
  truncated: boolean
  /** At most 5,000. */
  files: Array<{ file: string, status: typeof statusNames[Change['status']], from?: string }>
  count: number
}

/** What a checkpoint is compared with: a later one, or the current files. `renames`: a renamed file is one entry. */
export interface DiffWanted { to?: string | undefined, renames?: boolean }

export interface RestoreWanted {
  territory: Territory
  sessionId: string
  id: string
  /** Files and folders, relative to the workspace; null: everything. */
  paths: readonly string[] | null
  /** Whether to restore even if the current state cannot be saved first. */
  force: boolean
}

const mostFilesListed = 5_000
/** Size of the largest file that is read. */
const mostContentsBytes = 20 * 1024 * 1024
const restoreLimitMs = 120_000
/** How long a diff or a restore may wait in the queue. */
const waitLimitMs = 120_000
const statusNames = { A: 'added', M: 'modified', T: 'modified', D: 'deleted', R: 'renamed' } as const

/** Compares a workspace with its checkpoints, reads files from them, and restores them. */
export class KeptCheckpoints {
  readonly #options: KeptOptions

  constructor (options: KeptOptions) {
    this.#options = options
  }

  /** See diff of createCheckpoints. */
  async diff (territory: Territory, id: string, { to, renames = false }: DiffWanted = {}): Promise<Difference> {
    const { stores, limits, limited } = this.#options
    const { tree } = this.#held(territory.root, id)
    const later = to === undefined ? null : this.#held(territory.root, to).tree
    const store = stores.of(territory.root)
    return await limited(waitLimitMs, async (inQueue) => await store.queue.run(async () => await limited(limits.timeMs, async (signal) => {
      const now = later ?? (await store.snapshot(territory, signal)).tree
      const changes = await store.trees.changes(tree, now, signal, renames)
      const { text, truncated } = await store.trees.diff(tree, now, signal, renames)
      return { diff: text, truncated, files: changes.slice(0, mostFilesListed).map(shown), count: changes.length }
    }), inQueue)).catch((error: unknown) => this.#explain(error))
  }

  /** See contents of createCheckpoints. */
  async contents (territory: Territory, id: string, path: string): Promise<Buffer> {
    const { stores, limits, limited } = this.#options
    const { tree } = this.#held(territory.root, id)
    const [place = ''] = placesOf([path], territory.root)
    const store = stores.of(territory.root)
    const bytes = await limited(waitLimitMs, async (inQueue) => await store.queue.run(async () => await limited(
      limits.timeMs, async (signal) => await store.trees.contents(tree, place, signal, mostContentsBytes)
    ), inQueue)).catch((error: unknown) => {
      if (error instanceof SnapshotFailed && error.kind === 'too_many_files') throw new TooLarge('The file is too large to be read')
      return this.#explain(error)
    })
    if (bytes === null) throw new NotFound('The checkpoint has no such file')
    return bytes
  }

  /** See restore of createCheckpoints. */
  async restore ({ territory, sessionId, id, paths, force }: RestoreWanted): Promise<Restored & { safety: string | null }> {
    const { stores, workers, taker, limits, limited } = this.#options
    const { root: workspace } = territory
    this.#held(workspace, id)
    const places = paths === null ? null : placesOf(paths, workspace)
    const store = stores.of(workspace)
    const orNone = (error: unknown): null => noneIfForced(error, force)
    return await limited(waitLimitMs, async (inQueue) => await store.queue.run(async () => {
      const { tree } = this.#held(workspace, id)
      this.refuseWhileWorking(workspace)
      const present = await limited(limits.timeMs, async (signal) => await store.snapshot(territory, signal)).catch(orNone)
      return await limited(restoreLimitMs, async (signal) => {
        const plan = await planRestore({ store, territory, id, tree, present, places, force, signal })
        if (plan.placed.length + plan.removed.length === 0) return { files: [], errors: plan.errors, safety: null }
        const safety = present === null
          ? null
          : await taker.keep(store, present, { workspace, sessionId, streamId: null, kind: 'restore' }, signal).catch(orNone)
        return { ...await carryOut(plan, { store, workers, territory, tree, signal }), safety: safety?.id ?? null }
      })
    }, inQueue)).catch((error: unknown) => this.#explain(error))
  }

  /** Returns a checkpoint. Throws NotFound if it is unknown, of another workspace, or empty. */
  #held (workspace: string, id: string): Checkpoint & { tree: string } {
    const row = this.#options.rows.get(id)
    if (row === undefined || row.workspace !== workspace) throw new NotFound('Checkpoint not found')
    if (row.tree === null) throw new NotFound(`This checkpoint is empty: ${row.reason ?? 'it was skipped.'}`, 'skipped')
    return { ...row, tree: row.tree }
  }

  /** Throws Conflict (`active_stream`) while a turn runs in the folder. */
  refuseWhileWorking (workspace: string): void {
    const turn = this.#options.working().find((turn) => within(workspace, turn.workspace) || within(turn.workspace, workspace))
    if (turn !== undefined) throw new Conflict('A turn is running in this folder', 'active_stream', { active_stream_id: turn.streamId })
  }

  #explain (error: unknown): never {
    if (!(error instanceof SnapshotFailed)) throw error
    if (error.kind === 'failed') this.#options.log('a checkpoint could not be read or restored', { reason: error.detail })
    throw error.asDomainError()
  }
}

/** Returns null if the current state cannot be saved and `force` is set. Otherwise throws. */
function noneIfForced (error: unknown, force: boolean): null {
  if (!(error instanceof SnapshotFailed) || error.kind === 'stopped') throw error
  if (!force) throw new Conflict(`The current state cannot be saved first, so a restore could not be undone. ${error.message}`, 'no_safety_checkpoint')
  return null
}

function shown ({ name, status, from }: Change): Difference['files'][number] {
  return { file: readable(name), status: statusNames[status], ...(from === undefined ? {} : { from: readable(from) }) }
}
