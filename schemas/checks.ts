import { Type } from '@sinclair/typebox'
import { ClientId, Closed, Id, Maybe, Nullable, OneOf, Seconds } from './common.js'

export const CheckKind = OneOf(['test', 'lint', 'types', 'other'])
const AfterTurn = OneOf(['off', 'ask', 'run'], 'after a turn that has changed files: nothing; it is offered; it runs by itself')
const states = ['waiting', 'running', 'passed', 'failed', 'timed_out', 'over_limit', 'cancelled', 'interrupted'] as const
const Count = Type.Integer({ minimum: 0 })
const Script = Nullable(Type.String(), 'what the file has it run; null: the command is all there is')
const File = Nullable(Type.String(), 'the file of the folder that names the command; null: a person has written it')

export const Check = Closed({
  id: Type.String(),
  name: Type.String(),
  kind: CheckKind,
  command: Type.String({ description: 'to a token of the scope `read` with credentials masked' }),
  file: File,
  script: Script,
  changed_script: Nullable(Type.String(), 'what the file has it run now, where that is not `script` any more: it does not run before it is ' +
    'saved again; empty: the file does not name it any more; null: as it was'),
  after_turn: AfterTurn,
  auto_send: Type.Integer({ description: 'how often its failures go to the agent by themselves, until a person writes; 0: never' }),
  seconds: Type.Integer({ description: 'after which it is stopped' })
}, { title: 'Check' })

const CheckProposal = Closed({
  name: Type.String(), kind: CheckKind, command: Type.String(), file: Type.String({ description: 'where it was found' }), script: Script
}, { title: 'CheckProposal' })

const CheckProblem = Closed({
  path: Nullable(Type.String(), 'relative to the workspace; null: no file of it'),
  file: Type.String({ description: 'as the program calls the file' }),
  line: Nullable(Type.Integer(), 'from 1'),
  column: Nullable(Type.Integer(), 'from 1'),
  severity: OneOf(['error', 'warning', 'info']),
  text: Type.String(),
  code: Nullable(Type.String(), 'the rule, or the number of the message')
}, { title: 'CheckProblem' })

const run = {
  id: Type.String(),
  check_id: Type.String(),
  session_id: Type.String(),
  name: Type.String(),
  command: Type.String(),
  state: OneOf(states, 'over_limit: it used more memory or processes than a command may. interrupted: the service stopped, or the machine of the folder ' +
    'was lost, meanwhile'),
  turn_id: Nullable(Type.String(), 'the turn after which it ran by itself; null: a person had it run'),
  confined: Type.Boolean({ description: 'it runs in the sandbox' }),
  exit_code: Nullable(Type.Integer()),
  errors: Count, warnings: Count, infos: Count,
  files: Type.Integer({ minimum: 0, description: 'how many files of the workspace have problems' }),
  sent_at: Nullable(Seconds(), 'when the agent got the result last'),
  created_at: Seconds(), started_at: Nullable(Seconds()), ended_at: Nullable(Seconds())
}
export const CheckRun = Closed(run, { title: 'CheckRun' })
export const CheckRunDetail = Closed({
  ...run,
  problems: Type.Array(CheckProblem, { description: 'at most 500' }),
  output: Type.String({ description: 'at most 256 KB: its start and its end; while it runs, what there is so far' })
}, { title: 'CheckRunDetail' })

export const Checks = Closed({
  workspace: Type.String({ description: 'where they run' }),
  available: Type.Boolean({ description: 'false: the machine of the folder cannot be reached now, so it is not known what its files offer, and nothing runs' }),
  confined: Type.Boolean({ description: 'they run in the sandbox; without it none runs by itself, and running one needs the scope `approve`' }),
  checks: Type.Array(Check),
  proposals: Type.Array(CheckProposal, { description: 'what the files of the folder offer and nobody has saved: nothing of it is ever run' }),
  runs: Type.Array(CheckRun, { description: 'the last 20 in this folder, latest first' })
}, { title: 'Checks' })

export const ChecksQuery = Type.Object({ session_id: Id('session') })
export const CheckRunQuery = Type.Object({ run_id: Id('run') })

export const SaveCheck = Type.Object({
  session_id: Type.String({ minLength: 1, maxLength: 200, description: 'the session in whose folder it runs' }),
  id: Maybe(Type.String({ maxLength: 64, description: 'of the check that is changed; absent: a new one' })),
  name: Type.String({ minLength: 1, maxLength: 80 }),
  kind: Maybe(CheckKind),
  command: Type.String({ minLength: 1, maxLength: 2_000 }),
  script: Maybe(Type.String({ maxLength: 4_000, description: 'what the file had it run when a person looked; 409 `check_changed` if that is another one by now' })),
  after_turn: Maybe(AfterTurn),
  auto_send: Maybe(Type.Integer({ minimum: 0, maximum: 5, description: 'default 0' })),
  seconds: Maybe(Type.Integer({ minimum: 1, maximum: 600, description: 'default 300' })),
  client_id: ClientId()
})
export const SavedCheck = Closed({ check: Check }, { title: 'SavedCheck' })
export const DeleteCheck = Type.Object({ session_id: Id('session'), id: Id('check') })

export const RunChecks = Type.Object({
  session_id: Id('session'),
  check_ids: Maybe(Type.Array(Type.String({ maxLength: 64 }), { minItems: 1, maxItems: 20, description: 'absent: all of the folder' })),
  client_id: ClientId()
})
export const CheckRunsBegun = Closed({ runs: Type.Array(CheckRun) }, { title: 'CheckRunsBegun' })
export const CancelChecks = Type.Object({
  session_id: Id('session'),
  run_ids: Maybe(Type.Array(Type.String({ maxLength: 64 }), { minItems: 1, maxItems: 20, description: 'absent: all of the folder' }))
})
export const CancelledChecks = Closed({ ok: Type.Literal(true), cancelled: Type.Array(Type.String()) }, { title: 'CancelledChecks' })

export const SendChecks = Type.Object({
  session_id: Id('session'),
  run_ids: Maybe(Type.Array(Type.String({ maxLength: 64 }), { minItems: 1, maxItems: 20, description: 'absent: the last run of each check, where it did not pass' })),
  problems: Maybe(Type.Array(Type.Integer({ minimum: 0, maximum: 499 }), { minItems: 1, maxItems: 500, description: 'with one run: only these, counted from 0' })),
  note: Maybe(Type.String({ maxLength: 20_000, description: 'stands above the results' })),
  model: Type.Optional(Type.String({ description: 'as this and the next three of POST /api/chat/start' })),
  model_provider: Type.Optional(Type.String()),
  explicit_model_pick: Type.Optional(Type.Boolean()),
  if_busy: Type.Optional(OneOf(['queue'])),
  client_id: ClientId()
})

/** Sent on the stream of all events. */
export const checkFrames = {
  checks_changed: Closed({
    workspace: Type.String(), session_id: Nullable(Type.String(), 'of a run; null: the checks themselves are others')
  }, { title: 'ChecksChanged', description: 'the checks of a folder, or runs of them, have changed: read GET /api/checks' })
}
