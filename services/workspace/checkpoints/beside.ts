import { lstat, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Snapshot } from './snapshots.js'

/** What was there when a snapshot was taken and is not in it. */
export interface Beside {
  /** Files, each with what it was like; null when that is not known. */
  leftOut: Array<[file: string, stamp: string | null]>
  /** Null when that was not written down. */
  repositories: string[] | null
}

/** Of so many files that are left out it is known whether they have changed. */
const mostStamps = 1_000

/** Files in a private repository, one for each checkpoint, that tell what lay beside its snapshot. */
export class BesideFiles {
  constructor (private readonly gitDir: string, private readonly workspace: string) {}

  async write (id: string, { leftOut, repositories }: Pick<Snapshot, 'leftOut' | 'repositories'>): Promise<void> {
    const stamped: Beside['leftOut'] = []
    for (const [index, file] of leftOut.entries()) stamped.push([file, index < mostStamps ? await this.stampOf(file) : null])
    await writeFile(this.#pathOf(id), JSON.stringify({ leftOut: stamped, repositories } satisfies Beside))
  }

  /** Nothing is known of a checkpoint without such a file. */
  async read (id: string): Promise<Beside> {
    const text = await readFile(this.#pathOf(id), 'utf8').catch(() => null)
    try {
      if (text !== null) return JSON.parse(text) as Beside
    } catch {} // it was written when the machine stopped
    return { leftOut: [], repositories: null }
  }

  async remove (id: string): Promise<void> {
    await rm(this.#pathOf(id), { force: true })
  }

  /** Changes when the file (relative to the workspace) does; null when it is not there. */
  async stampOf (file: string): Promise<string | null> {
    const entry = await lstat(join(this.workspace, file)).catch(() => null)
    return entry === null ? null : `${entry.ino}:${entry.size}:${entry.mtimeMs}`
  }

  #pathOf (id: string): string {
    return join(this.gitDir, 'beside', id)
  }
}
