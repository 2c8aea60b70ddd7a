import { type Tracking } from '../engine.js'
import { isChosen, type ChosenPaths } from './paths.js'
import { recordReader } from './records.js'
import { folderOnly, listing, look, type Repository } from './repository.js'

/** A file with changes. Paths are those of the work tree. */
export interface Change {
  path: string
  /** The former path of a renamed file, or the source of a copied one. */
  oldPath: string | null
  /** Git's status letters, `.` for none: of the index compared to HEAD, and of the file compared to the index. */
  inIndex: string
  inTree: string
  kind: 'tracked' | 'untracked' | 'conflict'
  isSubmodule: boolean
  /** Git's whole line without the path. It includes the object names in HEAD and in the index. */
  mark: string
}

/** HEAD, and how far it is from its upstream. */
export interface Head extends Tracking {
  /** Null on an unborn branch. */
  sha: string | null
}

export interface ChangesScope {
  untracked: boolean
  /** Default: the folder only. */
  wholeTree?: boolean
  /** Default: true. Otherwise a rename is a deleted file and a new one. */
  renames?: boolean
}

/** Whether a file is an intent to add: the index has its name, but not its contents. */
export const isIntended = ({ inIndex, inTree }: Change): boolean => inIndex === '.' && inTree === 'A'
export const isStaged = ({ kind, inIndex }: Change): boolean => kind === 'tracked' && inIndex !== '.'
export const isUnstaged = ({ kind, inTree }: Change): boolean => kind === 'conflict' || (kind === 'tracked' && inTree !== '.')

/** Passes each change to `take` in git's order: tracked files and conflicts by path, then untracked files. Throws what gitText throws. */
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

/** Returns the chosen changes in the folder. */
export async function chosenChanges (repository: Repository, chosen: ChosenPaths): Promise<Change[]> {
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

/** How many fields come before the path, by the kind of line. */
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
