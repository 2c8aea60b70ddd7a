import { Type } from '@sinclair/typebox'
import { Closed, Id, Maybe, Nullable, OneOf, Seconds } from './common.js'
import { AsText } from './files.js'

const maxPaths = 5_000
const requestPathChars = 4_096
const maxMessageChars = 65_536
const maxRefChars = 1_024

const Text = Nullable(Type.String())
const Count = (description?: string) => Type.Integer(description === undefined ? {} : { description })

export const GitInfoAnswer = Closed({
  git: Nullable(Closed({
    branch: Type.String({ description: 'the branch, or the short SHA if no branch is checked out' }),
    dirty: Count('files with changes'),
    modified: Count('files with staged or unstaged changes'),
    untracked: Count(),
    ahead: Count(),
    behind: Count(),
    is_git: Type.Literal(true)
  }))
}, { title: 'GitInfoAnswer' })

export const GitFile = Closed({
  path: Type.String(),
  workspace_path: Type.String(),
  old_path: Text,
  status: Type.String({ description: 'M, A, D, R, C, T, U or ??' }),
  staged: Type.Boolean(),
  unstaged: Type.Boolean(),
  untracked: Type.Boolean(),
  conflict: Type.Boolean(),
  ignored: Type.Boolean(),
  additions: Count(),
  deletions: Count(),
  binary: Type.Boolean()
}, { title: 'GitFile' })

export const GitStatus = Type.Union([
  Closed({
    is_git: Type.Literal(true),
    branch: Type.String(),
    detached: Type.Boolean(),
    upstream: Text,
    ahead: Count(),
    behind: Count(),
    totals: Closed({ changed: Count(), staged: Count(), unstaged: Count(), untracked: Count(), conflicts: Count() }),
    files: Type.Array(GitFile),
    truncated: Type.Boolean({ description: 'only the first 500 files are listed' })
  }),
  Closed({ is_git: Type.Literal(false) })
], { title: 'GitStatus' })
export const GitStatusAnswer = Closed({ git: GitStatus }, { title: 'GitStatusAnswer' })

export const GitBranch = Closed({
  name: Type.String(),
  sha: Type.String(),
  updated: Count('epoch seconds of the last commit'),
  updated_relative: Type.String(),
  author: Type.String(),
  subject: Type.String(),
  upstream: Text,
  ahead: Count(),
  behind: Count()
}, { title: 'GitBranch' })
export const GitBranches = Closed({
  is_git: Type.Literal(true),
  current: Type.String({ description: 'the branch, or the short SHA if no branch is checked out' }),
  detached: Type.Boolean(),
  head: Type.String({ description: 'short SHA of the commit that is checked out; empty: no commit yet' }),
  upstream: Text,
  ahead: Count(),
  behind: Count(),
  local: Type.Array(GitBranch),
  remote: Type.Array(GitBranch)
}, { title: 'GitBranches' })
export const GitBranchesAnswer = Closed({ branches: GitBranches }, { title: 'GitBranchesAnswer' })

export const GitDiffQuery = Type.Object({
  session_id: Id('session'),
  path: Type.String({ minLength: 1, maxLength: requestPathChars }),
  kind: Type.Optional(Type.String({ description: 'unstaged (default) or staged' }))
})
export const GitFileQuery = Type.Object({
  session_id: Id('session'),
  path: Type.String({ minLength: 1, maxLength: requestPathChars }),
  stored: Type.Optional(Type.String({
    description: 'head (default): from the checked-out commit; index: as staged; or a commit, followed by ^ for its parent'
  })),
  as: AsText
})
export const GitDiffAnswer = Closed({
  diff: Closed({
    path: Type.String(),
    kind: Type.String(),
    binary: Type.Boolean(),
    too_large: Type.Boolean({ description: 'true: the diff exceeds 512 KiB, and `diff` is empty' }),
    additions: Count(),
    deletions: Count(),
    diff: Type.String()
  })
}, { title: 'GitDiffAnswer' })

