import { Type } from '@sinclair/typebox'
import { Closed, Id, Maybe, Nullable, OneOf, Seconds } from './common.js'

const Text = (maxLength: number, description: string) => Type.String({ maxLength, description })

const hookOutcomes = ['started', 'event', 'match', 'paused', 'ping'] as const

export const Hook = Closed({
  id: Type.String(),
  path: Type.String({ description: 'where it is called: POST, below the address of the service' }),
  job_id: Type.String({ description: 'its job: its runs, their outputs and the deliveries are those of this job (/api/crons)' }),
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
  daily_budget_usd: Nullable(Type.Number(), 'what its runs may use in a day; null: as much as the profile says of jobs'),
  deliver: Type.String(),
  enabled: Type.Boolean(),
  created_at: Seconds(),
  calls: Type.Integer({ description: 'calls with a valid signature so far' }),
  last_call_at: Nullable(Seconds(), 'null: never called'),
  last_outcome: Nullable(
    OneOf(hookOutcomes), 'of that call: a run was started, its event or its values are others, the hook was paused, or it was a ping'
  ),
  last_run_at: Nullable(Seconds(), 'when its last run ended'),
  last_status: Nullable(OneOf(['ok', 'error', 'delivery_failed', 'blocked_config'])),
  last_error: Nullable(Type.String())
}, { title: 'Hook' })

const fields = {
  events: Maybe(Type.Array(Text(100, 'such as issues.labeled, check_run, "Merge Request Hook", or the value of `event` or `type` in the body'), {
    maxItems: 50, description: 'the events that start a turn; empty: all'
  })),
  match: Maybe(Type.Record(Text(200, 'a path, such as check_run.conclusion or issue.labels.name'), Text(1_000, 'the value'), {
    maxProperties: 20, description: 'what the body has to say for a turn to start; of a list, one entry has to'
  })),
  profile: Maybe(Text(64, 'the profile whose keys, home and settings a run uses; empty: the active one')),
  workspace: Maybe(Text(4_096, 'the folder that runs work in; empty: the default')),
  model: Maybe(Text(300, 'empty: the profile\'s')),
  provider: Maybe(Text(128, 'of the model')),
  skills: Maybe(Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 50 })),
  ask: Maybe(OneOf(['deny', 'wait'], 'deny (the default): what a run would ask is refused; wait: it waits for a person')),
  daily_budget_usd: Maybe(Type.Number({
    minimum: 0, maximum: 1_000_000, description: 'US dollars that its runs may use in a day; 0: as much as the profile says of jobs'
  })),
  deliver: Maybe(Text(2_100, 'where answers go: local (the default), push, or webhook:<url>')),
  enabled: Maybe(Type.Boolean({ description: 'false: calls are accepted and start nothing' }))
}
const template = 'what to do; {{issue.title}} stands for a value of the body (quoted), {{event}} for the event, {{payload}} for the whole body, which is added at the end if nothing is named; at most 50 such places are filled'

export const HookList = Closed({ hooks: Type.Array(Hook) }, { title: 'HookList' })
export const CreateHook = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 200 }),
  template: Type.String({ minLength: 1, maxLength: 100_000, description: template }),
  ...fields
})
const { profile: _, ...changeable } = fields
export const UpdateHook = Type.Object({
  id: Id('hook'), name: Maybe(Text(200, 'empty: as it is')), template: Maybe(Text(100_000, template)), ...changeable
})
export const HookRef = Type.Object({ id: Id('hook') })
export const HookAnswer = Closed({ ok: Type.Literal(true), hook: Hook }, { title: 'HookAnswer' })
export const HookSecret = Closed({
  ok: Type.Literal(true), hook: Hook, secret: Type.String({ description: 'what callers sign with; it is not shown again' })
}, { title: 'HookSecret' })
export const DeletedHook = Closed({ ok: Type.Literal(true), id: Type.String() }, { title: 'DeletedHook' })

export const LoggedCall = Closed({
  at: Seconds('epoch seconds; of several, of the last'),
  outcome: OneOf(
    [...hookOutcomes, 'duplicate', 'refused', 'invalid', 'busy'],
    'refused: not signed with the secret; invalid: no JSON, or too much of it; busy: too many calls waited; duplicate: the same came before; the others as in last_outcome'
  ),
  event: Nullable(Type.String(), 'the most exact name of it'),
  count: Type.Integer({ minimum: 1, description: 'so many came one after the other' }),
  run_id: Nullable(Type.String(), 'the run that it started'),
  session_id: Nullable(Type.String(), 'of the run, once that has one'),
  state: Nullable(OneOf(['queued', 'running', 'done', 'skipped']), 'of the run'),
  status: Nullable(Type.String(), 'how the run ended: ok, error or blocked_config')
}, { title: 'HookLogEntry' })
export const HookCalls = Closed({
  calls: Type.Array(LoggedCall, { description: 'the last 50, latest first' }),
  payload: Nullable(Type.String(), 'JSON text of the last call that was no ping, of at most 64 KiB, to try templates with')
}, { title: 'HookCalls' })
export const HookCallsQuery = Type.Object({ id: Id('hook') })
export const PreviewHook = Type.Object({
  template: Type.String({ maxLength: 100_000, description: template }),
  payload: Type.String({ maxLength: 200_000, description: 'JSON text of a call' }),
  name: Maybe(Text(200, 'of the hook')),
  event: Maybe(Text(100, 'what GitHub, Gitea or GitLab would name in a header')),
  events: fields.events,
  match: fields.match
})
export const HookPreview = Closed({
  request: Type.String({ description: 'what the run would be asked' }),
  events: Type.Array(Type.String(), { description: 'the names of what happened, the most exact first' }),
  reason: Nullable(OneOf(['event', 'match']), 'why such a call would start nothing; null: it would')
}, { title: 'HookPreview' })

export const HookCall = Type.Unsafe<unknown>({ description: 'any JSON of at most 1 MiB; its bytes are what is signed' })
export const HookParams = Type.Object({ id: Type.String({ maxLength: 200 }) })
export const HookCalled = Closed({
  ok: Type.Literal(true),
  started: Type.Boolean({ description: 'a turn starts, or waits for its turn' }),
  reason: Nullable(OneOf(['duplicate', ...hookOutcomes]), 'why none starts: the same call came before, its event or its values are others, the hook is paused, or it is a ping'),
  run_id: Nullable(Type.String(), 'the run that this call, or the same one before, has started')
}, { title: 'HookCalled' })
