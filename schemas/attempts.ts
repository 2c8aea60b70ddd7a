import { Type } from '@sinclair/typebox'
import { ClientId, Closed, Id, Maybe, Nullable, OneOf, Seconds } from './common.js'

const count = (description: string) => Nullable(Type.Integer({ minimum: 0 }), description)
const Money = (description: string) => Nullable(Type.Number(), description)

export const AttemptModel = Type.Union([
  Type.String({ minLength: 1, maxLength: 300, description: 'id of a model, as chats name it' }),
  Type.Object({ model: Type.String({ minLength: 1, maxLength: 300 }), provider: Maybe(Type.String({ maxLength: 128 })) })
])

export const BeginAttempts = Type.Object({
  session_id: Maybe(Type.String({ maxLength: 200, description: 'the session that they are begun from: its folder, model and profile are theirs' })),
  workspace: Maybe(Type.String({ maxLength: 4_096, description: 'the folder; default: that of the session, or the default folder' })),
  message: Type.String({ minLength: 1, maxLength: 100_000, description: 'the task' }),
  models: Maybe(Type.Array(AttemptModel, { maxItems: 8, description: 'used in turn; default: the model of the session, or of the profile' })),
  count: Maybe(Type.Integer({ minimum: 1, maximum: 8, description: 'default: one for each model, and at least 2' })),
  check: Maybe(Type.String({
    maxLength: 2_000, description: 'a command that says by its exit code whether a result is good; needs the scope `approve`'
  })),
  check_seconds: Maybe(Type.Integer({ minimum: 1, maximum: 600, description: 'how long that may take; default 300' })),
  reviewer: Maybe(AttemptModel),
  budget_usd: Maybe(Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000, description: 'US dollars that all of them may use together' })),
  budget_tokens: Maybe(Type.Integer({ minimum: 1, maximum: 1_000_000_000_000, description: 'the same in tokens' })),
  client_id: ClientId('profile')
})
export const AttemptsBegun = Closed({
  attempts_id: Type.String(),
  sessions: Type.Array(Closed({ session_id: Type.String(), model: Nullable(Type.String()), workspace: Type.String() }))
}, { title: 'AttemptsBegun' })

const states = ['waiting', 'running', 'checking', 'reviewing', 'done', 'failed', 'cancelled', 'stopped'] as const

export const Attempt = Closed({
  session_id: Type.String(),
  model: Nullable(Type.String()),
  model_provider: Nullable(Type.String()),
  workspace: Type.String({ description: 'where it works' }),
  branch: Nullable(Type.String(), 'of its worktree'),
  has_worktree: Type.Boolean({ description: 'false: the worktree was removed, so that it cannot be taken any more' }),
  state: OneOf(states, 'checking: the check runs; reviewing: the reviewer reads it; stopped: the budget was used up'),
  waits_for_you: Type.Boolean({ description: 'it has asked something' }),
  error: Nullable(Type.String(), 'why it failed'),
  check_passed: Nullable(Type.Boolean(), 'null: there is no check, or it has not run'),
  check_output: Nullable(Type.String(), 'the end of what the check printed'),
  files: count('files that differ from where it began; null: not known yet'),
  additions: count('lines'),
  deletions: count('lines'),
  input_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
  cost: Money('US dollars, as far as prices are known'),
  started_at: Nullable(Seconds()),
  ended_at: Nullable(Seconds()),
  answer: Type.String({ description: 'the end of its last answer' }),
  review: Nullable(Type.String(), 'what the reviewer says, in Markdown'),
  reason: Nullable(Type.String(), 'what the judge says of it')
}, { title: 'Attempt' })

