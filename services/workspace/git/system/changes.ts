import { type Tracking } from '../engine.js'
import { isChosen, type Chosen } from './paths.js'
import { recordReader } from './records.js'
import { folderOnly, listing, look, type Repository } from './repository.js'

/** A file with changes. Paths are those of the work tree. */
export interface Change {
  path: string
  /** Where a renamed or copied file was before. */
  oldPath: string | null
  /** As git's letters, `.` for none: what the index has against HEAD, and the file against the index. */
  inIndex: string
  inTree: string
  kind: 'tracked' | 'untracked' | 'conflict'
  isSubmodule: boolean
  /** Git's whole line without the path: with it the contents in HEAD and in the index. */
  mark: string
}

/** What HEAD is, and how far it is from what it follows. */
export interface Head extends Tracking {
  /** Null on an unborn branch. */
  sha: string | null
}

export interface ChangesScope {
  untracked: boolean
  /** Otherwise the folder only. */
  wholeTree?: boolean
  /** Otherwise a rename is a file that goes and another that comes. */
  renames?: boolean
}

/** An intent to add: git knows the name and has nothing of the contents. */
export const isIntended = ({ inIndex, inTree }: Change): boolean => inIndex === '.' && inTree === 'A'
export const isStaged = ({ kind, inIndex }: Change): boolean => kind === 'tracked' && inIndex !== '.'
export const isUnstaged = ({ kind, inTree }: Change): boolean => kind === 'conflict' || (kind === 'tracked' && inTree !== '.')

/** Hands over the changes in git's order: tracked files and conflicts by path, then untracked files. Throws what gitText throws. */
export async function eachChange (repository: Repository, scope: ChangesScope, take: (change: Change) => void): Promise<Head> {
  const head: Head = { sha: null, branch: null, upstream: null, ahead: 0, behind: 0 }
  let renamed: Change | null = null
  const read = recordReader((record) => {
    if (renamed !== null) {
      take({ ...renamed, oldPath: record })
      renamed = null
      return
    }
    if (record.startsWith('# ')) {
      readHead(head, record)
      return
    }
    const change = changeOf(record)
    if (change === null) return
    if (record.startsWith('2 ')) renamed = change
    else take(change)
  })
  const { untracked, wholeTree = false, renames = true } = scope
  await look(repository, [
    'status', '--porcelain=v2', '-z', '--branch', '--ahead-behind', '--no-show-stash', renames ? '--find-renames' : '--no-renames',
    `--untracked-files=${untracked ? 'all' : 'no'}`, '--', ...wholeTree ? [] : folderOnly(repository)
  ], { ...listing, onOutput: read })
  return head
}

/** Those changes in the folder that are chosen. */
export async function chosenChanges (repository: Repository, chosen: Chosen): Promise<Change[]> {
  const changes: Change[] = []
  await eachChange(repository, { untracked: true }, (change) => {
    if (isChosen(chosen, change.path.replace(/\/$/, ''))) changes.push(change)
  })
  return changes
}

function readHead (head: Head, record: string): void {
  const [, key, value = ''] = /^# branch\.(\w+) (.*)$/s.exec(record) ?? []
  if (key === 'oid') head.sha = value === '(initial)' ? null : value
  else if (key === 'head') head.branch = value === '(detached)' ? null : value
  else if (key === 'upstream') head.upstream = value
  else if (key === 'ab') {
    const [ahead = 0, behind = 0] = value.split(' ').map((count) => Math.abs(Number(count)))
    Object.assign(head, { ahead, behind })
  }
}

/** How many fields stand before the path, by the kind of a line. */
const fields: Readonly<Record<string, number>> = { 1: 8, 2: 9, u: 10 }

function changeOf (record: string): Change | null {
  const mark = record[0] ?? ''
  if (mark === '?') return { path: record.slice(2), oldPath: null, inIndex: '.', inTree: '.', kind: 'untracked', isSubmodule: false, mark }
  const count = fields[mark]
  if (count === undefined) return null
  let start = 0
  for (let field = 0; field < count; field++) start = record.indexOf(' ', start) + 1
  return {
    path: record.slice(start),
    oldPath: null,
    inIndex: record[2] ?? '.',
    inTree: record[3] ?? '.',
    kind: mark === 'u' ? 'conflict' : 'tracked',
    isSubmodule: record[5] === 'S',
    mark: record.slice(0, start)
  }
}
