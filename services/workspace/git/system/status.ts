import { type FileChange, type GitEngine, type GitInfo, type GitStatus, type StatusTotals } from '../engine.js'
import { unlessNoRepository } from '../errors.js'
import { eachChange, isStaged, isUnstaged, type Change, type ChangesScope, type Head } from './changes.js'
import { type LineCounts } from './line-counts.js'
import { beginLines, createLineMemory, linesOf, type LineMemory } from './line-memory.js'
import { createOpenings } from './openings.js'
import { fromFolder, type Repository } from './repository.js'

const maxFiles = 500

interface Survey {
  head: Head
  totals: StatusTotals
  /** The first changes: conflicts, then tracked files by path, then untracked ones. */
  changes: Change[]
}

/** Creates GitEngine.status and GitEngine.info, with caches, because clients poll them for the same folders. */
export function createStatus (): Pick<GitEngine, 'status' | 'info'> {
  const openings = createOpenings()
  const memory = createLineMemory()
  return {
    status: (folder) => unlessNoRepository(openings.looking(folder, (repository) => statusOf(repository, memory))),
    info: (folder) => unlessNoRepository(openings.looking(folder, counts))
  }
}

async function statusOf (repository: Repository, memory: LineMemory): Promise<GitStatus> {
  const [{
    head: { sha, ...tracking }, totals, changes
  }, begun] = await Promise.all([survey(repository, { untracked: true }), beginLines(memory, repository)])
  const counts = await linesOf(memory, repository, changes, begun)
  return {
    ...tracking, head: sha, totals, files: changes.map((change) => shown(repository, change, counts)),
    truncated: totals.changed > changes.length
  }
}

async function counts (repository: Repository): Promise<GitInfo> {
  const { head, totals: { changed, untracked } } = await survey(repository, { untracked: true })
  return {
    branch: head.branch ?? head.sha?.slice(0, 7) ?? '', dirty: changed, modified: changed - untracked, untracked, ahead: head.ahead,
    behind: head.behind
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
