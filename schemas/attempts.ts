import { Type } from '@sinclair/typebox'
import { ClientId, Closed, Id, Maybe, Nullable, OneOf, Seconds } from './common.js'

const count = (description: string) => Nullable(Type.Integer({ minimum: 0 }), description)
const Money = (description: string) => Nullable(Type.Number(), description)

export const AttemptModel = Type.Union([
  Type.String({ minLength: 1, maxLength: 300, description: 'id of a model, as in chats' }),
  Type.Object({ model: Type.String({ minLength: 1, maxLength: 300 }), provider: Maybe(Type.String({ maxLength: 128 })) })
])

export const BeginAttempts = Type.Object({
  session_id: Maybe(Type.String({ maxLength: 200, description: 'the session to start from, with its folder, model and profile' })),
  workspace: Maybe(Type.String({ maxLength: 4_096, description: 'the folder; default: that of the session, else the default folder' })),
  message: Type.String({ minLength: 1, maxLength: 100_000, description: 'the task' }),
  models: Maybe(Type.Array(AttemptModel, {
    maxItems: 8, description: 'models, assigned in turn; default: that of the session, else that of the profile'
  })),
  count: Maybe(Type.Integer({ minimum: 1, maximum: 8, description: 'how many attempts; default: one per model, and at least 2' })),
  check: Maybe(Type.String({
    maxLength: 2_000, description: 'a command whose exit code tells whether a result is good; needs the scope `approve`'
  })),
  check_seconds: Maybe(Type.Integer({ minimum: 1, maximum: 600, description: 'time limit of the check in seconds; default 300' })),
  reviewer: Maybe(AttemptModel),
  budget_usd: Maybe(Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000, description: 'US dollars that all attempts may use together' })),
  budget_tokens: Maybe(Type.Integer({ minimum: 1, maximum: 1_000_000_000_000, description: 'tokens that all attempts may use together' })),
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
  workspace: Type.String({ description: 'the folder that it works in' }),
  branch: Nullable(Type.String(), 'the branch of its worktree'),
  has_worktree: Type.Boolean({ description: 'false: the worktree was removed, so the result can no longer be applied' }),
  state: OneOf(states, 'checking: the check is running; reviewing: the reviewer is reading the result; stopped: the budget is used up'),
  waits_for_you: Type.Boolean({ description: 'it is waiting for an answer' }),
  error: Nullable(Type.String(), 'why it failed'),
  check_passed: Nullable(Type.Boolean(), 'null: no check was given, or it has not run'),
  check_output: Nullable(Type.String(), 'the end of the output of the check'),
  files: count('how many files differ from its starting point; null: not known yet'),
  additions: count('lines'),
  deletions: count('lines'),
  input_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
  cost: Money('US dollars, as far as prices are known'),
  started_at: Nullable(Seconds()),
  ended_at: Nullable(Seconds()),
  answer: Type.String({ description: 'the end of its last answer' }),
  review: Nullable(Type.String(), 'the text of the reviewer, in Markdown'),
  reason: Nullable(Type.String(), 'the comment of the judge on this attempt')
}, { title: 'Attempt' })

const summary = {
  attempts_id: Type.String(),
  session_id: Nullable(Type.String(), 'the session that the attempts were started from'),
  workspace: Type.String(),
  message: Type.String(),
  state: OneOf(['running', 'judging', 'ready']),
  count: Type.Integer(),
  taken_session_id: Nullable(Type.String(), 'the attempt whose result was applied to the folder, as a whole or in part'),
  created_at: Seconds(),
  version: Type.Integer({ description: 'increases with every change' })
}
export const Attempts = Closed({
  ...summary,
  carried: Type.Boolean({ description: 'the folder had uncommitted changes; every attempt started with them' }),
  check: Nullable(Type.String(), 'the command'),
  reviewer: Nullable(Type.String(), 'the model'),
  budget: Closed({
    usd: Type.Number({ description: 'US dollars used, as far as prices are known' }), tokens: Type.Integer({ description: 'tokens used' }),
    limit_usd: Money('null: no limit'), limit_tokens: Nullable(Type.Integer(), 'null: no limit')
  }),
  best_session_id: Nullable(Type.String(), 'the attempt that the judge prefers'),
  verdict: Nullable(Type.String(), 'why the judge prefers none of them; null: it prefers one, or has not decided'),
  can_undo: Type.Boolean({ description: 'the last applied changes can be undone' }),
  kept_until: Nullable(Seconds(), 'when the worktrees are removed; null: nothing was applied yet'),
  sessions: Type.Array(Attempt)
}, { title: 'Attempts' })
export const AttemptsList = Closed({
  attempts: Type.Array(Closed(summary, { title: 'AttemptsSummary' }), { description: 'at most 100, newest first' })
}, { title: 'AttemptsList' })

export const AttemptsQuery = Type.Object({ attempts_id: Id('attempts') })
export const AttemptDiffQuery = Type.Object({
  attempts_id: Id('attempts'), session_id: Id('attempt'),
  path: Type.Optional(Type.String({ maxLength: 4_096, description: 'the file whose diff to return; absent: only the list of files' }))
})
export const AttemptDiff = Closed({
  version: Type.String({ description: 'version of the result; `POST /api/attempts/take` needs it to apply hunks' }),
  files: Type.Array(Closed({
    path: Type.String({ description: 'relative to the repository' }),
    status: OneOf(['added', 'modified', 'deleted']), additions: Type.Integer(), deletions: Type.Integer(), binary: Type.Boolean()
  }), { description: 'at most 1,000' }),
  truncated: Type.Boolean({ description: 'more files differ than are listed' }),
  diff: Nullable(Type.String(), 'unified diff of `path`; hunks are counted from 0')
}, { title: 'AttemptDiff' })

export const TakeAttempt = Type.Object({
  attempts_id: Id('attempts'),
  session_id: Id('attempt'),
  files: Maybe(Type.Array(Type.Object({
    path: Type.String({ minLength: 1, maxLength: 4_096 }),
    hunks: Maybe(Type.Array(Type.Integer({ minimum: 0, maximum: 100_000 }), {
      minItems: 1, maxItems: 1_000, description: 'hunks to apply, counted as in GET /api/attempts/diff; absent: the whole file'
    }))
  }), { minItems: 1, maxItems: 1_000, description: 'apply only these files; absent: everything' })),
  version: Maybe(Type.String({
    maxLength: 100, description: 'version of the result that you read; 409 `attempts_changed` if it has changed'
  })),
  client_id: ClientId('profile')
})
export const TakenAttempt = Closed({
  ok: Type.Literal(true), files: Type.Array(Type.String(), { description: 'files that were changed' })
}, { title: 'TakenAttempt' })
export const AttemptsRef = Type.Object({ attempts_id: Id('attempts') })
export const RemoveAttempts = Type.Object({
  attempts_id: Id('attempts'), session_id: Maybe(Type.String({ maxLength: 200, description: 'only the worktree of this attempt' }))
})
export const RemovedAttempts = Closed({
  ok: Type.Literal(true), removed: Type.Array(Type.String(), { description: 'session_id of each attempt whose worktree was removed' })
}, { title: 'RemovedAttempts' })

/** Frames on the stream of everything. */
export const attemptFrames = {
  attempts_changed: Closed({
    attempts_id: Type.String(), version: Type.Integer()
  }, { title: 'AttemptsChanged', description: 'attempts have changed: read GET /api/attempts' })
}
