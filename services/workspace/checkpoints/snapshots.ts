import { join } from 'node:path'
import { trashFolder } from '../files/listing-task.js'
import { type Territory } from '../place/place.js'
import { type Workers } from '../../ground/workers/index.js'
import { present } from '../../ground/present.js'
import { emptyTree, keyOf, type DomainTree } from './domain-indexes.js'
import { Domains } from './domains.js'
import { SnapshotFailed } from './failures.js'
import { isRepository } from './ignore-rules.js'
import { type Repository } from './repository.js'
import { type Log } from '../../ground/log.js'

export interface SnapshotsOptions {
  repository: Repository
  workers: Workers
  workspace: string
  log: Log
}

export interface Snapshot {
  tree: string
  files: number
  /** Files that are in the folder, but not in the snapshot. */
  leftOut: string[]
  /** Folders of the workspace that are repositories; '' is the workspace itself. */
  repositories: string[]
}

/** Takes snapshots of a workspace: the trees of its domains, combined into one. */
export class Snapshots {
  readonly #options: SnapshotsOptions
  readonly #domains: Domains
  /** The last combined tree, and the domain trees that it was made of. */
  #composed: { of: string, tree: string } | null = null
  /** The commands that set the current refs of the domains. */
  #referenced = ''

  constructor (options: SnapshotsOptions) {
    this.#options = options
    const { repository, workers } = options
    this.#domains = new Domains({ repository, workers })
  }

  /** Takes a snapshot of the current workspace. Rejects with SnapshotFailed. */
  async take ({ closed }: Pick<Territory, 'closed'>, signal: AbortSignal): Promise<Snapshot> {
    const { repository, workspace } = this.#options
    await repository.open(signal)
    const trees = await this.#treesOf([...closed, join(workspace, trashFolder), repository.gitDir], signal)
    const tree = await this.#compose(trees, signal)
    await this.#refer(trees, signal)
    const [{ domain: outer }, ...inner] = trees as [DomainTree, ...DomainTree[]]
    const isOfRepository = outer.top === workspace && await isRepository(workspace)
    return {
      tree,
      files: trees.reduce((sum, { count }) => sum + count, 0),
      leftOut: trees.flatMap(({ leftOut }) => leftOut),
      repositories: [...(isOfRepository ? [''] : []), ...inner.map(({ domain }) => domain.at)]
    }
  }

  /** Returns which of the workspace's names its current rules ignore. */
  async ignored (names: readonly string[], { closed }: Pick<Territory, 'closed'>, signal: AbortSignal): Promise<Set<string>> {
    return await this.#domains.ignored(this.#options.workspace, names, closed, signal)
  }

  async #treesOf (closed: readonly string[], signal: AbortSignal): Promise<DomainTree[]> {
    const { workspace, log } = this.#options
    try {
      return await this.#domains.take(workspace, closed, signal)
    } catch (error) {
      if (!(error instanceof SnapshotFailed) || error.kind !== 'failed') throw error
      log('rebuilding the index of a snapshot', { workspace, reason: error.detail })
      await this.#domains.forget()
      return await this.#domains.take(workspace, closed, signal)
    }
  }

  /** Combines all trees into one, each at its path. */
  async #compose ([first, ...inner]: DomainTree[], signal: AbortSignal): Promise<string> {
    const outer = present(first, 'the tree of the workspace')
    const { repository } = this.#options
    const filled = inner.filter(({ tree }) => tree !== emptyTree)
    if (filled.length === 0) return outer.tree
    const of = [outer, ...filled].map(({ domain, tree }) => `${domain.at}\0${tree}`).join('\0')
    if (this.#composed?.of === of) return this.#composed.tree
    const indexFile = join(repository.own, 'composed')
    await repository.git(['read-tree', outer.tree], signal, { indexFile })
    for (const { domain, tree } of filled) await repository.git(['read-tree', '-i', `--prefix=${domain.at}/`, tree], signal, { indexFile })
    this.#composed = { of, tree: await repository.text(['write-tree'], signal, { indexFile }) }
    return this.#composed.tree
  }

  /** Sets refs to the trees, because packing would remove what only an index refers to. */
  async #refer (trees: DomainTree[], signal: AbortSignal): Promise<void> {
    const { repository } = this.#options
    const units = trees.map(({ domain, tree }) => `update refs/domains/${keyOf(domain)} ${tree}`)
    if (units.join() === this.#referenced) return
    const stale = await this.#domains.forgetOthers(trees.map(({ domain }) => domain))
    if (trees.some(({ tree }) => tree === emptyTree)) {
      await repository.git(['hash-object', '-t', 'tree', '-w', '--stdin'], signal, { input: Buffer.alloc(0) })
    }
    await repository.updateRefs([...units, ...stale.map((key) => `delete refs/domains/${key}`)], signal)
    this.#referenced = units.join()
    repository.isDirty = true
  }
}
