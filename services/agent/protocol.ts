import { Type, type Static, type TSchema } from '@sinclair/typebox'
import { brief, count, loosely, nullable, oneOf, text, type AnyOf } from './forms.js'
import { type ModelRef } from './model-ref.js'
import { runRequestForm, type RunReply, type RunRequest } from './requests.js'
import { mcpReplyForm, type McpQuery } from './mcp/queries.js'
import { usageForm, type RunEventBody } from './run-events.js'
import { type RunSpec } from './run-spec.js'
import { type SandboxStatus } from './sandbox/index.js'

export { type BudgetAsk, type BudgetOffer } from './budget-ask.js'
export { type AnswerFormat, type ClientTool, type ClientWishes } from './client-wishes.js'
export { modelRefForm, type ModelRef } from './model-ref.js'
export {
  declined, weightOf, type ApprovalAsk, type AskOrigin, type ClarifyAsk, type CutShort, type Foresight, type GoodEnd, type Limit,
  type ModelMessage, type OutputPiece, type RunError, type RunEvent, type RunEventBody, type SideTask, type StepUsage, type TodoItem,
  type ToldUsage, type ToolCall, type TurnUsage
} from './run-events.js'

export {
  planningVersion, protocolVersion, type Attachment, type FileReference, type PlacedUploads, type Places, type OnLimit, type ResumedAsk,
  type AttachedConversation, type RunKind, type RunSpec, type Toolset, type UnacceptedCommand
} from './run-spec.js'
export { reasonForm, reasonOf, toldBy } from './told-reason.js'

export { saidSpanForm, type RunTrace, type SaidSpan } from './said-span.js'

/**
 * The protocol between the web tier and a host process. Plain JSON both ways: no closures, no handles, so that the
 * same messages can later travel over another transport. A run is one turn of one session; its id is its stream id.
 */
export const approvalChoices = ['once', 'session', 'always', 'deny'] as const
export type ApprovalChoice = typeof approvalChoices[number]

/** Events of one run in their order. They are numbered per run, from 1 and without a gap; `seq` is the first one's number. */
export interface RunBatch { runId: string, generation: number, seq: number, events: RunEventBody[] }

/** What a run is told while it is at work, by what it is to do. */
export const controlForms = {
  answer: Type.Object({ askId: text, value: text }),
  /** Nobody has answered a question in its time, which whoever shows it measures. */
  unanswered: Type.Object({ askId: text }),
  steer: Type.Object({ text }),
  cancel: Type.Object({}),
  yolo: Type.Object({ on: Type.Boolean() }),
  /** Plan mode from now on, until it ends. */
  plan: Type.Object({}),
  /** Allowed for the rest of the session, in answer to another of its runs. */
  grant: Type.Object({ patternKeys: Type.Array(text) }),
  /** Taken back: what asks from now on asks. */
  revoke: Type.Object({ patternKeys: Type.Array(text) })
} satisfies Record<string, TSchema>
export type ControlBody = AnyOf<'op', typeof controlForms>
export const controlForm = Type.Object({ controlId: text, runId: text, op: text })
export type Control = ControlBody & Omit<Static<typeof controlForm>, 'op'>

export type ControlAck = Static<typeof controlAckForm>
const controlAckForm = Type.Object({
  controlId: text, result: oneOf('applied', 'stale', 'unsupported', 'not_running', 'error'), detail: Type.Optional(text)
})

/** A small task beside the turns (`small-tasks/tasks.ts`): its name, and what it is given. On the wire it is called `aux`. */
export interface SmallTaskRequest { requestId: string, task: string, model: ModelRef, input: unknown }
/** `result` is null when there was an `error`. `usage`: what the model was used for it, where it was. */
export type SmallTaskReply = Static<typeof smallTaskReplyForm>
const smallTaskReplyForm = Type.Object({
  requestId: text, result: Type.Unknown(), error: Type.Optional(text), usage: Type.Optional(usageForm)
})

const run = { runId: text, generation: Type.Integer() }

/** A run by its name: of a turn that had to wait, each run has a generation of its own. */
export interface RunName { runId: string, generation: number }

/** Where a run stands, as its host tells: the number of its last event, and the requests that have no answer yet. */
export type RunStanding = Static<typeof runStandingForm>
const runStandingForm = Type.Object({ ...run, seq: count, isOver: Type.Boolean(), requests: Type.Array(text) })

/** `host` is the name of the machine that it is on, null for a program of this one; `reason` is a sentence without paths. */
export type EndedBadly = Static<typeof endedBadlyForm>
const endedBadlyForm = Type.Object({
  what: oneOf('mcp_server', 'agent'), name: brief, host: nullable(brief), code: nullable(brief), attempts: count, reason: brief
})

/**
 * What a host is told, by type. Whoever gets a message of a type that it does not know leaves it. A host trusts whoever has started it;
 * a machine holds what comes over the network against this (`machine/forms.ts`).
 */
export const toHostForms = {
  start: Type.Object({ spec: loosely<RunSpec>() }),
  control: Type.Object({ control: loosely<Control>() }),
  aux: Type.Object({
    request: loosely<SmallTaskRequest>(Type.Object({ requestId: text, task: text, model: Type.Object({ provider: text, id: text }) }))
  }),
  /** Answers a `request`. */
  reply: Type.Object({ reply: loosely<RunReply>(Type.Object({ requestId: text, runId: text })) }),
  /** A run's events up to this number are stored. */
  stored: Type.Object({ runId: text, seq: count }),
  /** What a run has said after this number did not arrive; it comes once more, or `missing` does. */
  observe: Type.Object({ ...run, after: count }),
  /** Asks about the MCP servers of the profile. */
  mcp: Type.Object({ query: loosely<McpQuery>(Type.Object({ requestId: text, what: text })) }),
  ping: Type.Object({ beat: Type.Integer() }),
  /** The host is to end, with its runs and what they have started. */
  end: Type.Object({})
} satisfies Record<string, TSchema>
export type ToHost = AnyOf<'type', typeof toHostForms>

/** What a host says, by type, beside the events of its runs. */
export const fromHostForms = {
  ready: Type.Object({ v: Type.Number(), pid: Type.Number() }),
  /** How the host can confine terminal commands; follows `ready` as soon as it has tried. */
  sandbox: Type.Object({ status: loosely<SandboxStatus>(Type.Object({ available: Type.Boolean() })) }),
  /** What was to be observed is not there any more. */
  missing: Type.Object(run),
  ack: Type.Object({ ack: controlAckForm }),
  aux: Type.Object({ reply: smallTaskReplyForm }),
  mcp: Type.Object({ reply: mcpReplyForm }),
  /** Tokens of MCP servers were renewed: they are to be known before anything is said that could hold them. */
  mcp_tokens: Type.Object({}),
  /** An MCP server, or an agent of another maker outside of a turn, has ended in a way that nobody wanted; for the log of the service. */
  ended_badly: Type.Object({ ended: endedBadlyForm }),
  request: Type.Object({ request: loosely<RunRequest>(runRequestForm) }),
  /** Answers the ping of that number with all runs of the host, so that both sides find out what was lost between them. */
  pong: Type.Object({ beat: count, runs: Type.Array(runStandingForm) })
} satisfies Record<string, TSchema>
export type FromHost = AnyOf<'type', typeof fromHostForms> | { type: 'events', batches: RunBatch[] }
