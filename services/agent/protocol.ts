import { Type, type Static, type TObject, type TSchema } from '@sinclair/typebox'
import { brief, count, loosely, nullable, oneOf, text, type AnyOf } from './forms.js'
import { modelRefForm } from './model-ref.js'
import { runReplyForm, runRequestForm, type RunRequest } from './requests.js'
import { mcpQueryForm, mcpReplyForm, type McpQuery } from './mcp/queries.js'
import { usageForm, type RunEventBody } from './run-events.js'
import { runSpecForm } from './run-spec.js'
import { type SandboxStatus } from './sandbox/index.js'

export { type BudgetAsk, type BudgetOffer } from './budget-ask.js'
export { type AnswerFormat, type ClientTool, type ClientWishes, type SamplingOptions } from './client-wishes.js'
export { modelRefForm, type ModelRef } from './model-ref.js'
export {
  declined, resultPart, weightOf, type ApprovalAsk, type AskOrigin, type ClarifyAsk, type CutShort, type Foresight, type GoodEnd,
  type Limit, type ModelMessage, type OutputPiece, type RunError, type RunEvent, type RunEventBody, type SideTask, type StepUsage,
  type TodoItem, type ToldUsage, type ToolCall, type TurnUsage
} from './run-events.js'

export {
  planningVersion, protocolVersion, type Attachment, type FileReference, type PlacedUploads, type Places, type OnLimit, type ResumedAsk,
  type AttachedConversation, type RunKind, type RunSpec, type Toolset, type UnacceptedCommand
} from './run-spec.js'
export { reasonForm, reasonOf, toldBy } from './warning-reason.js'

export { spanForm, type RunTrace, type RunSpan } from './span-form.js'

/**
 * The protocol between the web tier and a host process. Plain JSON both ways: no closures, no handles, so that the
 * same messages can later travel over another transport. A run is one turn of one session; its id is its stream id.
 */
export const approvalChoices = ['once', 'session', 'always', 'deny'] as const
export type ApprovalChoice = typeof approvalChoices[number]

const mostExact = Number.MAX_SAFE_INTEGER

/** Events of one run in their order. They are numbered per run, from 1 and without a gap; `seq` is the first one's number. */
export type RunBatch = Static<typeof runBatchForm>
export const runBatchForm = Type.Object({
  runId: text,
  generation: Type.Integer({ minimum: -mostExact, maximum: mostExact }),
  seq: Type.Integer({ minimum: 1, maximum: mostExact }),
  /** Each is checked against the form of its kind. */
  events: loosely<RunEventBody[]>(Type.Array(Type.Unknown()))
})

/** Controls of a running turn, by operation. */
export const controlForms = {
  answer: Type.Object({ askId: text, value: text }),
  /** The time of a question is over, which the web tier measures. */
  unanswered: Type.Object({ askId: text }),
  steer: Type.Object({ text }),
  cancel: Type.Object({}),
  yolo: Type.Object({ on: Type.Boolean() }),
  /** Switches to plan mode for the rest of the run. */
  plan: Type.Object({}),
  /** Permissions for the rest of the session, given in another of its runs. */
  grant: Type.Object({ patternKeys: Type.Array(text) }),
  /** Revokes permissions for calls from now on. */
  revoke: Type.Object({ patternKeys: Type.Array(text) }),
  /** The patterns of keys that the operator always refuses, in place of those before; for calls from now on. */
  deny: Type.Object({ patterns: Type.Array(text) })
} satisfies Record<string, TSchema>
export type ControlBody = AnyOf<'op', typeof controlForms>
export const controlForm = Type.Object({ controlId: text, runId: text, op: text })
export type Control = ControlBody & Omit<Static<typeof controlForm>, 'op'>

export type ControlAck = Static<typeof controlAckForm>
const controlAckForm = Type.Object({
  controlId: text, result: oneOf('applied', 'stale', 'unsupported', 'not_running', 'error'), detail: Type.Optional(text)
})

