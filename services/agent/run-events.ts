import { type LanguageModelV4Message, type LanguageModelV4ToolResultPart } from '@ai-sdk/provider'
import { Type, type Static, type TObject, type TSchema } from '@sinclair/typebox'
import { type Form } from '../ground/form.js'
import { longestLimitMs } from '../providers/index.js'
import { budgetOfferForm } from './budget-ask.js'
import { jobChangeForm } from './job-change.js'
import { args, brief, count, loosely, nullable, oneOf, text, type AnyOf } from './forms.js'
import { inEnglish, type Reason } from '../../reasons/index.js'
import { type RunSpan } from './span-form.js'

/** A message as the model sees it: the AI SDK's own JSON shape, provider metadata (signatures) included. */
export type ModelMessage = LanguageModelV4Message

// Bounded, because these go into stored sums: those never shrink, stay integers, and can be added up for a year.
const tokens = Type.Integer({ minimum: 0, maximum: 10_000_000_000 })
const ofTurn = Type.Integer({ minimum: 0, maximum: 10_000_000_000_000 })

/** Tokens of one model call; `estimated` when the provider reported none and characters were counted. */
export type StepUsage = Static<typeof usageForm>
export const usageForm = Type.Object({
  inputTokens: tokens, outputTokens: tokens, cacheReadTokens: tokens, cacheWriteTokens: tokens, estimated: Type.Boolean()
})

/** Tokens of a whole turn. `lastPromptTokens` is the last step's input plus output: what the context holds now. */
export type TurnUsage = Static<typeof turnUsageForm>
const turnUsageForm = Type.Object({
  inputTokens: ofTurn, outputTokens: ofTurn, cacheReadTokens: ofTurn, cacheWriteTokens: ofTurn, estimated: Type.Boolean(),
  lastPromptTokens: tokens
})

/** Usage of a turn as another maker's agent reports it; none of it was counted here. */
export type ToldUsage = Static<typeof toldForm>
const toldForm = Type.Object({
  /** Where the step's `usage` comes from; `none`: the agent reported none. */
  source: oneOf('agent', 'none'),
  /** Tokens in its context, and the length of the context. */
  context: Type.Optional(Type.Object({ tokens, length: tokens })),
  /** Cost of the turn in US dollars. */
  costUsd: Type.Optional(Type.Number({ minimum: 0, maximum: 1_000_000 }))
})

export type ToolCall = Static<typeof toolCallForm>
const toolCallForm = Type.Object({ id: text, name: text, args })

/** Why a turn has no answer for now: its provider's limit is reached. `name`: the provider's display name. */
export type Limit = Static<typeof limitForm>
const limitForm = Type.Object({
  provider: brief, id: brief, name: brief,
  /** Milliseconds from now until the limit is over; null if that is not known. */
  waitMs: nullable(Type.Number({ minimum: 0, maximum: longestLimitMs }))
})

export type RunError = Static<typeof runErrorForm>
const runErrorForm = Type.Object({
  /** One of the interface's apperror types: rate_limit, auth_mismatch, quota_exhausted, model_not_found, no_response, … */
  type: text,
  /** A sentence a person can act on. */
  message: text,
  hint: Type.Optional(text),
  /** Whom and which model the message names, if it is the usual sentence of its type. */
  about: Type.Optional(Type.Object({ provider: brief, model: Type.Optional(brief) })),
  /** The stream's terminal state, if it is not `errored`. */
  terminalState: Type.Optional(text),
  /** For the log: the server that was to answer, and how many attempts failed. */
  host: Type.Optional(brief),
  attempts: Type.Optional(count),
  limit: Type.Optional(limitForm)
})

/** Why an unfinished answer counts: the limit of one answer, the provider's filter, or a budget. */
export type CutShort = Static<typeof cutForm>
const cutForm = Type.Object({
  reason: oneOf('length', 'content_filter', 'budget_exhausted'),
  /** A sentence that says what happened. */
  message: text,
  /** What a person can do about it. */
  hint: text
})

export type TodoItem = Static<typeof todoForm>
const todoForm = Type.Object({ id: text, content: text, status: oneOf('pending', 'in_progress', 'completed', 'cancelled') })

/**
 * What a call would do, as far as that could be found out before a person is asked. Texts are exact, with nothing masked or marked: the
 * card shows them in full to the person who decides.
 */