export const GitLogQuery = Type.Object({
  session_id: Id('session'),
  ref: Type.Optional(Type.String({ maxLength: maxRefChars, description: 'a branch, tag or commit; default: HEAD' })),
  limit: Type.Optional(Type.String({ description: '1 to 200; default: 50' })),
  offset: Type.Optional(Type.String({ description: 'how many commits to skip; default: 0' }))
})
export const GitCommit = Closed({
  sha: Type.String(),
  parents: Type.Array(Type.String()),
  author: Type.String(),
  email: Type.String(),
  authored_at: Seconds(),
  committed_at: Seconds(),
  committed_relative: Type.String(),
  subject: Type.String(),
  body: Type.String(),
  refs: Type.Array(Type.String())
}, { title: 'GitCommit' })
export const GitLogAnswer = Closed({
  commits: Type.Array(GitCommit),
  next_offset: Nullable(Type.Integer(), '`offset` of the next page; null: this is the last one')
}, { title: 'GitLogAnswer' })

export const GitShowQuery = Type.Object({ session_id: Id('session'), ref: Type.String({ minLength: 1, maxLength: maxRefChars }) })
export const GitShowAnswer = Closed({
  commit: GitCommit,
  files: Type.Array(Closed({
    path: Type.String(), old_path: Text, status: Type.String(), additions: Count(), deletions: Count(), binary: Type.Boolean()
  })),
  diff: Type.String({ description: 'diff against the first parent' }),
  too_large: Type.Boolean(),
  truncated: Type.Boolean()
}, { title: 'GitShowAnswer' })

export const GitStashesAnswer = Closed({
  stashes: Type.Array(Closed({ ref: Type.String(), sha: Type.String(), branch: Text, message: Type.String(), created_at: Seconds() }))
}, { title: 'GitStashesAnswer' })

const Paths = Type.Array(Type.String({ minLength: 1, maxLength: requestPathChars }), { minItems: 1, maxItems: maxPaths })
const Message = Type.String({ minLength: 1, maxLength: maxMessageChars })
export const GitPathsBody = Type.Object({ session_id: Id('session'), paths: Paths })
export const GitDiscardBody = Type.Object({ session_id: Id('session'), paths: Paths, delete_untracked: Maybe(Type.Boolean()) })
export const GitCommitBody = Type.Object({ session_id: Id('session'), message: Message })
export const GitCommitSelectedBody = Type.Object({ session_id: Id('session'), message: Message, paths: Paths })
export const GitCheckoutBody = Type.Object({
  session_id: Id('session'),
  ref: Type.String({ minLength: 1, maxLength: maxRefChars }),
  mode: Maybe(Type.String({ description: 'local (default), remote or new' })),
  new_branch: Maybe(Type.String({ maxLength: maxRefChars })),
  track: Maybe(Type.Boolean()),
  dirty_mode: Maybe(Type.String({ description: 'block: uncommitted changes are an error' }))
})

/** The status after an operation; null if it could not be read although the operation was done. */
const After = Nullable(GitStatus)
export const GitChanged = Closed({ ok: Type.Literal(true), git: After }, { title: 'GitChanged' })
export const GitCommitted = Closed({ ok: Type.Literal(true), commit: Type.String(), status: After, git: After }, { title: 'GitCommitted' })
export const GitCommittedSelected = Closed({
  ok: Type.Literal(true), commit: Type.String(), paths: Type.Array(Type.String()), status: After, git: After
}, { title: 'GitCommittedSelected' })
export const GitTalked = Closed({ ok: Type.Literal(true), message: Type.String(), status: After, git: After }, { title: 'GitTalked' })
const moved = {
  ok: Type.Literal(true), git: After, status: After, branches: Nullable(GitBranches), current_branch: Type.String(), message: Type.String()
}
export const GitCheckedOut = Closed(moved, { title: 'GitCheckedOut' })
const StashLabel = Nullable(Closed({ ref: Type.String(), branch: Text, message: Type.String() }))
export const GitStashCheckedOut = Closed({
  ...moved,
  stash_name: Type.String({ description: 'empty: there was nothing to stash' }),
  stashed: Type.Boolean(),
  restored_stash: StashLabel,
  restore_failed: Type.Boolean(),
  restore_error: Text,
  restore_stash: StashLabel
}, { title: 'GitStashCheckedOut' })
export const GitMessageAnswer = Closed({
  ok: Type.Literal(true),
  message: Type.String(),
  truncated: Type.Boolean({ description: 'the changes were too long for the model and were cut' }),
  source: OneOf(['model', 'summary'], 'summary: made from the names of the files, without a model')
}, { title: 'GitMessageAnswer' })
