import { Type } from '@sinclair/typebox'
import { Closed, Id, Maybe, Nullable, OneOf, Seconds } from './common.js'

const Text = (maxLength: number, description: string) => Type.String({ maxLength, description })

const hookOutcomes = ['started', 'event', 'match', 'paused', 'ping'] as const

export const Hook = Closed({
  id: Type.String(),
  path: Type.String({ description: 'path to POST to, below the address of the service' }),
  job_id: Type.String({ description: 'the job that has its runs, outputs and deliveries (/api/crons)' }),
  name: Type.String(),
  template: Type.String(),
  events: Type.Array(Type.String()),
  match: Type.Record(Type.String(), Type.String()),
  profile: Type.String(),
  workspace: Nullable(Type.String(), 'null: the default folder'),
  model: Nullable(Type.String()),
  provider: Nullable(Type.String()),
  skills: Type.Array(Type.String()),
  ask: OneOf(['deny', 'wait']),
  daily_budget_usd: Nullable(Type.Number(), 'US dollars that its runs may use in a day; null: the job limit of the profile'),
  deliver: Type.String(),
  enabled: Type.Boolean(),
  created_at: Seconds(),
  calls: Type.Integer({ description: 'calls with a valid signature so far' }),
  last_call_at: Nullable(Seconds(), 'null: never called'),
  last_outcome: Nullable(
    OneOf(hookOutcomes), 'result of that call. started: a run started; event, match: its event or values do not match; paused: the hook ' +
      'was paused; ping: it was a ping'
  ),
  last_run_at: Nullable(Seconds(), 'when its last run ended'),
  last_status: Nullable(OneOf(['ok', 'error', 'delivery_failed', 'blocked_config'])),
  last_error: Nullable(Type.String())
}, { title: 'Hook' })

const fields = {
  events: Maybe(Type.Array(Text(
    100, 'an event, such as issues.labeled, check_run, "Merge Request Hook", or the value of `event` or `type` in the body'
  ), {
    maxItems: 50, description: 'events that start a turn; empty: all'
  })),
  match: Maybe(Type.Record(Text(200, 'a path, such as check_run.conclusion or issue.labels.name'), Text(1_000, 'the required value'), {
    maxProperties: 20, description: 'values that the body must have for a turn to start, by path; of a list, one entry must match'
  })),
  profile: Maybe(Text(64, 'the profile whose keys, home and settings a run uses; empty: the active one')),
  workspace: Maybe(Text(4_096, 'the folder that runs work in; empty: the default folder')),
  model: Maybe(Text(300, 'id of the model; empty: that of the profile')),
  provider: Maybe(Text(128, 'provider of the model')),
  skills: Maybe(Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 50 })),
  ask: Maybe(OneOf(['deny', 'wait'], 'deny (default): calls of a run that need an approval are refused; wait: they wait for a person')),
  daily_budget_usd: Maybe(Type.Number({
    minimum: 0, maximum: 1_000_000, description: 'US dollars that its runs may use in a day; 0: the job limit of the profile'
  })),
  deliver: Maybe(Text(2_100, 'where answers are delivered: local (default), push, or webhook:<url>')),
  enabled: Maybe(Type.Boolean({ description: 'false: calls are accepted and start nothing' }))
}
const template = 'the task; {{issue.title}} stands for a value of the body (quoted), {{event}} for the event, {{payload}} for the whole ' +
  'body, which is appended if the template has no placeholder; at most 50 placeholders are filled'

export const HookList = Closed({ hooks: Type.Array(Hook) }, { title: 'HookList' })
export const CreateHook = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 200 }),
  template: Type.String({ minLength: 1, maxLength: 100_000, description: template }),
  ...fields
})
const { profile: _, ...changeable } = fields
export const UpdateHook = Type.Object({
  id: Id('hook'), name: Maybe(Text(200, 'empty: unchanged')), template: Maybe(Text(100_000, template)), ...changeable
})
export const HookRef = Type.Object({ id: Id('hook') })
export const HookAnswer = Closed({ ok: Type.Literal(true), hook: Hook }, { title: 'HookAnswer' })
export const HookSecret = Closed({
  ok: Type.Literal(true), hook: Hook, secret: Type.String({ description: 'the key that callers sign with; shown only in this answer' })
}, { title: 'HookSecret' })
export const DeletedHook = Closed({ ok: Type.Literal(true), id: Type.String() }, { title: 'DeletedHook' })

export const LoggedCall = Closed({
  at: Seconds('epoch seconds; if several are counted, of the last one'),
  outcome: OneOf(
    [...hookOutcomes, 'duplicate', 'refused', 'invalid', 'busy'],
    'refused: not signed with the secret; invalid: not JSON, or too large; busy: too many calls were waiting; duplicate: the same call ' +
    'came before; others as in last_outcome'
  ),
  event: Nullable(Type.String(), 'the most specific name of the event'),
  count: Type.Integer({ minimum: 1, description: 'how many such calls came in a row' }),
  run_id: Nullable(Type.String(), 'the run that the call started'),
  session_id: Nullable(Type.String(), 'the session of the run, once it has one'),
  state: Nullable(OneOf(['queued', 'running', 'done', 'skipped']), 'state of the run'),
  status: Nullable(Type.String(), 'how the run ended: ok, error or blocked_config')
}, { title: 'HookLogEntry' })
export const HookCalls = Closed({
  calls: Type.Array(LoggedCall, { description: 'the last 50, newest first' }),
  payload: Nullable(Type.String(), 'JSON text of the last call that was not a ping, at most 64 KiB, for trying out templates')
}, { title: 'HookCalls' })
export const HookCallsQuery = Type.Object({ id: Id('hook') })
export const PreviewHook = Type.Object({
  template: Type.String({ maxLength: 100_000, description: template }),
  payload: Type.String({ maxLength: 200_000, description: 'body of a call, as JSON text' }),
  name: Maybe(Text(200, 'name of the hook')),
  event: Maybe(Text(100, 'the event that GitHub, Gitea or GitLab would name in a header')),
  events: fields.events,
  match: fields.match
})
export const HookPreview = Closed({
  request: Type.String({ description: 'the message that the run would get' }),
  events: Type.Array(Type.String(), { description: 'names of the event, the most specific first' }),
  reason: Nullable(OneOf(['event', 'match']), 'why such a call would start nothing; null: it would start a run')
}, { title: 'HookPreview' })

export const HookCall = Type.Unsafe<unknown>({ description: 'any JSON of at most 1 MiB; the signature covers its bytes' })
export const HookParams = Type.Object({ id: Type.String({ maxLength: 200 }) })
export const HookCalled = Closed({
  ok: Type.Literal(true),
  started: Type.Boolean({ description: 'true: a run starts, or is queued' }),
  reason: Nullable(
    OneOf(['duplicate', ...hookOutcomes]),
    'why no run starts. duplicate: the same call came before; event, match: its event or ' +
    'values do not match; paused: the hook is paused; ping: it is a ping'
  ),
  run_id: Nullable(Type.String(), 'the run that this call, or the same one before, started')
}, { title: 'HookCalled' })