const summary = {
  attempts_id: Type.String(),
  session_id: Nullable(Type.String(), 'the session that they were begun from'),
  workspace: Type.String(),
  message: Type.String(),
  state: OneOf(['running', 'judging', 'ready']),
  count: Type.Integer(),
  taken_session_id: Nullable(Type.String(), 'the attempt whose result, or a part of it, is in the folder'),
  created_at: Seconds(),
  version: Type.Integer({ description: 'raised by every change' })
}
export const Attempts = Closed({
  ...summary,
  carried: Type.Boolean({ description: 'the folder had changes that were not committed; every attempt began with them' }),
  check: Nullable(Type.String(), 'the command'),
  reviewer: Nullable(Type.String(), 'the model'),
  budget: Closed({
    usd: Type.Number({ description: 'US dollars used, as far as prices are known' }), tokens: Type.Integer({ description: 'tokens used' }),
    limit_usd: Money('null: no limit'), limit_tokens: Nullable(Type.Integer(), 'null: no limit')
  }),
  best_session_id: Nullable(Type.String(), 'the attempt that the judge prefers'),
  verdict: Nullable(Type.String(), 'why the judge prefers none'),
  can_undo: Type.Boolean({ description: 'what was taken last can be taken back' }),
  kept_until: Nullable(Seconds(), 'when the worktrees are removed; null: nothing was taken yet'),
  sessions: Type.Array(Attempt)
}, { title: 'Attempts' })
export const AttemptsList = Closed({
  attempts: Type.Array(Closed(summary, { title: 'AttemptsSummary' }), { description: 'the last 100, latest first' })
}, { title: 'AttemptsList' })

export const AttemptsQuery = Type.Object({ attempts_id: Id('attempts') })
export const AttemptDiffQuery = Type.Object({
  attempts_id: Id('attempts'), session_id: Id('attempt'),
  path: Type.Optional(Type.String({ maxLength: 4_096, description: 'the file whose difference is wanted; absent: none' }))
})
export const AttemptDiff = Closed({
  version: Type.String({ description: 'of the result; `POST /api/attempts/take` wants it for hunks' }),
  files: Type.Array(Closed({
    path: Type.String({ description: 'relative to the repository' }),
    status: OneOf(['added', 'modified', 'deleted']), additions: Type.Integer(), deletions: Type.Integer(), binary: Type.Boolean()
  }), { description: 'at most 1,000' }),
  truncated: Type.Boolean({ description: 'there are more files' }),
  diff: Nullable(Type.String(), 'of `path`, as unified text; its hunks are counted from 0')
}, { title: 'AttemptDiff' })

export const TakeAttempt = Type.Object({
  attempts_id: Id('attempts'),
  session_id: Id('attempt'),
  files: Maybe(Type.Array(Type.Object({
    path: Type.String({ minLength: 1, maxLength: 4_096 }),
    hunks: Maybe(Type.Array(Type.Integer({ minimum: 0, maximum: 100_000 }), {
      minItems: 1, maxItems: 1_000, description: 'as GET /api/attempts/diff counts them; absent: the whole file'
    }))
  }), { minItems: 1, maxItems: 1_000, description: 'only these; absent: everything' })),
  version: Maybe(Type.String({ maxLength: 100, description: 'of the result that was looked at; 409 `attempts_changed` if it is another one' })),
  client_id: ClientId('profile')
})
export const TakenAttempt = Closed({
  ok: Type.Literal(true), files: Type.Array(Type.String(), { description: 'those that were changed' })
}, { title: 'TakenAttempt' })
export const AttemptsRef = Type.Object({ attempts_id: Id('attempts') })
export const RemoveAttempts = Type.Object({
  attempts_id: Id('attempts'), session_id: Maybe(Type.String({ maxLength: 200, description: 'only the worktree of this attempt' }))
})
export const RemovedAttempts = Closed({
  ok: Type.Literal(true), removed: Type.Array(Type.String(), { description: 'sessions whose worktrees are gone' })
}, { title: 'RemovedAttempts' })

/** Sent on the stream of all events. */
export const attemptFrames = {
  attempts_changed: Closed({
    attempts_id: Type.String(), version: Type.Integer()
  }, { title: 'AttemptsChanged', description: 'attempts at a task have changed: read GET /api/attempts' })
}
