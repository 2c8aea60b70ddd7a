import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { DomainError } from '../../errors.js'
import { isStaged, isUnstaged, type Change } from './changes.js'
import { addCount, countLines, countUntracked, type LineCount, type LineCounts } from './line-counts.js'
import { folderOnly, type Repository } from './repository.js'

/** What was counted stands as long as neither git's line about the file nor the file itself has changed. */
export interface LineMemory {
  counted: Map<string, { sign: string, count: LineCount }>
  /** Folders that have been asked about. */
  known: Set<string>
}

const maxRemembered = 5_000
const maxKnown = 100
/** So many paths are looked at by themselves; for more, looking at everything is faster. */
const maxSingle = 100
const readers = 8

export const createLineMemory = (): LineMemory => ({ counted: new Map(), known: new Set() })

/** Whether the folder has been counted before. From now on it has. */
export function isKnown ({ known }: LineMemory, { folder }: Repository): boolean {
  if (known.has(folder)) return true
  if (known.size >= maxKnown) known.clear()
  known.add(folder)
  return false
}

/**
 * Lines of the changed files, of the staged and the unstaged part together. Only files that have changed since the last
 * time are looked into. `unstaged`: the unstaged part, when it has just been counted.
 */
export async function linesOf (memory: LineMemory, repository: Repository, changes: readonly Change[], unstaged: LineCounts | null): Promise<LineCounts> {
  const counts: LineCounts = unstaged ?? new Map()
  const signs = await Promise.all(changes.map(async (change) => await signOf(repository, change)))
  const missing = changes.filter((change, index) => {
    const found = unstaged === null ? memory.counted.get(keyOf(repository, change)) : undefined
    if (found === undefined || found.sign !== signs[index]) return true
    counts.set(change.path, found.count)
    return false
  })
  const tracked = missing.filter(({ kind }) => kind !== 'untracked')
  await Promise.all([
    unstaged === null ? countThese(repository, tracked.filter(isUnstaged), [], counts) : undefined,
    countThese(repository, tracked.filter(isStaged), ['--cached'], counts),
    countAllUntracked(repository, missing.filter(({ kind }) => kind === 'untracked'), counts)
  ])
  // What was counted before its sign was taken may be older than that.
  if (unstaged === null) remember(memory, repository, changes, signs, counts)
  return counts
}

/** A list without its numbers is better than none: counting may take longer than anybody waits. */
export async function orNone (counting: Promise<void>): Promise<void> {
  await counting.catch((error: unknown) => {
    if (!(error instanceof DomainError && (error.code === 'timeout' || error.code === 'too_large'))) throw error
  })
}

async function countThese (repository: Repository, changes: readonly Change[], options: readonly string[], counts: LineCounts): Promise<void> {
  if (changes.length === 0) return
  const paths = changes.length > maxSingle ? folderOnly(repository) : changes.flatMap(({ path, oldPath }) => oldPath === null ? [path] : [path, oldPath])
  const found: LineCounts = new Map()
  await orNone(countLines(repository, [...options, '--', ...paths], found))
  for (const { path } of changes) addCount(counts, path, found.get(path) ?? { additions: 0, deletions: 0, binary: false })
}

async function countAllUntracked (repository: Repository, changes: readonly Change[], counts: LineCounts): Promise<void> {
  const waiting = changes.map(({ path }) => path).reverse()
  await Promise.all(Array.from({ length: readers }, async () => {
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) addCount(counts, path, await countUntracked(repository, path))
  }))
}

function remember ({ counted }: LineMemory, repository: Repository, changes: readonly Change[], signs: readonly string[], counts: LineCounts): void {
  if (counted.size > maxRemembered) counted.clear()
  for (const [index, change] of changes.entries()) {
    const count = counts.get(change.path)
    const sign = signs[index]
    if (count !== undefined && sign !== undefined) counted.set(keyOf(repository, change), { sign, count })
  }
}

const keyOf = ({ top }: Repository, { path }: Change): string => `${top}\0${path}`

async function signOf ({ top }: Repository, { path, oldPath, mark }: Change): Promise<string> {
  const stats = await lstat(join(top, path), { bigint: true }).catch(() => null)
  return `${mark}\0${oldPath ?? ''}\0${stats === null ? '' : [stats.mtimeNs, stats.ctimeNs, stats.size, stats.ino, stats.mode].join(' ')}`
}
