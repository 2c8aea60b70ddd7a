import { randomBytes } from 'node:crypto'
import { copyFile, lstat, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Territory } from '../place/place.js'
import { trashFolder } from '../files/listing-task.js'
import { type Workers } from '../../ground/workers/index.js'
import { createDomains, emptyTree, nameList, type DomainTree } from './domains.js'
import { SnapshotFailed } from './failures.js'
import { isRepository } from './ignored.js'
import { createYieldingQueue } from '../../ground/concurrency/yielding-queue.js'
import { type GitCall, type Plumbing } from './plumbing.js'

export interface StoreOptions {
  plumbing: Plumbing
  workers: Workers
  gitDir: string
  workspace: string
  /** Whether a checkpoint that the repository holds is still wanted. */
  isKept: (id: string) => boolean
  /** The repository is a new one: of earlier checkpoints nothing is left. */
  isNew: () => void
  log: (message: string, details: Record<string, unknown>) => void
}

export interface Snapshot {
  tree: string
  files: number
  /** Files that are in the folder and not in the snapshot. */
  leftOut: string[]
  /** Folders of the workspace that are repositories; '' is the workspace itself. */
  repositories: string[]
}

/** What was there when a snapshot was taken and is not in it. */
export interface Beside {
  /** Files, each with what it was like; null when that is not known. */
  leftOut: Array<[file: string, stamp: string | null]>
  /** Null when that was not written down. */
  repositories: string[] | null
}

/** Between a snapshot and a later one. Names are Latin-1: a character for each byte. */
export interface Change { name: string, status: 'A' | 'M' | 'D' | 'T' }

const maxDiffBytes = 512 * 1024
/** From so many single objects on they are packed. */
const mostLooseObjects = 2_000
const mostPacks = 20
const packLimitMs = 600_000
const checkoutLimitMs = 120_000
/** Of so many files that are left out it is known whether they have changed. */
const mostStamps = 1_000

