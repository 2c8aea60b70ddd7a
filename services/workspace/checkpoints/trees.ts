import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { nameList, namesOf } from './names.js'
import { type Repository } from './repository.js'

/** A change between a snapshot and a later one. Names are Latin-1: one character per byte. */
export interface Change { name: string, status: 'A' | 'M' | 'D' | 'T' | 'R', from?: string }

const renamesOption = (renames: boolean): string => renames ? '--find-renames' : '--no-renames'

const maxDiffBytes = 512 * 1024
const checkoutLimitMs = 120_000

/** Reads the contents of stored trees. Everything rejects with SnapshotFailed. */
export class Trees {
  constructor (private readonly repository: Repository) {}

  /** Returns the changes between two trees. `T` is a file whose type has changed. */
  async changes (from: string, to: string, signal: AbortSignal, renames = false): Promise<Change[]> {
    await this.repository.open(signal)
    const args = ['diff-tree', '-r', '-z', renamesOption(renames), '--name-status', from, to]
    const fields = (await this.repository.git(args, signal)).toString('latin1').split('\0')
    const changes: Change[] = []
    for (let index = 0; index + 1 < fields.length; index += 2) {
      const [status, name = ''] = [fields[index] ?? '', fields[index + 1] ?? '']
      // `R` is followed by the similarity and both names.
      if (status.startsWith('R')) changes.push({ status: 'R', from: name, name: fields[++index + 1] ?? '' })
      else changes.push({ status: status as Change['status'], name })
    }
    return changes
  }

  /** Returns a unified diff, cut at 512 KiB. */
  async diff (from: string, to: string, signal: AbortSignal, renames = false): Promise<{ text: string, truncated: boolean }> {
    const { plumbing, gitDir } = this.repository
    const { stdout, cut } = await plumbing.git({
      gitDir, args: ['diff-tree', '-r', '-p', renamesOption(renames), '--no-ext-diff', '--no-textconv', '--no-color', '--full-index', from, to],
      signal, maxOutputBytes: maxDiffBytes, cut: true
    })
    const whole = stdout.toString()
    return { text: cut ? whole.slice(0, whole.lastIndexOf('\n') + 1) : whole, truncated: cut }
  }

  /** Returns a file of a tree; null if it does not exist. */
  async contents (tree: string, path: string, signal: AbortSignal, maxOutputBytes: number): Promise<Buffer | null> {
    await this.repository.open(signal)
    const { plumbing, gitDir } = this.repository
    const { stdout, exitCode } = await plumbing.git({
      gitDir, args: ['cat-file', 'blob', `${tree}:${path}`], signal, maxOutputBytes, exitCodes: [0, 128]
    })
    return exitCode === 0 ? stdout : null
  }

  /** Returns the names of all files of a tree, as Latin-1. */
  async names (tree: string, signal: AbortSignal): Promise<string[]> {
    await this.repository.open(signal)
    return namesOf(await this.repository.git(['ls-tree', '-r', '-z', '--name-only', tree], signal))
  }

  /** Writes files of a tree into a temporary folder, and runs `work` with it. The folder is removed afterwards. */
  async withFiles<T> (tree: string, names: readonly string[], signal: AbortSignal, work: (folder: string) => Promise<T>): Promise<T> {
    const folder = join(this.repository.own, 'files')
    const indexFile = join(this.repository.own, 'files-index')
    await rm(folder, { recursive: true, force: true })
    await rm(`${indexFile}.lock`, { force: true })
    await mkdir(folder, { recursive: true })
    try {
      await this.repository.git(['read-tree', tree], signal, { indexFile })
      await this.repository.git(['checkout-index', '--force', '-z', '--stdin'], signal, {
        indexFile, workTree: folder, input: nameList(names), limitMs: checkoutLimitMs
      })
      return await work(folder)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
}
