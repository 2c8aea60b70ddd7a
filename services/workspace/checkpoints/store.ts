import { type Territory } from '../place/place.js'
import { createYieldingQueue } from '../../ground/concurrency/yielding-queue.js'
import { type Log } from '../../ground/log.js'
import { type Workers } from '../../ground/workers/index.js'
import { OmissionRecords, type Omissions } from './omissions.js'
import { Repository, type RepositoryOptions } from './repository.js'
import { Snapshots, type Snapshot } from './snapshots.js'
import { Trees } from './trees.js'

export interface StoreOptions extends RepositoryOptions {
  workers: Workers
  log: Log
}

/** How many loose objects, or packs, may exist before they are packed. */
const mostLooseObjects = 2_000
const mostPacks = 20

/**
 * The snapshots of one workspace, in a repository of their own. Make calls in the store's queue, one after the
 * other; `tidy` and `sizeBytes` enter it themselves.
 */
export class Store {
  readonly queue = createYieldingQueue()
  readonly gitDir: string
  /** Reads the contents of snapshots. */
  readonly trees: Trees
  readonly #repository: Repository
  readonly #snapshots: Snapshots
  readonly #omissions: OmissionRecords

  constructor (options: StoreOptions) {
    const { gitDir, workspace, workers, log } = options
    this.gitDir = gitDir
    this.#repository = new Repository(options)
    this.#snapshots = new Snapshots({ repository: this.#repository, workers, workspace, log })
    this.#omissions = new OmissionRecords(gitDir, workspace)
    this.trees = new Trees(this.#repository)
  }

  /** Takes a snapshot of the current workspace. Rejects with SnapshotFailed. */
  async snapshot (territory: Pick<Territory, 'closed'>, signal: AbortSignal): Promise<Snapshot> {
    return await this.#snapshots.take(territory, signal)
  }

  /** Returns which of these names (Latin-1, relative to the workspace) its current rules ignore. */
  async ignored (names: readonly string[], territory: Pick<Territory, 'closed'>, signal: AbortSignal): Promise<Set<string>> {
    return await this.#snapshots.ignored(names, territory, signal)
  }

  /** Stores a snapshot under an id. */
  async keep (id: string, snapshot: Snapshot, signal: AbortSignal): Promise<void> {
    await this.#omissions.write(id, snapshot)
    await this.#repository.updateRefs([`update refs/checkpoints/${id} ${snapshot.tree}`], signal)
  }

  /** Deletes the snapshots with these ids. */
  async drop (ids: readonly string[], signal: AbortSignal): Promise<void> {
    if (ids.length === 0) return
    await this.#repository.open(signal)
    await this.#repository.updateRefs(ids.map((id) => `delete refs/checkpoints/${id}`), signal)
    for (const id of ids) await this.#omissions.remove(id)
    this.#repository.isDirty = true
  }

  /** Returns what existed when a snapshot was taken, but is not in it. */
  async omissions (id: string): Promise<Omissions> {
    return await this.#omissions.read(id)
  }

  /** Returns a stamp that changes when a file of the workspace does; null if the file does not exist. */
  async stampOf (file: string): Promise<string | null> {
    return await this.#omissions.stampOf(file)
  }

  /** Packs loose objects and removes unreachable ones. Stops for other work in the queue. */
  async tidy ({ signal: outer, force = false }: { signal: AbortSignal, force?: boolean }): Promise<void> {
    const repository = this.#repository
    if (!repository.isDirty && !force) return
    const done = await this.queue.runIdle(async (inner) => {
      const signal = AbortSignal.any([outer, inner])
      await repository.open(signal)
      const { looseObjects, packs } = await repository.usage(signal)
      if (force || looseObjects >= mostLooseObjects || packs >= mostPacks) await repository.pack(signal)
    })
    if (done) repository.isDirty = false
  }

  /** Returns the number of bytes on the disk. */
  async sizeBytes (signal: AbortSignal): Promise<number> {
    return await this.queue.run(async () => {
      await this.#repository.open(signal)
      return (await this.#repository.usage(signal)).sizeBytes
    })
  }
}