export type Foresight = Static<typeof foresightForm>
const foresightForm = Type.Object({
  /**
   * The file that would be changed, and how: a unified diff, or its beginning, against the file as it was
   * then (a FileStamp); or why there is none, as a sentence and, if it has one, its code.
   * `masked`: the same with credentials masked as the whole files show them; absent: there are none. `job`: the scheduled job that the
   * texts describe. `fails`: what the
   * model is told of an edit that cannot be made.
   */
  change: Type.Optional(Type.Union([
    Type.Object({
      path: text, diff: text, masked: Type.Optional(text), isCut: Type.Boolean(), seen: Type.Optional(loosely<string>()),
      job: Type.Optional(jobChangeForm)
    }),
    Type.Object({
      path: text, note: text, why: Type.Optional(loosely<Reason>(Type.Object({ code: text }))), fails: Type.Optional(loosely<string>())
    })
  ])),
  /** What a command consists of, the folder it starts in, and whether it stays in the sandbox, or in what limits it instead. */
  command: Type.Optional(Type.Object({
    parts: Type.Array(Type.Object({ program: text, args: Type.Array(text) })), isCut: Type.Boolean(), folder: text,
    isConfined: Type.Boolean(), limitedBy: Type.Optional(Type.Literal('container'))
  })),
  /** The request that would be sent; `path` with its query. */
  request: Type.Optional(Type.Object({ method: text, scheme: text, host: text, path: text }))
})

export type ApprovalAsk = Static<typeof approvalForm>
const approvalForm = Type.Object({
  /** Only a person's answer to this very card counts: switching yolo on does not answer it. */
  personal: Type.Optional(Type.Literal(true)),
  command: text,
  /** `command` is what a shell gets, and not a line that stands for a call. */
  isCommandLine: Type.Optional(Type.Literal(true)),
  description: text,
  /** What `description` says in English, by codes; absent: it has none, or was asked by an older version. */
  reasons: Type.Optional(loosely<readonly Reason[]>(Type.Array(Type.Object({ code: text })))),
  patternKey: text,
  patternKeys: Type.Array(text),
  maxScope: oneOf('once', 'session', 'always'),
  /** The tool whose call asks, because the operator may deny it by name; absent: no call asks, or an older version does. */
  tool: Type.Optional(text),
  timeoutS: Type.Number(),
  /**
   * What the call brings along, such as the text that a file would get; absent = the line that stands for the call says all of it. `isCut`:
   * it was answered, and the beginning is kept.
   */
  content: Type.Optional(Type.Object({ text, isCut: Type.Boolean() })),
  foresight: Type.Optional(foresightForm),
  /** Asked between two model calls, with none waiting for it: what a yes allows. */
  budget: Type.Optional(Type.Array(budgetOfferForm))
})

/**
 * `form`: what is asked has fields, whose values are answered as JSON, checked by the web tier, or
 * `declined`. `question` tells all of it as well.
 */
export type ClarifyAsk = Static<typeof clarifyForm>
const clarifyForm = Type.Object({
  question: text, choices: Type.Array(text), timeoutS: Type.Number(), form: Type.Optional(loosely<Form>()),
  /** A page that the person is asked to open, and its host. */
  link: Type.Optional(Type.Object({ url: text, host: text }))
})

export const declined = 'decline'

/** The call that asks. `beside`: later calls of the same step may run while it waits. */
export type AskOrigin = Static<TObject<typeof origin>>
const origin = { callId: text, beside: Type.Boolean(), expiresAtMs: nullable(Type.Number()) }

/** A part of a running call's output. The result repeats all of it, so pieces not sent by then are dropped. */
export type OutputPiece = Static<TObject<typeof outputPiece>>
const outputPiece = {
  text,
  /**
   * How many bytes between the beginning of the output and this text were left out. If as many as before, the text continues the last
   * piece. If more, the text replaces everything after the beginning.
   */
  leftOutBytes: count
}

/** Why a turn with a valid answer ended although it could have continued. */
export type GoodEnd = Static<typeof goodEndForm>
const goodEndForm = oneOf('tool_limit_reached', 'budget_exhausted', 'client_calls')

/** Why a model is called during a turn, besides its answer. `mcp_sampling`: an MCP server asks the answering model. */
export type SideTask = Static<typeof sideTaskForm>
const sideTaskForm = oneOf('vision', 'web_extract', 'session_search', 'mcp_sampling')

