import { type CommitDetail } from '../engine.js'
import { lineCounter, type LineCounts } from './line-counts.js'
import { recordReader } from './records.js'
import { fromFolder, listing, look, type Repository } from './repository.js'
import { type GitArguments } from '../run.js'

/** Paths are relative to the folder. */
export type ChangedFile = CommitDetail['files'][number]

/**
 * Returns the files that a command shows as changed, with line counts. The arguments are a `diff`, `log` or `show` without a format.
 * Throws what gitText throws.
 */
export async function changedFiles (repository: Repository, [command, ...rest]: GitArguments): Promise<ChangedFile[]> {
  const found: Array<{ path: string, oldPath: string | null, status: string }> = []
  const counts: LineCounts = new Map()
  const count = lineCounter(counts)
  /** A status whose paths follow, and how many of them are still missing. */
  let begun: { status: string, paths: string[], missing: number } | null = null
  const read = recordReader((record) => {
    if (begun !== null) {
      begun.paths.push(record)
      if (--begun.missing > 0) return
      found.push({ status: begun.status, path: begun.paths.at(-1) ?? '', oldPath: begun.paths.length > 1 ? begun.paths[0] ?? null : null })
      begun = null
      return
    }
    // `show` prints an empty line first, for the empty format.
    const [, status] = /^\n?:\d+ \d+ \S+ \S+ ([A-Z])\d*$/.exec(record) ?? []
    if (status === undefined) count(record)
    else begun = { status, paths: [], missing: status === 'R' || status === 'C' ? 2 : 1 }
  })
  await look(repository, [command, '--raw', '--numstat', '-z', '--find-renames', ...rest], {
    maxOutputBytes: listing.maxOutputBytes, onOutput: read
  })
  return found.map(({ path, oldPath, status }) => ({
    path: fromFolder(repository, path) ?? path,
    oldPath: oldPath === null ? null : fromFolder(repository, oldPath),
    status,
    ...counts.get(path) ?? { additions: 0, deletions: 0, binary: false }
  }))
}
