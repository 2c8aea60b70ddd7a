import { randomBytes } from 'node:crypto'
import { copyFile, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type GitCall, type Plumbing } from './plumbing.js'

export interface RepositoryOptions {
  plumbing: Plumbing
  /** Path of the repository. */
  gitDir: string
  /** The workspace whose snapshots it contains. */
  workspace: string
  /** Returns whether a checkpoint in the repository is still needed. */
  isKept: (id: string) => boolean
  /** Called when the repository is created, so that earlier checkpoints no longer exist. */
  isNew: () => void
}

const packLimitMs = 600_000

/**
 * The private repository with the snapshots of one workspace: runs git in it and maintains it. `open` creates or repairs it,
 * and must come before everything else. The trees of checkpoints are kept by `refs/checkpoints/<id>`.
 */
export class Repository {
  readonly gitDir: string
  /** A folder for this process alone, so that commands left running by an earlier one can neither lock nor overwrite its files. */
  readonly own: string
  readonly plumbing: Plumbing
  /** Whether there may be objects to pack or prune. */
  isDirty = true
  readonly #options: RepositoryOptions
  #opened: Promise<void> | undefined

  constructor (options: RepositoryOptions) {
    this.#options = options
    this.plumbing = options.plumbing
    this.gitDir = options.gitDir
    this.own = join(options.gitDir, `run-${randomBytes(6).toString('hex')}`)
  }

  /** Runs git and returns its output. Rejects with SnapshotFailed. */
  async git (args: string[], signal: AbortSignal, more: Partial<GitCall> = {}): Promise<Buffer> {
    return (await this.plumbing.git({ gitDir: this.gitDir, args, signal, ...more })).stdout
  }

  async text (args: string[], signal: AbortSignal, more?: Partial<GitCall>): Promise<string> {
    return (await this.git(args, signal, more)).toString().trim()
  }

  /** Prepares the repository once. After a failure, the next call tries again. */
  async open (signal: AbortSignal): Promise<void> {
    try {
      await (this.#opened ??= this.#prepare(signal))
    } catch (error) {
      this.#opened = undefined
      throw error
    }
  }

  /** Runs commands of `update-ref --stdin` as one transaction. */
  async updateRefs (commands: string[], signal: AbortSignal): Promise<void> {
    if (commands.length > 0) {
      await this.git(['update-ref', '--stdin'], signal, { input: Buffer.from(commands.map((command) => `${command}\n`).join('')) })
    }
  }

  async usage (signal: AbortSignal): Promise<{ looseObjects: number, packs: number, sizeBytes: number }> {
    const lines = (await this.text(['count-objects', '-v'], signal)).split('\n')
    const {
      count = 0, packs = 0, size = 0, 'size-pack': packed = 0
    } = Object.fromEntries(lines.map((entry) => entry.split(': ')).map(([name, value]) => [name, Number(value)]))
    return { looseObjects: count, packs, sizeBytes: (size + packed) * 1024 }
  }

  /** Packs loose objects and removes unreachable ones, at a low priority. */
  async pack (signal: AbortSignal): Promise<void> {
    await this.git(['repack', '-a', '-d', '-q'], signal, { background: true, limitMs: packLimitMs })
    await this.git(['prune', '--expire=now'], signal, { background: true, limitMs: packLimitMs })
  }

  /** Creates the repository, or repairs what an earlier process has left. */
  async #prepare (signal: AbortSignal): Promise<void> {
    const { gitDir } = this
    const { workspace, isKept, isNew } = this.#options
    await mkdir(gitDir, { recursive: true, mode: 0o700 })
    const isThere = await Promise.all(['HEAD', 'objects', 'refs'].map(async (name) => await stat(join(gitDir, name)))).then(() =>
      true, () => false)
    if (!isThere) {
      await this.git(['init', '--quiet', '--bare', '--template='], signal)
      isNew()
    }
    await mkdir(join(gitDir, 'info'), { recursive: true })
    // Overrides every .gitattributes: no filters, conversions or drivers.
    await writeFile(
      join(gitDir, 'info', 'attributes'), '* -text -filter -ident -working-tree-encoding -eol -merge -export-subst !diff !whitespace\n'
    )
    await writeFile(join(gitDir, 'workspace'), workspace)
    await mkdir(join(gitDir, 'beside'), { recursive: true })
    await this.#takeOver()
    await this.#unlock()
    const refs = (await this.text(['for-each-ref', '--format=%(refname)', 'refs/checkpoints'], signal)).split('\n').filter((ref) =>
      ref !== '')
    const stale = refs.filter((ref) => !isKept(ref.slice('refs/checkpoints/'.length)))
    await this.updateRefs(stale.map((ref) => `delete ${ref}`), signal)
    for (const id of await readdir(join(gitDir, 'beside'))) if (!isKept(id)) await rm(join(gitDir, 'beside', id), { force: true })
  }

  /** Removes locks on refs that a killed git has left, which would otherwise stay for ever. */
  async #unlock (): Promise<void> {
    const refs = (await readdir(join(this.gitDir, 'refs'), { recursive: true })).filter((name) => name.endsWith('.lock'))
    for (const path of [
      'packed-refs.lock', 'HEAD.lock', ...refs.map((name) => join('refs', name))
    ]) await rm(join(this.gitDir, path), { force: true })
  }

  /** Takes over the indexes of an earlier process, so that not every file has to be read again. */
  async #takeOver (): Promise<void> {
    await mkdir(this.own, { recursive: true })
    for (const name of await readdir(this.gitDir)) {
      const former = join(this.gitDir, name)
      if (!name.startsWith('run-') || former === this.own) continue
      for (const file of await readdir(former).catch(() => [])) {
        if (file.endsWith('.index')) await copyFile(join(former, file), join(this.own, file)).catch(() => {})
      }
      await rm(former, { recursive: true, force: true })
    }
  }
}