/** Events of a run, by kind. */
export const eventForms = {
  token: Type.Object({ text }),
  reasoning: Type.Object({ text }),
  /** The text of a finished step that calls tools. It has been sent as tokens before. */
  segment: Type.Object({ text }),
  /** The running step's tokens so far are void: another attempt answers differently, so far with `text` (absent: nothing yet). */
  retracted: Type.Object({ text: Type.Optional(text) }),
  /**
   * A model call has finished: the durable unit. Later requests replay `message`. `usage` is null if no call was made, because the turn
   * ends with a text of the service.
   */
  step: Type.Object({
    message: loosely<ModelMessage>(Type.Object({ role: Type.Literal('assistant'), content: Type.Array(Type.Object({ type: text })) })),
    toolCalls: Type.Array(toolCallForm),
    usage: nullable(usageForm),
    cut: Type.Optional(cutForm),
    told: Type.Optional(toldForm)
  }),
  /**
   * A tool call begins. `foresight`: set if a person will be asked about it and it was found out in time. `client`: the tool's name for the
   * client program that sent the message and has to run it; the turn then ends without a result.
   */
  tool: Type.Object({ id: text, name: text, preview: text, args, foresight: Type.Optional(foresightForm), client: Type.Optional(text) }),
  /**
   * A tool call has a result. `name`, `preview`, `args`: only what is not as announced. Services whose spec does not ask for
   * `briefResults` get all of them, see `host/known-calls.ts`.
   */
  tool_complete: Type.Object({
    id: text, isError: Type.Boolean(), durationS: Type.Number(), result: text,
    name: Type.Optional(text), preview: Type.Optional(text), args: Type.Optional(args)
  }),
  tool_output: Type.Object({ id: text, ...outputPiece }),
  ask: Type.Union([
    Type.Object({ askId: text, kind: Type.Literal('approval'), body: approvalForm, ...origin }),
    Type.Object({ askId: text, kind: Type.Literal('clarify'), body: clarifyForm, ...origin })
  ]),
  ask_closed: Type.Object({ askId: text, how: oneOf('answered', 'expired', 'cancelled', 'yolo') }),
  /** From here on, models see this text as the turn's message. People still see the original. */
  reworded: Type.Object({ text }),
  /** These steering texts have become user messages of the conversation. */
  steered: Type.Object({ texts: Type.Array(text) }),
  todo: Type.Object({ todos: Type.Array(todoForm) }),
  /** The history has become too long and is being summarised. */
  compressing: Type.Object({}),
  /** From here on, the model sees the summary and the last `keptRows` messages. */
  compressed: Type.Object({ summary: text, keptRows: count, tokensBefore: tokens, tokensAfter: tokens, usage: usageForm }),
  /** `reason` says what `message` says, by its code; absent: it has none, or comes from an older version. */
  warning: Type.Object({ kind: text, message: text, reason: Type.Optional(loosely<Reason>(Type.Object({ code: text }))) }),
  /** Usage of a model call besides the answer, by a model that the web tier named or by the answering model. */
  side_usage: Type.Object({ slot: sideTaskForm, provider: text, id: text, usage: usageForm }),
  /** An attempt at the running step failed, but its provider reported usage. Its tokens stand until `retracted`. */
  attempt_used: Type.Object({ usage: usageForm }),
  /** The previous model failed; from here on this one answers, which the web tier named. */
  fallback: Type.Object({ provider: text, id: text, message: text }),
  /** A finished span, if the turn is traced. */
  span: Type.Object({ said: loosely<RunSpan>(Type.Object({ attributes: Type.Object({}) })) }),
  end: Type.Object({
    state: oneOf('done', 'cancelled', 'failed', 'lost'),
    usage: turnUsageForm,
    error: Type.Optional(runErrorForm),
    terminalState: Type.Optional(goodEndForm)
  })
} satisfies Record<string, TSchema>

export type RunEventBody = AnyOf<'t', typeof eventForms>

/** Returns a call's result as models read it. */
export function resultPart ({ id, name }: Pick<ToolCall, 'id' | 'name'>, value: string, isError: boolean): LanguageModelV4ToolResultPart {
  return { type: 'tool-result', toolCallId: id, toolName: name, output: { type: isError ? 'error-text' : 'text', value } }
}

/** Makes the warning that says a reason. */
export const warned = (kind: string, reason: Reason): Extract<RunEventBody, { t: 'warning' }> =>
  ({ t: 'warning', kind, message: inEnglish(reason), reason })

export type RunEvent = RunEventBody & { runId: string }

/** Returns the size of an event in characters. Counts only its texts, because everything else in it is short. */
export function weightOf (event: RunEventBody): number {
  switch (event.t) {
    case 'token':
    case 'reasoning':
    case 'tool_output': return event.text.length
    case 'tool_complete': return event.result.length
    case 'span': return Object.values(event.said.attributes).reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 1), 1)
    default: return 1
  }
}
