import { randomBytes } from 'node:crypto'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { type Log } from '../../ground/log.js'
import { type Territory } from '../place/place.js'
import { SnapshotFailed, type Limits } from './failures.js'
import { type Limited } from './time-limit.js'
import { type SlowWorkspaces } from './slow-workspaces.js'
import { type Plumbing } from './plumbing.js'
import { type Checkpoint, type CheckpointRows } from './rows.js'
import { type Snapshot } from './snapshots.js'
import { type Store } from './store.js'
import { type Stores } from './stores.js'

export interface TakingOptions {
  db: Database
  clock: Clock
  rows: CheckpointRows
  stores: Stores
  slow: SlowWorkspaces
  plumbing: Plumbing
  /** May be changed while it runs. */
  limits: Limits
  limited: Limited
  /** Aborts when the service stops. */
  stopping: AbortSignal
  /** Called after each checkpoint that was stored. */
  onKept: () => void
  log: Log
}

/** A checkpoint to take. */
export interface Taking {
  territory: Territory
  sessionId: string
  /** The turn for which it is taken. */
  streamId: string
}

const mostSkipped = 20
const namedFiles = 5

/** Takes checkpoints, and deletes the oldest ones above the limit. */
export class Taker {
  readonly #options: TakingOptions
  /** Checkpoints that are being taken, by turn. */
  readonly #taking = new Map<string, Promise<Checkpoint>>()

  constructor (options: TakingOptions) {
    this.#options = options
  }

  /** How many checkpoints are being taken. */
  get size (): number {
    return this.#taking.size
  }

  /** See take of createCheckpoints. */
  async take (wanted: Taking): Promise<{ checkpoint: Checkpoint, isNew: boolean }> {
    const { streamId } = wanted
    const known = this.#options.rows.ofStream(streamId)
    if (known !== undefined) return { checkpoint: known, isNew: false }
    const begun = this.#taking.get(streamId) ?? this.#takeOrSkip(wanted).finally(() => this.#taking.delete(streamId))
    this.#taking.set(streamId, begun)
    return { checkpoint: await begun, isNew: true }
  }

  /** Stores a snapshot as a checkpoint, and deletes the oldest above the limit. Must be called in the store's queue. */
  async keep (
    store: Store, snapshot: Snapshot, about: Pick<Checkpoint, 'workspace' | 'sessionId' | 'streamId' | 'kind'>, signal: AbortSignal
  ): Promise<Checkpoint> {
    const { db, clock, rows, limits, onKept, log } = this.#options
    const { workspace } = about
    const id = randomBytes(8).toString('hex')
    await store.keep(id, snapshot, signal)
    const row = await db.durably(() => rows.add({
      ...about, state: 'ready', reason: missing(snapshot.leftOut), tree: snapshot.tree, files: snapshot.files,
      createdAtS: epochSeconds(clock)
    }, id))
    const old = rows.beyond(workspace, 'ready', limits.checkpoints)
    if (old.length > 0) {
      await db.durably(() => rows.remove(old))
      await store.drop(old, signal).catch((error: unknown) =>
        log('old checkpoints could not be deleted', { workspace, reason: String(error) }))
    }
    onKept()
    return row
  }

  async #takeOrSkip (wanted: Taking): Promise<Checkpoint> {
    const { plumbing, slow, limits, stopping, log } = this.#options
    const { root: workspace } = wanted.territory
    try {
      const row = await this.#takeNow(wanted)
      slow.forget(workspace)
      return row
    } catch (thrown) {
      if (stopping.aborted) throw thrown
      const error = thrown instanceof SnapshotFailed ? thrown : plumbing.failed('failed', String(thrown))
      if (error.kind === 'timeout') slow.wasSlow(workspace)
      if (error.kind === 'too_many_files') slow.wasCrowded(workspace, limits.files)
      if (error.kind === 'failed' || error.kind === 'blocked') log('a checkpoint could not be made', { workspace, reason: error.detail })
      return await this.#skip(wanted, error.message)
    }
  }

  async #takeNow ({ territory, sessionId, streamId }: Taking): Promise<Checkpoint> {
    const { stores, slow, plumbing, limits, limited } = this.#options
    const { root: workspace } = territory
    const store = stores.of(workspace)
    if (slow.isLost(workspace)) throw plumbing.failed('timeout')
    if (slow.isCrowded(workspace, limits.files)) throw plumbing.failed('too_many_files')
    return await limited(limits.timeMs, async (signal) => await store.queue.run(async () => {
      return await this.keep(store, await store.snapshot(territory, signal), { workspace, sessionId, streamId, kind: 'turn' }, signal)
    }, signal))
  }

  /** Adds a row that says why there is no checkpoint. */
  async #skip ({ territory: { root: workspace }, sessionId, streamId }: Taking, reason: string): Promise<Checkpoint> {
    const { db, clock, rows } = this.#options
    return await db.durably(() => {
      rows.remove(rows.beyond(workspace, 'skipped', mostSkipped - 1))
      return rows.add({
        workspace, sessionId, streamId, kind: 'turn', state: 'skipped', reason, tree: null, files: null, createdAtS: epochSeconds(clock)
      })
    })
  }
}

function missing (leftOut: readonly string[]): string | null {
  if (leftOut.length === 0) return null
  const more = leftOut.length - namedFiles
  return `Left out, as too large or not readable: ${leftOut.slice(0, namedFiles).join(', ')}${more > 0 ? ` and ${more} more` : ''}.`
}
