/** A file with changes. Paths are relative to the folder that was asked about, with `/`. */
export interface FileChange {
  path: string
  /** The former path of a renamed file, or the source of a copied one. */
  oldPath: string | null
  /** `M`, `A`, `D`, `R`, `C`, `T`, `U` or `??`. */
  status: string
  staged: boolean
  unstaged: boolean
  untracked: boolean
  conflict: boolean
  /** Lines, of the staged and the unstaged part together; 0 for binary files. */
  additions: number
  deletions: number
  binary: boolean
}

export interface Tracking {
  /** Name of the branch, also of an unborn one; null when HEAD is detached. */
  branch: string | null
  upstream: string | null
  ahead: number
  behind: number
}

export interface StatusTotals { changed: number, staged: number, unstaged: number, untracked: number, conflicts: number }

export interface GitStatus extends Tracking {
  /** Commit that is checked out, null on an unborn branch. */
  head: string | null
  totals: StatusTotals
  /** At most 500, conflicts first, then tracked files by path, then untracked ones. */
  files: FileChange[]
  truncated: boolean
}

/** Counts for a badge. `dirty` is the number of all changed files, `modified` of those with staged or unstaged changes. */
export interface GitInfo { branch: string, dirty: number, modified: number, untracked: number, ahead: number, behind: number }

export interface Branch {
  name: string
  sha: string
  /** Epoch seconds of the last commit. */
  updatedAtS: number
  author: string
  subject: string
  upstream: string | null
  ahead: number
  behind: number
}

export interface Branches extends Tracking {
  detached: boolean
  /** Commit that is checked out, null on an unborn branch. */
  head: string | null
  local: Branch[]
  remote: Branch[]
}

export type DiffKind = 'unstaged' | 'staged'

/** Which version of a file to read: from the commit that is checked out, from the index, or from a commit or its first parent. */
export type StoredIn = 'head' | 'index' | { commit: string, isParent: boolean }
/** The largest file that is read from git as a whole. */
export const mostStoredBytes = 20 * 1024 * 1024

export interface Diff {
  path: string
  kind: DiffKind
  binary: boolean
  /** Whether the diff is above 512 KiB; its text is empty then. */
  tooLarge: boolean
  additions: number
  deletions: number
  /** Unified diff; an untracked file appears as all added. */
  diff: string
}

export interface Commit {
  sha: string
  parents: string[]
  author: string
  email: string
  /** Epoch seconds. */
  authoredAtS: number
  committedAtS: number
  subject: string
  body: string
  /** Branches and tags that point here. */
  refs: string[]
}

export interface CommitDetail {
  commit: Commit
  files: Array<Pick<FileChange, 'path' | 'oldPath' | 'status' | 'additions' | 'deletions' | 'binary'>>
  /** Against the first parent; empty when `tooLarge`. */
  diff: string
  tooLarge: boolean
  truncated: boolean
}

export interface Stash { ref: string, sha: string, branch: string | null, message: string, createdAtS: number }

export interface CheckoutTarget {
  ref: string
  /** `new`: creates `newBranch` at `ref`; `remote`: creates a local branch of the same name (or `newBranch`) that tracks it. */
  mode: 'local' | 'remote' | 'new'
  newBranch?: string
  track?: boolean
}

export interface CheckedOut { currentBranch: string, message: string }

export interface StashedCheckout extends CheckedOut {
  /** Name of the stash that was made, null when there was nothing to stash. */
  stashName: string | null
  stashed: boolean
  /** The stash that an earlier checkout of this kind made for the target branch, and that was restored now. */
  restoredStash: Pick<Stash, 'ref' | 'branch' | 'message'> | null
  /** Set if that stash could not be restored without conflicts; it is kept. */
  restoreFailed?: { stash: Pick<Stash, 'ref' | 'branch' | 'message'>, error: string }
}

/** The changes that a commit message is written from. */
export interface ChangesToDescribe {
  /** Unified diff, cut at 64 KiB. */
  diff: string
  truncated: boolean
  files: Array<Pick<FileChange, 'path' | 'oldPath' | 'status' | 'additions' | 'deletions'>>
}

/** A remote with its fetch URL, after git's settings have rewritten it. The URL may contain credentials. */
export interface Remote { name: string, url: string }

/** The changes that a pull request is written from, with the messages of the commits, newest first. */
export interface BranchToDescribe extends ChangesToDescribe { commits: string[] }

/**
 * Git on the work tree that contains a folder (absolute, symlink-free). Everything is limited to the folder: when it is a part of a
 * larger repository, the rest is neither shown nor touched, and what is staged there stays out of commits.
 *
 * Without a repository, reads whose type allows null return null; everything else throws Invalid (`not_a_repo`). The codes of the other
 * errors are the interface's: `no_upstream`, `operation_in_progress`, `timeout`, `missing_git`, `path_outside_workspace`, `invalid_ref`,
 * `dirty_worktree`, `conflict`, `git_failed`, `auth_failed`, `network_failed`, `rejected`; also `nothing_to_commit`, `identity_missing`
 * (git does not know the author of commits) and `filtered_path` (contents would have to pass through a program that is not run).
 */
export interface GitEngine {
  readonly name: 'git' | 'isomorphic-git'
  status (folder: string): Promise<GitStatus | null>
  info (folder: string): Promise<GitInfo | null>
  branches (folder: string): Promise<Branches>
  diff (folder: string, path: string, kind: DiffKind): Promise<Diff>
  /** Returns a file as git stores it; null if git does not have it. Throws TooLarge above 20 MiB. */
  stored (folder: string, path: string, storedIn: StoredIn): Promise<Buffer | null>
  /** Returns the commits of `ref` (default: HEAD) that touch the folder, newest first. `next`: offset of the next page, or null. */
  log (folder: string, options: { ref?: string, limit: number, offset: number }): Promise<{ commits: Commit[], next: number | null }>
  show (folder: string, ref: string): Promise<CommitDetail>
  stashes (folder: string): Promise<Stash[]>

  stage (folder: string, paths: string[]): Promise<void>
  unstage (folder: string, paths: string[]): Promise<void>
  /** Discards unstaged changes, and deletes untracked files only with `deleteUntracked`. */
  discard (folder: string, paths: string[], options: { deleteUntracked: boolean }): Promise<void>
  /** Commits what is staged. Returns the commit's sha. */
  commit (folder: string, message: string): Promise<string>
  /** Commits the current state of these paths, and leaves the rest of the index as it was. */
  commitSelected (folder: string, message: string, paths: string[]): Promise<{ commit: string, paths: string[] }>
  /** Returns the staged changes, or with `paths` everything in these that differs from HEAD. */
  changesToDescribe (folder: string, paths: string[] | null): Promise<ChangesToDescribe>

  remotes (folder: string): Promise<Remote[]>
  /** Returns what HEAD adds to a remote branch as it was last fetched; nothing if they have no commit in common. */
  branchToDescribe (folder: string, base: { remote: string, branch: string }): Promise<BranchToDescribe>

  /** Fetches. Like `pull` and `push`, returns one line for the person. */
  fetch (folder: string): Promise<string>
  /** Pulls. `inTree` runs the step that changes the work tree, once the remote has answered; without it, that step runs at once. */
  pull (folder: string, inTree?: (forward: () => Promise<string>) => Promise<string>): Promise<string>
  push (folder: string): Promise<string>
  /** Throws Conflict (`dirty_worktree`) when there are changes. */
  checkout (folder: string, target: CheckoutTarget): Promise<CheckedOut>
  stashCheckout (folder: string, target: CheckoutTarget): Promise<StashedCheckout>
}
