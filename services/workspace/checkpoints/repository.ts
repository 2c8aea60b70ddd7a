import { randomBytes } from 'node:crypto'
import { copyFile, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type GitCall, type Plumbing } from './plumbing.js'

export interface RepositoryOptions {
  plumbing: Plumbing
  /** Where it lies. */
  gitDir: string
  /** Whose snapshots it holds. */
  workspace: string
  /** Whether a checkpoint that the repository holds is still wanted. */
  isKept: (id: string) => boolean
  /** The repository is a new one: of earlier checkpoints nothing is left. */
  isNew: () => void
}

const packLimitMs = 600_000

/**
 * The private repository that snapshots of one workspace lie in: git in it, and its upkeep. It is made, or put in order,
 * by `open`, which comes before everything else. Trees that are kept are referred to by `refs/checkpoints/<id>`.
 */
export class Repository {
  readonly gitDir: string
  /** A folder of this process alone: what an earlier one has left running can neither lock nor overwrite its files. */
  readonly own: string
  readonly plumbing: Plumbing
  /** Something may lie about that could be packed. */
  isDirty = true
  readonly #options: RepositoryOptions
  #opened: Promise<void> | undefined

  constructor (options: RepositoryOptions) {
    this.#options = options
    this.plumbing = options.plumbing
    this.gitDir = options.gitDir
    this.own = join(options.gitDir, `run-${randomBytes(6).toString('hex')}`)
  }

  /** What git prints. Rejects with SnapshotFailed. */
  async git (args: string[], signal: AbortSignal, more: Partial<GitCall> = {}): Promise<Buffer> {
    return (await this.plumbing.git({ gitDir: this.gitDir, args, signal, ...more })).stdout
  }

  async text (args: string[], signal: AbortSignal, more?: Partial<GitCall>): Promise<string> {
    return (await this.git(args, signal, more)).toString().trim()
  }

  /** Tried again by the next call when it fails. */
  async open (signal: AbortSignal): Promise<void> {
    try {
      await (this.#opened ??= this.#prepare(signal))
    } catch (error) {
      this.#opened = undefined
      throw error
    }
  }

  /** Commands of `update-ref --stdin`, one transaction. */
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

  /** Packs what lies about and removes what nothing refers to, at a low priority. */
  async pack (signal: AbortSignal): Promise<void> {
    await this.git(['repack', '-a', '-d', '-q'], signal, { background: true, limitMs: packLimitMs })
    await this.git(['prune', '--expire=now'], signal, { background: true, limitMs: packLimitMs })
  }

  /** Makes the repository, or puts in order what an earlier process has left of it. */
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
    // Above every .gitattributes: no filter, no conversion, no driver.
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

  /** Locks on refs that a git which was killed has left; they would hold for ever. */
  async #unlock (): Promise<void> {
    const refs = (await readdir(join(this.gitDir, 'refs'), { recursive: true })).filter((name) => name.endsWith('.lock'))
    for (const path of [
      'packed-refs.lock', 'HEAD.lock', ...refs.map((name) => join('refs', name))
    ]) await rm(join(this.gitDir, path), { force: true })
  }

  /** The indexes of an earlier process save reading every file again. */
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
