import { Type } from '@sinclair/typebox'
import { ClientId, Closed, Id, Maybe, Nullable, OneOf, Seconds } from './common.js'

const kind = OneOf(['github', 'gitlab', 'gitea'], 'the type of its interface; gitea also stands for Forgejo')
const Number = Type.Integer({ minimum: 1, description: 'number of the pull request (on GitLab, the iid of the merge request)' })
const maxBodyChars = 60_000
const Names = (description: string) => Maybe(Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 20, description }))

const summary = {
  number: Number,
  title: Type.String(),
  state: OneOf(['open', 'merged', 'closed']),
  draft: Type.Boolean(),
  author: Type.String(),
  base: Type.String({ description: 'the branch that it would be merged into' }),
  head: Type.String({ description: 'the branch with its commits' }),
  sha: Type.String({ description: 'its latest commit; send it back to merge exactly this commit' }),
  web: Type.String({ description: 'address of its page; empty: unknown' }),
  updated_at: Seconds()
}

const Check = Closed({
  id: Type.String(),
  name: Type.String(),
  state: OneOf(['pending', 'passed', 'failed', 'skipped'], 'skipped: includes checks that may fail'),
  summary: Type.String({ description: 'one line from the check' }),
  web: Type.String(),
  has_log: Type.Boolean()
}, { title: 'PullCheck' })

const Thread = Closed({
  id: Type.String(),
  path: Nullable(Type.String(), 'null: a comment on the pull request as a whole'),
  line: Nullable(Type.Integer()),
  resolved: Nullable(Type.Boolean(), 'null: the thread cannot be resolved'),
  can_reply: Type.Boolean({ description: 'false: comment on the pull request as a whole instead' }),
  comments: Type.Array(Closed({
    id: Type.String(), author: Type.String(), bot: Type.Boolean(), body: Type.String({ description: 'Markdown' }), created_at: Seconds()
  }))
}, { title: 'PullThread' })

export const PullAnswer = Closed({
  reason: Nullable(OneOf(['no_repo', 'no_remote', 'no_forge', 'no_token']), 'why pull requests are not available here, as a sentence; null: they are'),
  host: Nullable(Type.String(), 'host of the remote'),
  forge: Nullable(Closed({ kind, name: Type.String(), host: Type.String() }), 'null: unknown'),
  repository: Nullable(Closed({
    path: Type.String(),
    default_branch: Type.String(),
    methods: Type.Array(OneOf(['merge', 'squash', 'rebase']), { description: 'allowed merge methods, the default first' })
  })),
  branch: Nullable(Closed({
    name: Type.String(),
    sha: Nullable(Type.String()),
    pushed: Type.Boolean({ description: 'false: push the branch before you open a pull request' }),
    ahead: Type.Integer({ description: 'how many commits are not pushed' }),
    behind: Type.Integer()
  }), 'the branch that is checked out; null: none'),
  pull: Nullable(Closed({
    ...summary,
    body: Type.String({ description: 'Markdown' }),
    labels: Type.Array(Type.String()),
    reviewers: Type.Array(Type.String()),
    mergeable: Nullable(Type.Boolean(), 'whether it can be merged; null: the forge does not know yet')
  }, { title: 'Pull' }), 'the pull request of this branch; null: none'),
  checks: Type.Array(Check),
  threads: Type.Array(Thread, { description: 'threads of comments' }),
  problems: Type.Array(Type.String(), { description: 'what could not be read, such as checks that the token may not see' }),
  next_look_s: Type.Number({ description: 'seconds after which a client that shows it should ask again' })
}, { title: 'PullAnswer' })

export const PullQuery = Type.Object({
  session_id: Id('session'),
  number: Type.Optional(Type.String({ pattern: '^[1-9]\\d{0,8}$', description: 'number of another pull request; default: that of the branch' }))
})
export const PullListAnswer = Closed({ pulls: Type.Array(Closed(summary)) }, { title: 'PullListAnswer' })
export const PullLogQuery = Type.Object({
  session_id: Id('session'), number: Type.String({ pattern: '^[1-9]\\d{0,8}$' }), check: Id('check')
})
export const PullLogAnswer = Closed({
  text: Type.String({ description: 'credentials are masked' }),
  truncated: Type.Boolean({ description: 'true: only the end of the log' })
}, { title: 'PullLogAnswer' })

