import { lstat, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Snapshot } from './snapshots.js'

/** What existed when a snapshot was taken, but is not in it. */
export interface Omissions {
  /** Files, each with its stamp at that time; null if that is not known. */
  leftOut: Array<[file: string, stamp: string | null]>
  /** Null if they were not recorded. */
  repositories: string[] | null
}

/** How many of the files that are left out get a stamp, which shows whether they have changed. */
const mostStamps = 1_000

/** Files in a private repository, one for each checkpoint, that record what was not in its snapshot. */
export class OmissionRecords {
  constructor (private readonly gitDir: string, private readonly workspace: string) {}

  async write (id: string, { leftOut, repositories }: Pick<Snapshot, 'leftOut' | 'repositories'>): Promise<void> {
    const stamped: Omissions['leftOut'] = []
    for (const [index, file] of leftOut.entries()) stamped.push([file, index < mostStamps ? await this.stampOf(file) : null])
    await writeFile(this.#pathOf(id), JSON.stringify({ leftOut: stamped, repositories } satisfies Omissions))
  }

  /** Reads the record of a checkpoint. Without a readable file, nothing is known. */
  async read (id: string): Promise<Omissions> {
    const text = await readFile(this.#pathOf(id), 'utf8').catch(() => null)
    try {
      if (text !== null) return JSON.parse(text) as Omissions
    } catch {} // the machine stopped while it was written
    return { leftOut: [], repositories: null }
  }

  async remove (id: string): Promise<void> {
    await rm(this.#pathOf(id), { force: true })
  }

  /** Returns a stamp that changes when the file (relative to the workspace) does; null if it does not exist. */
  async stampOf (file: string): Promise<string | null> {
    const entry = await lstat(join(this.workspace, file)).catch(() => null)
    return entry === null ? null : `${entry.ino}:${entry.size}:${entry.mtimeMs}`
  }

  #pathOf (id: string): string {
    return join(this.gitDir, 'beside', id)
  }
}