/** A small task outside of turns (`small-tasks/tasks.ts`): its name and its input. On the wire it is called `aux`. */
export type SmallTaskRequest = Static<typeof smallTaskRequestForm>
const smallTaskRequestForm = Type.Object({ requestId: text, task: text, model: modelRefForm, input: Type.Optional(Type.Unknown()) })
/** `result` is null if there was an `error`. `usage`: what the model used, if it was called. */
export type SmallTaskReply = Static<typeof smallTaskReplyForm>
const smallTaskReplyForm = Type.Object({
  requestId: text, result: Type.Unknown(), error: Type.Optional(text), usage: Type.Optional(usageForm)
})

const run = { runId: text, generation: Type.Integer() }

/** Identifies a run. The runs of a turn that was interrupted share an id and differ in their generation. */
export type RunName = Static<TObject<typeof run>>

/** The state of a run, as its host reports it: the number of its last event, and the requests that have no answer yet. */
export type RunStanding = Static<typeof runStandingForm>
export const runStandingForm = Type.Object({ ...run, seq: count, isOver: Type.Boolean(), requests: Type.Array(text) })

/** What ended unexpectedly. `host`: where a server on the network is, null for a program. `reason`: a sentence without paths. */
export type EndedBadly = Static<typeof endedBadlyForm>
const endedBadlyForm = Type.Object({
  what: oneOf('mcp_server', 'agent'), name: brief, host: nullable(brief), code: nullable(brief), attempts: count, reason: brief
})

/**
 * Messages to a host, by type. A receiver ignores messages of unknown types. A host trusts the process that started it; a machine checks
 * messages from the network against these forms (`machine/forms.ts`).
 */
export const toHostForms = {
  start: Type.Object({ spec: runSpecForm }),
  /** The run answers a control of an unknown operation with `unsupported`. */
  control: Type.Object({ control: loosely<Control>(controlForm) }),
  aux: Type.Object({ request: smallTaskRequestForm }),
  /** Answers a `request`. */
  reply: Type.Object({ reply: runReplyForm }),
  /** A run's events up to this number are stored. */
  stored: Type.Object({ runId: text, seq: count }),
  /** Events of a run after this number did not arrive. The host repeats them, or answers `missing`. */
  observe: Type.Object({ ...run, after: count }),
  /** Asks about the MCP servers of the profile. */
  mcp: Type.Object({ query: loosely<McpQuery>(mcpQueryForm) }),
  ping: Type.Object({ beat: Type.Integer() }),
  /** Tells the host to end, with its runs and their processes. */
  end: Type.Object({})
} satisfies Record<string, TSchema>
export type ToHost = AnyOf<'type', typeof toHostForms>

/** Messages of a host, by type. */
export const fromHostForms = {
  events: Type.Object({ batches: Type.Array(runBatchForm) }),
  ready: Type.Object({ v: Type.Number(), pid: Type.Number() }),
  /** How the host can confine terminal commands; sent after `ready`, as soon as the host has tried. */
  sandbox: Type.Object({ status: loosely<SandboxStatus>(Type.Object({ available: Type.Boolean() })) }),
  /** The events of a run that were asked for are gone. */
  missing: Type.Object(run),
  ack: Type.Object({ ack: controlAckForm }),
  aux: Type.Object({ reply: smallTaskReplyForm }),
  mcp: Type.Object({ reply: mcpReplyForm }),
  /** Tokens of MCP servers were renewed. The service has to know them, in order to mask them, before events that could contain them. */
  mcp_tokens: Type.Object({}),
  /** An MCP server, or another maker's agent outside of a turn, has ended unexpectedly; for the service's log. */
  ended_badly: Type.Object({ ended: endedBadlyForm }),
  request: Type.Object({ request: loosely<RunRequest>(runRequestForm) }),
  /** Answers the ping of that number with all runs of the host, so that both sides notice lost messages. */
  pong: Type.Object({ beat: count, runs: Type.Array(runStandingForm) })
} satisfies Record<string, TSchema>
export type FromHost = AnyOf<'type', typeof fromHostForms>