export const PullDraftBody = Type.Object({
  session_id: Id('session'), base: Maybe(Type.String({ maxLength: 300, description: 'default: the default branch of the repository' }))
})
export const PullDraftAnswer = Closed({
  title: Type.String(), body: Type.String(), base: Type.String(),
  source: OneOf(['model', 'summary'], 'summary: made from the commit messages, without a model')
}, { title: 'PullDraftAnswer' })

export const PullOpenBody = Type.Object({
  session_id: Id('session'),
  title: Type.String({ minLength: 1, maxLength: 250 }),
  body: Maybe(Type.String({ maxLength: maxBodyChars, description: 'Markdown' })),
  base: Type.String({ minLength: 1, maxLength: 300, description: 'the branch that it would be merged into' }),
  draft: Maybe(Type.Boolean()),
  reviewers: Names('user names on the forge'),
  labels: Names('labels that the repository has')
})
export const PullOpened = Closed({
  ok: Type.Literal(true), number: Number,
  notes: Type.Array(Type.String(), { description: 'extra steps that failed, such as requesting a reviewer' })
}, { title: 'PullOpened' })

const about = { session_id: Id('session'), number: Number }
export const PullRef = Type.Object(about)
export const PullCommentBody = Type.Object({
  ...about,
  thread: Maybe(Type.String({
    maxLength: 200, description: 'id of the thread to reply to; absent: a comment on the pull request as a whole'
  })),
  body: Type.String({ minLength: 1, maxLength: maxBodyChars, description: 'Markdown' })
})
export const PullResolveBody = Type.Object({ ...about, thread: Id('thread'), resolved: Type.Boolean() })
export const PullMergeBody = Type.Object({
  ...about,
  sha: Type.String({ minLength: 1, maxLength: 64, description: 'the commit that the person has seen' }),
  method: Type.String({ maxLength: 20, description: 'one of `repository.methods`' })
})
const Ids = (description: string, maxItems: number) =>
  Maybe(Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems, description }))
export const PullMendBody = Type.Object({
  ...about,
  checks: Ids('ids of checks whose logs the turn gets', 5),
  threads: Ids('ids of comments that the turn gets', 20),
  message: Maybe(Type.String({ maxLength: 4_000, description: 'the request to the agent; absent: to fix what failed' })),
  client_id: ClientId()
})
export const PullDone = Closed({ ok: Type.Literal(true) }, { title: 'PullDone' })

export const ForgeInfo = Closed({
  kind, name: Type.String(), host: Type.String(), url: Type.String({ description: 'base URL of its interface' }),
  token_from: Nullable(
    OneOf(['profile', 'gh', 'glab']), 'where its token comes from: the profile, or a signed-in program (gh, glab); null: no token'
  )
}, { title: 'ForgeInfo' })
export const ForgeList = Closed({ forges: Type.Array(ForgeInfo) }, { title: 'ForgeList' })
export const ForgeBody = Type.Object({
  host: Type.String({ minLength: 1, maxLength: 300, description: 'host as in the remote, such as git.example.org' }),
  kind: Maybe(kind),
  url: Maybe(Type.String({ maxLength: 2_000, description: 'base URL of its interface; default: the usual one for its type' })),
  token: Maybe(Type.String({ maxLength: 500, description: 'stored in the .env of the profile and never shown; empty: removes it' }))
})
export const ForgeSet = Closed({ ok: Type.Literal(true), forge: ForgeInfo }, { title: 'ForgeSet' })

/** Frames on the stream of everything; see schemas/feed.ts. */
export const pullFrames = {
  pull: Closed({
    session_id: Type.String({ description: 'the session in which it was opened' }),
    profile: Type.String(),
    host: Type.String(),
    repository: Type.String(),
    number: Number,
    event: OneOf(['checks_failed', 'checks_passed', 'approved', 'commented', 'merged', 'closed']),
    at: Seconds()
  }, { title: 'PullNews', description: 'a pull request that was opened here has news on the forge; sent once' })
}
