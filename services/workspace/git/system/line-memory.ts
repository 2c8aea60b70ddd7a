import { join } from 'node:path'
import { DomainError } from '../../../ground/errors.js'
import { stampOf, type Stamp } from '../stamps.js'
import { isStaged, isUnstaged, type Change } from './changes.js'
import { addCount, countLines, countUntracked, type LineCount, type LineCounts } from './line-counts.js'
import { folderOnly, type Repository } from './repository.js'

/** Line counts of a changed file. They are valid as long as neither git's status line of the file nor the file itself has changed. */
interface FileCount {
  mark: string
  oldPath: string | null
  /** Null if the file had changed too recently for its stamp to be reliable, or if not everything could be counted. */
  stamp: string | null
  isUnstaged: boolean
  count: LineCount
}

/** Remembered counts by folder and path. */
export type LineMemory = Map<string, ReadonlyMap<string, FileCount>>

/** What was counted while git was still listing the changes. */
export interface EarlyCount {
  /** Stamp of the index, taken before everything else; empty if not everything could be counted. */
  index: string
  stamps: ReadonlyMap<string, Stamp>
  /** The files whose unstaged part is in `counts`; null: all files. */
  paths: ReadonlySet<string> | null
  counts: LineCounts
}

const maxFolders = 100
/** How many paths are counted individually at most; for more, counting the whole folder is faster. */
const maxSingle = 100
const readers = 8
const none: LineCount = { additions: 0, deletions: 0, binary: false }

export const createLineMemory = (): LineMemory => new Map()

/**
 * Counts, before the changes are known, the files that have most likely changed: those remembered from the last time whose stamp is
 * different now, or the first time, all. The result is for linesOf.
 */
export async function beginLines (memory: LineMemory, repository: Repository): Promise<EarlyCount> {
  const known = memory.get(repository.folder)
  const { text: index } = await indexStamp(repository)
  const counts: LineCounts = new Map()
  if (known === undefined) {
    const isWhole = await isCounted(countLines(repository, ['--', ...folderOnly(repository)], counts))
    return { index: isWhole ? index : '', stamps: new Map(), paths: null, counts }
  }
  const stamps = new Map(await Promise.all([...known.keys()].map(async (path) => [path, await fileStamp(repository, path)] as const)))
  const files = [...known].flatMap(([path, { oldPath, stamp, isUnstaged }]) =>
    isUnstaged && stamp !== stamps.get(path)?.text ? [{ path, oldPath }] : [])
  const isWhole = await countThese(repository, files, [], counts)
  return { index: isWhole ? index : '', stamps, paths: new Set(files.map(({ path }) => path)), counts }
}

/** Returns the line counts of the changed files, of the staged and the unstaged part together. */
export async function linesOf (
  memory: LineMemory, repository: Repository, changes: readonly Change[], begun: EarlyCount
): Promise<LineCounts> {
  const known = memory.get(repository.folder)
  // If the index has changed since, the early counts are not valid.
  const isValid = begun.index === (await indexStamp(repository)).text
  // Taken before counting, so that files that change meanwhile are counted again the next time.
  const stamps = await Promise.all(changes.map(async ({ path }) => begun.stamps.get(path) ?? await fileStamp(repository, path)))
  const counts: LineCounts = new Map()
  const missing = changes.filter(({ path, mark, oldPath }, index) => {
    const found = known?.get(path)
    const isSame = found !== undefined && found.mark === mark && found.oldPath === oldPath && found.stamp === stamps[index]?.text
    if (isSame) counts.set(path, found.count)
    return !isSame
  })
  const isBegun = ({ path }: Change): boolean => isValid && (begun.paths === null || begun.paths.has(path))
  const unstaged = missing.filter(isUnstaged)
  for (const { path } of unstaged.filter(isBegun)) addCount(counts, path, begun.counts.get(path) ?? none)
  const [isUnstagedWhole, isStagedWhole] = await Promise.all([
    countThese(repository, unstaged.filter((change) => !isBegun(change)), [], counts),
    countThese(repository, missing.filter(isStaged), ['--cached'], counts),
    countAllUntracked(repository, missing.filter(({ kind }) => kind === 'untracked'), counts)
  ])
  // Counts that were made before the stamp was taken may be older than it.
  const lasts = (change: Change, stamp?: Stamp): boolean =>
    isUnstagedWhole && isStagedWhole && stamp?.isSettled === true && !(begun.paths === null && isUnstaged(change))
  remember(memory, repository, changes.map((change, index) => {
    const { path, mark, oldPath } = change
    const stamp = lasts(change, stamps[index]) ? stamps[index]?.text ?? null : null
    return [path, { mark, oldPath, stamp, isUnstaged: isUnstaged(change), count: counts.get(path) ?? none }]
  }))
  return counts
}

function remember (memory: LineMemory, { folder }: Repository, files: Array<[path: string, FileCount]>): void {
  if (!memory.has(folder) && memory.size >= maxFolders) memory.clear()
  memory.set(folder, new Map(files))
}

/** Returns false if counting took too long or printed too much: a list without counts is better than none. */
async function isCounted (counting: Promise<void>): Promise<boolean> {
  return await counting.then(() => true, (error: unknown) => {
    if (error instanceof DomainError && (error.code === 'timeout' || error.code === 'too_large')) return false
    throw error
  })
}

/** Returns false if not all files could be counted. */
async function countThese (
  repository: Repository, files: ReadonlyArray<Pick<Change, 'path' | 'oldPath'>>, options: readonly string[], counts: LineCounts
): Promise<boolean> {
  if (files.length === 0) return true
  const few = files.length <= maxSingle
  const paths = few ? files.flatMap(({ path, oldPath }) => oldPath === null ? [path] : [path, oldPath]) : folderOnly(repository)
  const found: LineCounts = new Map()
  const isWhole = await isCounted(countLines(repository, [...options, '--', ...paths], found, { few }))
  for (const { path } of files) addCount(counts, path, found.get(path) ?? none)
  return isWhole
}

async function countAllUntracked (repository: Repository, changes: readonly Change[], counts: LineCounts): Promise<void> {
  const waiting = changes.map(({ path }) => path).reverse()
  await Promise.all(Array.from({ length: readers }, async () => {
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) addCount(counts, path, await countUntracked(repository, path))
  }))
}

async function fileStamp ({ top }: Repository, path: string): Promise<Stamp> {
  return await stampOf(join(top, path), { link: true })
}

async function indexStamp ({ gitDir }: Repository): Promise<Stamp> {
  return await stampOf(join(gitDir, 'index'))
}