/** The snapshots of one workspace, in a repository of their own. Calls are to be made in the store's queue, one after the other. */
export function createStore ({ plumbing, workers, gitDir, workspace, isKept, isNew, log }: StoreOptions) {
  const queue = createYieldingQueue()
  // A name of this process alone: what an earlier one has left running can neither lock nor overwrite its files.
  const own = join(gitDir, `run-${randomBytes(6).toString('hex')}`)
  const domains = createDomains({ plumbing, workers, gitDir, own })
  let opened: Promise<void> | undefined
  /** The composed tree of these domain trees. */
  let composed: { of: string, tree: string } | null = null
  let referenced = ''
  let isDirty = true

  const git = async (args: string[], signal: AbortSignal, more: Partial<GitCall> = {}): Promise<Buffer> => (await plumbing.git({ gitDir, args, signal, ...more })).stdout
  const text = async (args: string[], signal: AbortSignal, more?: Partial<GitCall>): Promise<string> => (await git(args, signal, more)).toString().trim()

  async function open (signal: AbortSignal): Promise<void> {
    try {
      await (opened ??= prepare(signal))
    } catch (error) {
      opened = undefined
      throw error
    }
  }

  /** Makes the repository, or puts in order what an earlier process has left of it. */
  async function prepare (signal: AbortSignal): Promise<void> {
    await mkdir(gitDir, { recursive: true, mode: 0o700 })
    const isThere = await Promise.all(['HEAD', 'objects', 'refs'].map(async (name) => await stat(join(gitDir, name)))).then(() => true, () => false)
    if (!isThere) {
      await git(['init', '--quiet', '--bare', '--template='], signal)
      isNew()
    }
    await mkdir(join(gitDir, 'info'), { recursive: true })
    // Above every .gitattributes: no filter, no conversion, no driver.
    await writeFile(join(gitDir, 'info', 'attributes'), '* -text -filter -ident -working-tree-encoding -eol -merge -export-subst !diff !whitespace\n')
    await writeFile(join(gitDir, 'workspace'), workspace)
    await mkdir(join(gitDir, 'beside'), { recursive: true })
    await takeOver()
    await unlock()
    const refs = (await text(['for-each-ref', '--format=%(refname)', 'refs/checkpoints'], signal)).split('\n').filter((ref) => ref !== '')
    const stale = refs.filter((ref) => !isKept(ref.slice('refs/checkpoints/'.length)))
    await updateRefs(stale.map((ref) => `delete ${ref}`), signal)
    for (const id of await readdir(join(gitDir, 'beside'))) if (!isKept(id)) await rm(join(gitDir, 'beside', id), { force: true })
  }

  /** Locks on refs that a git which was killed has left; they would hold for ever. */
  async function unlock (): Promise<void> {
    const refs = (await readdir(join(gitDir, 'refs'), { recursive: true })).filter((name) => name.endsWith('.lock'))
    for (const path of ['packed-refs.lock', 'HEAD.lock', ...refs.map((name) => join('refs', name))]) await rm(join(gitDir, path), { force: true })
  }

  /** The indexes of an earlier process save reading every file again. */
  async function takeOver (): Promise<void> {
    await mkdir(own, { recursive: true })
    for (const name of await readdir(gitDir)) {
      const former = join(gitDir, name)
      if (!name.startsWith('run-') || former === own) continue
      for (const file of await readdir(former).catch(() => [])) {
        if (file.endsWith('.index')) await copyFile(join(former, file), join(own, file)).catch(() => {})
      }
      await rm(former, { recursive: true, force: true })
    }
  }

  async function updateRefs (commands: string[], signal: AbortSignal): Promise<void> {
    if (commands.length > 0) await git(['update-ref', '--stdin'], signal, { input: Buffer.from(commands.map((command) => `${command}\n`).join('')) })
  }

  /** What the workspace holds now. Rejects with SnapshotFailed. */
  async function snapshot ({ closed }: Pick<Territory, 'closed'>, signal: AbortSignal): Promise<Snapshot> {
    await open(signal)
    const places = [...closed, join(workspace, trashFolder), gitDir]
    let trees: DomainTree[]
    try {
      trees = await domains.take(workspace, places, signal)
    } catch (error) {
      if (!(error instanceof SnapshotFailed) || error.kind !== 'failed') throw error
      log('the index of a snapshot is made anew', { workspace, reason: error.detail })
      await domains.forget()
      await mkdir(own, { recursive: true })
      trees = await domains.take(workspace, places, signal)
    }
    const tree = await compose(trees, signal)
    const units = trees.map(({ domain, tree }) => `update refs/domains/${domains.keyOf(domain)} ${tree}`)
    if (units.join() !== referenced) {
      const stale = await domains.forgetOthers(trees.map(({ domain }) => domain))
      if (trees.some(({ tree }) => tree === emptyTree)) await git(['hash-object', '-t', 'tree', '-w', '--stdin'], signal, { input: Buffer.alloc(0) })
      // Packing must not lose what only an index refers to.
      await updateRefs([...units, ...stale.map((key) => `delete refs/domains/${key}`)], signal)
      referenced = units.join()
      isDirty = true
    }
    const [{ domain: outer }, ...inner] = trees as [DomainTree, ...DomainTree[]]
    const isOfRepository = outer.top === workspace && await isRepository(workspace)
    return {
      tree,
      files: trees.reduce((sum, { count }) => sum + count, 0),
      leftOut: trees.flatMap(({ leftOut }) => leftOut),
      repositories: [...(isOfRepository ? [''] : []), ...inner.map(({ domain }) => domain.at)]
    }
  }

  /** One tree of them all, each at its place. */
  async function compose ([outer, ...inner]: DomainTree[], signal: AbortSignal): Promise<string> {
    const filled = inner.filter(({ tree }) => tree !== emptyTree)
    if (filled.length === 0) return outer!.tree
    const of = [outer!, ...filled].map(({ domain, tree }) => `${domain.at}\0${tree}`).join('\0')
    if (composed?.of === of) return composed.tree
    const indexFile = join(own, 'composed')
    await git(['read-tree', outer!.tree], signal, { indexFile })
    for (const { domain, tree } of filled) await git(['read-tree', '-i', `--prefix=${domain.at}/`, tree], signal, { indexFile })
    composed = { of, tree: await text(['write-tree'], signal, { indexFile }) }
    return composed.tree
  }

  /** Changes when the file does. */
  async function stampOf (file: string): Promise<string | null> {
    const entry = await lstat(join(workspace, file)).catch(() => null)
    return entry === null ? null : `${entry.ino}:${entry.size}:${entry.mtimeMs}`
  }

  return {
    queue,
    gitDir,
    snapshot,
    stampOf,

    /** Keeps a snapshot under an id, and gives up others. */
    async keep (id: string, { tree, leftOut, repositories }: Snapshot, signal: AbortSignal): Promise<void> {
      const stamped: Beside['leftOut'] = []
      for (const [index, file] of leftOut.entries()) stamped.push([file, index < mostStamps ? await stampOf(file) : null])
      await writeFile(join(gitDir, 'beside', id), JSON.stringify({ leftOut: stamped, repositories } satisfies Beside))
      await updateRefs([`update refs/checkpoints/${id} ${tree}`], signal)
    },

    async drop (ids: readonly string[], signal: AbortSignal): Promise<void> {
      if (ids.length === 0) return
      await open(signal)
      await updateRefs(ids.map((id) => `delete refs/checkpoints/${id}`), signal)
      for (const id of ids) await rm(join(gitDir, 'beside', id), { force: true })
      isDirty = true
    },

    async beside (id: string): Promise<Beside> {
      const text = await readFile(join(gitDir, 'beside', id), 'utf8').catch(() => null)
      try {
        if (text !== null) return JSON.parse(text) as Beside
      } catch {} // it was written when the machine stopped
      return { leftOut: [], repositories: null }
    },

    /** What has happened between two trees; a file that only its type has changed of counts as `T`. */
    async changes (from: string, to: string, signal: AbortSignal): Promise<Change[]> {
      await open(signal)
      const fields = (await git(['diff-tree', '-r', '-z', '--no-renames', '--name-status', from, to], signal)).toString('latin1').split('\0')
      const changes: Change[] = []
      for (let index = 0; index + 1 < fields.length; index += 2) changes.push({ status: fields[index] as Change['status'], name: fields[index + 1]! })
      return changes
    },

    /** Unified text, cut at 512 KiB. */
    async diff (from: string, to: string, signal: AbortSignal): Promise<{ text: string, truncated: boolean }> {
      const { stdout, cut } = await plumbing.git({
        gitDir, args: ['diff-tree', '-r', '-p', '--no-renames', '--no-ext-diff', '--no-textconv', '--no-color', '--full-index', from, to], signal, maxOutputBytes: maxDiffBytes, cut: true
      })
      const whole = stdout.toString()
      return { text: cut ? whole.slice(0, whole.lastIndexOf('\n') + 1) : whole, truncated: cut }
    },

    /** Every file of a tree, as Latin-1. */
    async names (tree: string, signal: AbortSignal): Promise<string[]> {
      await open(signal)
      return (await git(['ls-tree', '-r', '-z', '--name-only', tree], signal)).toString('latin1').split('\0').slice(0, -1)
    },

    /** Writes files of a tree into a folder beside the repository, which the caller is given and which is removed afterwards. */
    async withFiles<T> (tree: string, names: readonly string[], signal: AbortSignal, work: (folder: string) => Promise<T>): Promise<T> {
      const folder = join(own, 'files')
      const indexFile = join(own, 'files-index')
      await rm(folder, { recursive: true, force: true })
      await rm(`${indexFile}.lock`, { force: true })
      await mkdir(folder, { recursive: true })
      try {
        await git(['read-tree', tree], signal, { indexFile })
        await git(['checkout-index', '--force', '-z', '--stdin'], signal, { indexFile, workTree: folder, input: nameList(names), limitMs: checkoutLimitMs })
        return await work(folder)
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },

    ignored: async (names: readonly string[], { closed }: Pick<Territory, 'closed'>, signal: AbortSignal): Promise<Set<string>> => await domains.ignored(workspace, names, closed, signal),

    /** Packs what lies about and removes what nothing refers to. Gives way to whatever is to be done. */
    async tidy ({ signal: outer, force = false }: { signal: AbortSignal, force?: boolean }): Promise<void> {
      if (!isDirty && !force) return
      const done = await queue.runIdle(async (inner) => {
        const signal = AbortSignal.any([outer, inner])
        await open(signal)
        const { count = 0, packs = 0 } = await counted(signal)
        if (!force && count < mostLooseObjects && packs < mostPacks) return
        await git(['repack', '-a', '-d', '-q'], signal, { background: true, limitMs: packLimitMs })
        await git(['prune', '--expire=now'], signal, { background: true, limitMs: packLimitMs })
      })
      if (done) isDirty = false
    },

    /** Bytes on the disk. */
    async sizeBytes (signal: AbortSignal): Promise<number> {
      return await queue.run(async () => {
        await open(signal)
        const { size = 0, 'size-pack': packed = 0 } = await counted(signal)
        return (size + packed) * 1024
      })
    },

    isIdle: queue.isIdle
  }

  async function counted (signal: AbortSignal): Promise<Record<string, number>> {
    const lines = (await text(['count-objects', '-v'], signal)).split('\n')
    return Object.fromEntries(lines.map((entry) => entry.split(': ')).map(([name, value]) => [name, Number(value)]))
  }
}

export type Store = ReturnType<typeof createStore>
