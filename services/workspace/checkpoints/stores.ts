import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Workers } from '../../ground/workers/index.js'
import { type Plumbing } from './plumbing.js'
import { type CheckpointRows } from './rows.js'
import { Store } from './store.js'
import { type Log } from '../../ground/log.js'

export interface StoresOptions {
  /** Folder of the private repositories. */
  folder: string
  plumbing: Plumbing
  workers: Workers
  rows: CheckpointRows
  /** Called when a store and its rows are removed. */
  onRemoved: (workspace: string) => void
  log: Log
}

/** The stores of all workspaces. Each is created when it is first requested. */
export class Stores {
  readonly #options: StoresOptions
  readonly #stores = new Map<string, Store>()

  constructor (options: StoresOptions) {
    this.#options = options
  }

  of (workspace: string): Store {
    const known = this.#stores.get(workspace)
    if (known !== undefined) return known
    const { plumbing, workers, rows, log } = this.#options
    const store = new Store({
      plumbing,
      workers,
      workspace,
      gitDir: this.#folderOf(workspace),
      isKept: (id) => rows.get(id)?.state === 'ready',
      isNew: () => rows.removeReady(workspace),
      log
    })
    this.#stores.set(workspace, store)
    return store
  }

  /** Removes a store and all of its rows. */
  async remove (workspace: string): Promise<void> {
    const { rows, onRemoved } = this.#options
    await this.of(workspace).queue.run(async () => {
      this.#stores.delete(workspace)
      onRemoved(workspace)
      rows.removeAll(workspace)
      await rm(this.#folderOf(workspace), { recursive: true, force: true })
    })
  }

  /** Resolves when all work in progress in the stores has ended. */
  async settled (): Promise<void> {
    await Promise.all([...this.#stores.values()].map(async (store) => await store.queue.run(async () => {})))
  }

  get size (): number {
    return this.#stores.size
  }

  #folderOf (workspace: string): string {
    return join(this.#options.folder, createHash('sha256').update(workspace).digest('hex').slice(0, 32))
  }
}
