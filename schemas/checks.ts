import { Type } from '@sinclair/typebox'
import { ClientId, Closed, Id, Maybe, Nullable, OneOf, Seconds } from './common.js'

export const CheckKind = OneOf(['test', 'lint', 'types', 'other'])
const AfterTurn = OneOf(
  ['off', 'ask', 'run'],
  'what happens after a turn that changed files. off: nothing; ask: clients offer to run it; run: it runs automatically'
)
const states = ['waiting', 'running', 'passed', 'failed', 'timed_out', 'over_limit', 'cancelled', 'interrupted'] as const
const Count = Type.Integer({ minimum: 0 })
const Script = Nullable(Type.String(), 'what the command runs according to the file; null: only the command itself')
const File = Nullable(Type.String(), 'the file that defines the command; null: a person wrote it')

export const Check = Closed({
  id: Type.String(),
  name: Type.String(),
  kind: CheckKind,
  command: Type.String({ description: 'credentials are masked for tokens with the scope `read`' }),
  file: File,
  script: Script,
  changed_script: Nullable(
    Type.String(),
    'what the file defines now, if that is no longer `script`: the check does not run until it is saved again; empty: the file no ' +
    'longer defines it; null: unchanged'
  ),
  after_turn: AfterTurn,
  auto_send: Type.Integer({
    description: 'how many times in a row its failures are sent to the agent automatically, until a person writes; 0: never'
  }),
  seconds: Type.Integer({ description: 'time limit in seconds' })
}, { title: 'Check' })

const CheckProposal = Closed({
  name: Type.String(), kind: CheckKind, command: Type.String(), file: Type.String({ description: 'the file that defines it' }), script: Script
}, { title: 'CheckProposal' })

const CheckProblem = Closed({
  path: Nullable(Type.String(), 'relative to the workspace; null: the file is not in it'),
  file: Type.String({ description: 'the file as the output names it' }),
  line: Nullable(Type.Integer(), 'counted from 1'),
  column: Nullable(Type.Integer(), 'counted from 1'),
  severity: OneOf(['error', 'warning', 'info']),
  text: Type.String(),
  code: Nullable(Type.String(), 'the rule or error number')
}, { title: 'CheckProblem' })

const run = {
  id: Type.String(),
  check_id: Type.String(),
  session_id: Type.String(),
  name: Type.String(),
  command: Type.String(),
  state: OneOf(
    states,
    'over_limit: it exceeded the memory or process limit of commands. interrupted: the ' +
    'service stopped, or the machine of the folder was lost, while it ran'
  ),
  turn_id: Nullable(Type.String(), 'the turn after which it ran automatically; null: a person started it'),
  confined: Type.Boolean({ description: 'it runs in the sandbox' }),
  exit_code: Nullable(Type.Integer()),
  errors: Count, warnings: Count, infos: Count,
  files: Type.Integer({ minimum: 0, description: 'how many files of the workspace have problems' }),
  sent_at: Nullable(Seconds(), 'epoch seconds: when the result was last sent to the agent; null: never'),
  created_at: Seconds(), started_at: Nullable(Seconds()), ended_at: Nullable(Seconds())
}
export const CheckRun = Closed(run, { title: 'CheckRun' })
export const CheckRunDetail = Closed({
  ...run,
  problems: Type.Array(CheckProblem, { description: 'at most 500' }),
  output: Type.String({ description: 'at most 256 KB: the beginning and the end; while it runs, the output so far' })
}, { title: 'CheckRunDetail' })

export const Checks = Closed({
  workspace: Type.String({ description: 'the folder in which they run' }),
  available: Type.Boolean({
    description: 'false: the machine of the folder is not connected, so its files cannot be read and nothing runs'
  }),
  confined: Type.Boolean({
    description: 'they run in the sandbox; without it none runs automatically, and running one needs the scope `approve`'
  }),
  checks: Type.Array(Check),
  proposals: Type.Array(CheckProposal, { description: 'checks that the files of the folder define and nobody has saved; they never run' }),
  runs: Type.Array(CheckRun, { description: 'the last 20 in this folder, newest first' })
}, { title: 'Checks' })

export const ChecksQuery = Type.Object({ session_id: Id('session') })
export const CheckRunQuery = Type.Object({ run_id: Id('run') })

export const SaveCheck = Type.Object({
  session_id: Type.String({ minLength: 1, maxLength: 200, description: 'the session in whose folder it runs' }),
  id: Maybe(Type.String({ maxLength: 64, description: 'id of the check to change; absent: a new check' })),
  name: Type.String({ minLength: 1, maxLength: 80 }),
  kind: Maybe(CheckKind),
  command: Type.String({ minLength: 1, maxLength: 2_000 }),
  script: Maybe(Type.String({
    maxLength: 4_000, description: 'what the file defined when a person looked; 409 `check_changed` if it has changed since'
  })),
  after_turn: Maybe(AfterTurn),
  auto_send: Maybe(Type.Integer({ minimum: 0, maximum: 5, description: 'default: 0' })),
  seconds: Maybe(Type.Integer({ minimum: 1, maximum: 600, description: 'default: 300' })),
  client_id: ClientId()
})
export const SavedCheck = Closed({ check: Check }, { title: 'SavedCheck' })
export const DeleteCheck = Type.Object({ session_id: Id('session'), id: Id('check') })

export const RunChecks = Type.Object({
  session_id: Id('session'),
  check_ids: Maybe(Type.Array(Type.String({ maxLength: 64 }), {
    minItems: 1, maxItems: 20, description: 'ids of checks; absent: all checks of the folder'
  })),
  client_id: ClientId()
})
export const CheckRunsBegun = Closed({ runs: Type.Array(CheckRun) }, { title: 'CheckRunsBegun' })
export const CancelChecks = Type.Object({
  session_id: Id('session'),
  run_ids: Maybe(Type.Array(Type.String({ maxLength: 64 }), {
    minItems: 1, maxItems: 20, description: 'ids of runs; absent: all running and waiting ones of the folder'
  }))
})
export const CancelledChecks = Closed({ ok: Type.Literal(true), cancelled: Type.Array(Type.String()) }, { title: 'CancelledChecks' })

export const SendChecks = Type.Object({
  session_id: Id('session'),
  run_ids: Maybe(Type.Array(Type.String({ maxLength: 64 }), {
    minItems: 1, maxItems: 20, description: 'ids of runs; absent: the last run of each check that did not pass'
  })),
  problems: Maybe(Type.Array(Type.Integer({ minimum: 0, maximum: 499 }), {
    minItems: 1, maxItems: 500, description: 'for a single run: send only these problems, counted from 0'
  })),
  note: Maybe(Type.String({ maxLength: 20_000, description: 'text above the results' })),
  model: Type.Optional(Type.String({ description: 'this and the next three fields are as in POST /api/chat/start' })),
  model_provider: Type.Optional(Type.String()),
  explicit_model_pick: Type.Optional(Type.Boolean()),
  if_busy: Type.Optional(OneOf(['queue'])),
  client_id: ClientId()
})

/** Frames on the stream of everything. */
export const checkFrames = {
  checks_changed: Closed({
    workspace: Type.String(), session_id: Nullable(Type.String(), 'the session of a run; null: the list of checks has changed')
  }, { title: 'ChecksChanged', description: 'the checks of a folder, or their runs, have changed: read GET /api/checks' })
}
