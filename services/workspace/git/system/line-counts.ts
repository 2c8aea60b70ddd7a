import { contentsOf, isBinary, linesIn } from '../contents.js'
import { recordReader } from './records.js'
import { listing, look, type Repository } from './repository.js'

export interface LineCount { additions: number, deletions: number, binary: boolean }
/** Line counts by path in the work tree. */
export type LineCounts = Map<string, LineCount>

/** Returns a function that adds the records of `--numstat -z` to `counts`. */
export function lineCounter (counts: LineCounts): (record: string) => void {
  /** Counts of a renamed file, whose two paths follow, and how many of the paths have been read. */
  let pending: { count: LineCount, paths: number } | null = null
  return (record) => {
    if (pending !== null) {
      pending.paths++
      if (pending.paths === 1) return
      addCount(counts, record, pending.count)
      pending = null
      return
    }
    const [, additions, deletions, path] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(record) ?? []
    if (path === undefined) return
    const binary = additions === '-'
    const count = { additions: binary ? 0 : Number(additions), deletions: binary ? 0 : Number(deletions), binary }
    if (path === '') pending = { count, paths: 0 }
    else addCount(counts, path, count)
  }
}

export function addCount (counts: LineCounts, path: string, { additions, deletions, binary }: LineCount): void {
  const before = counts.get(path) ?? { additions: 0, deletions: 0, binary: false }
  counts.set(path, { additions: before.additions + additions, deletions: before.deletions + deletions, binary: before.binary || binary })
}

/** For a few files, git would spend most of the time on threads that check all the other files. */
const withoutThreads = ['core.preloadIndex=false', 'index.threads=1']

/** Adds what `git diff` counts with these arguments to `counts`. `few`: the arguments name a few files. Throws what gitText throws. */
export async function countLines (
  repository: Repository, args: readonly string[], counts: LineCounts, { few = false }: { few?: boolean } = {}
): Promise<void> {
  await look(repository, ['diff', '--numstat', '-z', '--find-renames', ...args], {
    ...listing, onOutput: recordReader(lineCounter(counts)), ...few ? { settings: withoutThreads } : {}
  })
}

/** Untracked files above this size are not counted. */
const maxUntrackedBytes = 128 * 1024
/** Counts an untracked file as all added. */
export async function countUntracked (repository: Repository, file: string): Promise<LineCount> {
  const contents = await contentsOf(repository, file, maxUntrackedBytes).catch(() => null)
  if (contents === null || contents === 'too-large') return { additions: 0, deletions: 0, binary: false }
  const binary = isBinary(contents.bytes)
  return { additions: binary ? 0 : linesIn(contents.bytes), deletions: 0, binary }
}
