import { Invalid } from '../../errors.js'
import { type FileChange, type GitInfo, type GitStatus, type StatusTotals } from '../engine.js'
import { eachChange, isStaged, isUnstaged, type Change, type ChangesScope, type Head } from './changes.js'
import { countLines, type LineCounts } from './line-counts.js'
import { isKnown, linesOf, orNone, type LineMemory } from './line-memory.js'
import { folderOnly, fromFolder, openRepository, type Repository } from './repository.js'

const maxFiles = 500

interface Survey {
  head: Head
  totals: StatusTotals
  /** The first ones: conflicts, then tracked files by path, then untracked ones. */
  changes: Change[]
}

/** See GitEngine.status. */
export async function status (folder: string, memory: LineMemory): Promise<GitStatus | null> {
  return await unlessNoRepository(async () => {
    const repository = await openRepository(folder)
    // At the first look everything has to be counted anyway, so that need not wait.
    const early: LineCounts | null = isKnown(memory, repository) ? null : new Map()
    const [{ head: { sha, ...tracking }, totals, changes }] = await Promise.all([
      survey(repository, { untracked: true }),
      early === null ? undefined : orNone(countLines(repository, ['--', ...folderOnly(repository)], early))
    ])
    const counts = await linesOf(memory, repository, changes, early)
    return { ...tracking, totals, files: changes.map((change) => shown(repository, change, counts)), truncated: totals.changed > changes.length }
  })
}

/** See GitEngine.info. */
export async function info (folder: string): Promise<GitInfo | null> {
  return await unlessNoRepository(async () => await counts(await openRepository(folder)))
}

async function counts (repository: Repository): Promise<GitInfo> {
  const { head, totals: { changed, untracked } } = await survey(repository, { untracked: true })
  return { branch: head.branch ?? head.sha?.slice(0, 7) ?? '', dirty: changed, modified: changed - untracked, untracked, ahead: head.ahead, behind: head.behind }
}

async function unlessNoRepository<T> (work: () => Promise<T>): Promise<T | null> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Invalid && error.code === 'not_a_repo') return null
    throw error
  }
}

async function survey (repository: Repository, scope: ChangesScope): Promise<Survey> {
  const totals: StatusTotals = { changed: 0, staged: 0, unstaged: 0, untracked: 0, conflicts: 0 }
  const first: Record<Change['kind'], Change[]> = { conflict: [], tracked: [], untracked: [] }
  const head = await eachChange(repository, scope, (change) => {
    totals.changed++
    if (isStaged(change)) totals.staged++
    if (isUnstaged(change)) totals.unstaged++
    if (change.kind === 'untracked') totals.untracked++
    if (change.kind === 'conflict') totals.conflicts++
    if (first[change.kind].length < maxFiles) first[change.kind].push(change)
  })
  return { head, totals, changes: [...first.conflict, ...first.tracked, ...first.untracked].slice(0, maxFiles) }
}

function shown (repository: Repository, change: Change, counts: LineCounts): FileChange {
  const { kind, inIndex, inTree, oldPath } = change
  return {
    path: fromFolder(repository, change.path) ?? change.path,
    oldPath: oldPath === null ? null : fromFolder(repository, oldPath),
    status: kind === 'untracked' ? '??' : kind === 'conflict' ? 'U' : inIndex === '.' ? inTree : inIndex,
    staged: isStaged(change),
    unstaged: isUnstaged(change),
    untracked: kind === 'untracked',
    conflict: kind === 'conflict',
    ...counts.get(change.path) ?? { additions: 0, deletions: 0, binary: false }
  }
}
