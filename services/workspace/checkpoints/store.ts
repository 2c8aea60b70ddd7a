import { type Territory } from '../place/place.js'
import { createYieldingQueue } from '../../ground/concurrency/yielding-queue.js'
import { type Workers } from '../../ground/workers/index.js'
import { BesideFiles, type Beside } from './beside.js'
import { Repository, type RepositoryOptions } from './repository.js'
import { Snapshots, type Snapshot } from './snapshots.js'
import { Trees } from './trees.js'

export interface StoreOptions extends RepositoryOptions {
  workers: Workers
  log: (message: string, details: Record<string, unknown>) => void
}

/** From so many single objects on they are packed. */
const mostLooseObjects = 2_000
const mostPacks = 20

/**
 * The snapshots of one workspace, in a repository of their own. Calls are to be made in the store's queue, one after the
 * other; `tidy` and `sizeBytes` enter it themselves.
 */
export class Store {
  readonly queue = createYieldingQueue()
  readonly gitDir: string
  /** What the snapshots hold. */
  readonly trees: Trees
  readonly #repository: Repository
  readonly #snapshots: Snapshots
  readonly #beside: BesideFiles

  constructor (options: StoreOptions) {
    const { gitDir, workspace, workers, log } = options
    this.gitDir = gitDir
    this.#repository = new Repository(options)
    this.#snapshots = new Snapshots({ repository: this.#repository, workers, workspace, log })
    this.#beside = new BesideFiles(gitDir, workspace)
    this.trees = new Trees(this.#repository)
  }

  /** What the workspace holds now. Rejects with SnapshotFailed. */
  async snapshot (territory: Pick<Territory, 'closed'>, signal: AbortSignal): Promise<Snapshot> {
    return await this.#snapshots.take(territory, signal)
  }

  /** Those of these names (Latin-1, relative to the workspace) that its rules ignore as they are now. */
  async ignored (names: readonly string[], territory: Pick<Territory, 'closed'>, signal: AbortSignal): Promise<Set<string>> {
    return await this.#snapshots.ignored(names, territory, signal)
  }

  /** Keeps a snapshot under an id. */
  async keep (id: string, snapshot: Snapshot, signal: AbortSignal): Promise<void> {
    await this.#beside.write(id, snapshot)
    await this.#repository.updateRefs([`update refs/checkpoints/${id} ${snapshot.tree}`], signal)
  }

  /** Gives up what is kept under these ids. */
  async drop (ids: readonly string[], signal: AbortSignal): Promise<void> {
    if (ids.length === 0) return
    await this.#repository.open(signal)
    await this.#repository.updateRefs(ids.map((id) => `delete refs/checkpoints/${id}`), signal)
    for (const id of ids) await this.#beside.remove(id)
    this.#repository.isDirty = true
  }

  /** What was there when a snapshot was taken and is not in it. */
  async beside (id: string): Promise<Beside> {
    return await this.#beside.read(id)
  }

  /** Changes when a file of the workspace does. */
  async stampOf (file: string): Promise<string | null> {
    return await this.#beside.stampOf(file)
  }

  /** Packs what lies about and removes what nothing refers to. Gives way to whatever is to be done. */
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

  /** Bytes on the disk. */
  async sizeBytes (signal: AbortSignal): Promise<number> {
    return await this.queue.run(async () => {
      await this.#repository.open(signal)
      return (await this.#repository.usage(signal)).sizeBytes
    })
  }
}
