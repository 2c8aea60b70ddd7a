import { type Static } from '@sinclair/typebox'
import {
  type GitBranch, type GitBranches, type GitCommit, type GitDiffAnswer, type GitFile, type GitInfoAnswer, type GitShowAnswer,
  type GitStashCheckedOut,
  type GitStashesAnswer, type GitStatus, type GitStatusAnswer
} from '../../../schemas/git.js'
import {
  type Branch, type Branches, type Commit, type CommitDetail, type Diff, type FileChange, type GitInfo, type LabelledStatus, type Stash,
  type StashedCheckout
} from '../../workspace/git/index.js'
import { wholeTo } from '../../ground/text/whole-characters.js'

/** Much more of a commit than people write, and so little that 200 commits are a short answer, whatever a repository contains. */
const maxLineChars = 1_000
const maxBodyChars = 20_000
const cutTo = (text: string, chars: number): string => text.length <= chars ? text : `${wholeTo(text, chars)}…`
const line = (text: string): string => cutTo(text, maxLineChars)

export function infoToWire ({
  branch, dirty, modified, untracked, ahead, behind
}: GitInfo): NonNullable<Static<typeof GitInfoAnswer>['git']> {
  return { branch, dirty, modified, untracked, ahead, behind, is_git: true }
}

/** Outside of a repository, only `is_git` is set. */
export function statusToWire (found: LabelledStatus | null): Static<typeof GitStatus> {
  if (found === null) return { is_git: false }
  const { status: { branch, upstream, ahead, behind, totals, files, truncated }, label } = found
  return {
    is_git: true, branch: label, detached: branch === null, upstream, ahead, behind, totals, files: files.map(fileToWire), truncated
  }
}

const texts = new WeakMap<object, string>()

/** Returns the answer for a status as JSON text, which is built once for each status. */
export function statusAnswer (found: LabelledStatus | null): string {
  if (found === null) return statusText(null)
  const known = texts.get(found.status)
  if (known !== undefined) return known
  const text = statusText(found)
  texts.set(found.status, text)
  return text
}

function statusText (found: LabelledStatus | null): string {
  const answer: Static<typeof GitStatusAnswer> = { git: statusToWire(found) }
  return JSON.stringify(answer)
}

function fileToWire ({
  path, oldPath, status, staged, unstaged, untracked, conflict, additions, deletions, binary
}: FileChange): Static<typeof GitFile> {
  return {
    path, workspace_path: path, old_path: oldPath, status, staged, unstaged, untracked, conflict, ignored: false, additions, deletions,
    binary
  }
}

/** Clients need a name for the current branch: without one it is the short sha, without a commit an empty text. */
export function branchesToWire (
  { branch, upstream, ahead, behind, detached, head, local, remote }: Branches, nowS: number
): Static<typeof GitBranches> {
  const each = (list: Branch[]) => list.map((one) => branchToWire(one, nowS))
  return {
    is_git: true, current: branch ?? short(head), detached, head: short(head), upstream, ahead, behind, local: each(local),
    remote: each(remote)
  }
}

function branchToWire (
  { name, sha, updatedAtS, author, subject, upstream, ahead, behind }: Branch, nowS: number
): Static<typeof GitBranch> {
  return {
    name, sha, updated: Math.trunc(updatedAtS), updated_relative: ago(updatedAtS, nowS), author: line(author), subject: line(subject),
    upstream, ahead, behind
  }
}

export function diffToWire ({ path, kind, binary, tooLarge, additions, deletions, diff }: Diff): Static<typeof GitDiffAnswer>['diff'] {
  return { path, kind, binary, too_large: tooLarge, additions, deletions, diff }
}

export function commitToWire (
  { sha, parents, author, email, authoredAtS, committedAtS, subject, body, refs }: Commit, nowS: number
): Static<typeof GitCommit> {
  return {
    sha, parents, author: line(author), email: line(email), authored_at: authoredAtS, committed_at: committedAtS,
    committed_relative: ago(committedAtS, nowS), subject: line(subject), body: cutTo(body, maxBodyChars), refs
  }
}

export function detailToWire ({ commit, files, diff, tooLarge, truncated }: CommitDetail, nowS: number): Static<typeof GitShowAnswer> {
  return {
    commit: commitToWire(commit, nowS),
    files: files.map(({
      path, oldPath, status, additions, deletions, binary
    }) => ({ path, old_path: oldPath, status, additions, deletions, binary })),
    diff,
    too_large: tooLarge,
    truncated
  }
}

export function stashToWire ({ ref, sha, branch, message, createdAtS }: Stash): Static<typeof GitStashesAnswer>['stashes'][number] {
  return { ref, sha, branch, message: line(message), created_at: createdAtS }
}

/** The additional fields of a checkout that stashed changes. */
type StashedWire = Pick<
  Static<typeof GitStashCheckedOut>, 'stash_name' | 'stashed' | 'restored_stash' | 'restore_failed' | 'restore_error' | 'restore_stash'
>

export function stashedToWire ({ stashName, stashed, restoredStash, restoreFailed }: StashedCheckout): StashedWire {
  return {
    stash_name: stashName ?? '',
    stashed,
    restored_stash: restoredStash,
    restore_failed: restoreFailed !== undefined,
    restore_error: restoreFailed?.error ?? null,
    restore_stash: restoreFailed?.stash ?? null
  }
}

const short = (sha: string | null): string => sha?.slice(0, 7) ?? ''

const units: Array<[name: string, seconds: number]> = [
  ['year', 31_536_000], ['month', 2_592_000], ['week', 604_800], ['day', 86_400], ['hour', 3_600], ['minute', 60]
]

/** Formats a time as `3 days ago`; both in epoch seconds. Pure. */
export function ago (thenS: number, nowS: number): string {
  const passedS = nowS - thenS
  const [name, seconds] = units.find(([, seconds]) => passedS >= seconds) ?? ['', 0]
  if (seconds === 0) return 'just now'
  const count = Math.floor(passedS / seconds)
  return `${count} ${name}${count === 1 ? '' : 's'} ago`
}
