import { type LanguageModelV4Message, type LanguageModelV4ToolResultPart } from '@ai-sdk/provider'
import { Type, type Static, type TObject, type TSchema } from '@sinclair/typebox'
import { type Form } from '../ground/form.js'
import { longestLimitMs } from '../providers/index.js'
import { budgetOfferForm } from './budget-ask.js'
import { args, brief, count, loosely, nullable, oneOf, text, type AnyOf } from './forms.js'
import { inEnglish, type Reason } from '../../reasons/index.js'
import { type SaidSpan } from './said-span.js'

/** A message as the model sees it: the AI SDK's own JSON shape, provider metadata (signatures) included. */
export type ModelMessage = LanguageModelV4Message

// Goes into sums that are kept: they never become smaller, stay whole, and a year of them can be added up.
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

/** What an agent of another maker has told of a turn: nothing of it was counted here. */
export type ToldUsage = Static<typeof toldForm>
const toldForm = Type.Object({
  /** Where the step's `usage` comes from; `none`: the agent has told none. */
  source: oneOf('agent', 'none'),
  /** Tokens that its context holds, and may hold. */
  context: Type.Optional(Type.Object({ tokens, length: tokens })),
  /** What the turn has cost, in US dollars. */
  costUsd: Type.Optional(Type.Number({ minimum: 0, maximum: 1_000_000 }))
})

export type ToolCall = Static<typeof toolCallForm>
const toolCallForm = Type.Object({ id: text, name: text, args })

/** Why a turn has no answer for now: the model is at its provider's limit, which passes; `name` is the provider's for people. */
export type Limit = Static<typeof limitForm>
const limitForm = Type.Object({
  provider: brief, id: brief, name: brief,
  /** When it does, from now on; null: nobody knows. */
  waitMs: nullable(Type.Number({ minimum: 0, maximum: longestLimitMs }))
})

export type RunError = Static<typeof runErrorForm>
const runErrorForm = Type.Object({
  /** One of the interface's apperror types: rate_limit, auth_mismatch, quota_exhausted, model_not_found, no_response, … */
  type: text,
  /** A sentence a person can act on. */
  message: text,
  hint: Type.Optional(text),
  /** What the stream says of its end instead of `errored`. */
  terminalState: Type.Optional(text),
  /** For the log: the name of the machine that was to answer, and how often it was asked in vain. */
  host: Type.Optional(brief),
  attempts: Type.Optional(count),
  limit: Type.Optional(limitForm)
})

/** Why an answer stands that the model had not finished: one answer's limit, the provider's filter, or a budget. */
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
 * What a call would do, as far as that could be found out before anybody was asked. Texts are as they are, with nothing masked and no
 * signs in them: a card shows them in full to whoever decides.
 */
export type Foresight = Static<typeof foresightForm>
const foresightForm = Type.Object({
  /**
   * The file that would be changed, and how: a unified diff, or its beginning, against the file as it was
   * then (a FileStamp); or why there is none.
   * `masked`: the same with credentials masked as the whole files show them; absent: there are none. `fails`: what the
   * model is told of an edit that cannot be made.
   */
  change: Type.Optional(Type.Union([
    Type.Object({ path: text, diff: text, masked: Type.Optional(text), isCut: Type.Boolean(), seen: Type.Optional(loosely<string>()) }),
    Type.Object({ path: text, note: text, fails: Type.Optional(loosely<string>()) })
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

/** The call that asks. `beside`: the step's later calls may run while it waits. */
export type AskOrigin = Static<TObject<typeof origin>>
const origin = { callId: text, beside: Type.Boolean(), expiresAtMs: nullable(Type.Number()) }

/** A part of what a running call prints. It stands again in its result; what was not told by then is not told any more. */
export type OutputPiece = Static<TObject<typeof outputPiece>>
const outputPiece = {
  text,
  /**
   * So many bytes between the beginning of the output and this text are not told. As many as before: the text goes on behind
   * what was told last. More: it takes the place of everything behind the beginning.
   */
  leftOutBytes: count
}

/** How a turn ended whose answer stands and which could have gone on. */
export type GoodEnd = Static<typeof goodEndForm>
const goodEndForm = oneOf('tool_limit_reached', 'budget_exhausted', 'client_calls')

/** What a model is called for during a turn beside its answer; `mcp_sampling`: an MCP server has asked the model that answers. */
export type SideTask = Static<typeof sideTaskForm>
const sideTaskForm = oneOf('vision', 'web_extract', 'session_search', 'mcp_sampling')

/** What a run says, by kind. */
export const eventForms = {
  token: Type.Object({ text }),
  reasoning: Type.Object({ text }),
  /** The text of a finished step that calls tools, which was heard as tokens. */
  segment: Type.Object({ text }),
  /** What was heard of the running step is void: another attempt answers something else, so far `text` (absent: nothing). */
  retracted: Type.Object({ text: Type.Optional(text) }),
  /**
   * One model call finished: the durable unit. `message` is what later requests replay. `usage` is null where none was
   * made: the turn ends with words of its own.
   */
  step: Type.Object({
    message: loosely<ModelMessage>(Type.Object({ role: Type.Literal('assistant'), content: Type.Array(Type.Object({ type: text })) })),
    toolCalls: Type.Array(toolCallForm),
    usage: nullable(usageForm),
    cut: Type.Optional(cutForm),
    told: Type.Optional(toldForm)
  }),
  /**
   * With `foresight` where the call is going to be asked about and it was found out soon enough. `client`: the name of the tool for the
   * program that has sent the message, which is to run it; the turn ends without a result.
   */
  tool: Type.Object({ id: text, name: text, preview: text, args, foresight: Type.Optional(foresightForm), client: Type.Optional(text) }),
  tool_complete: Type.Object({
    id: text, name: text, preview: text, args, isError: Type.Boolean(), durationS: Type.Number(), result: text,
    replay: loosely<LanguageModelV4ToolResultPart>(Type.Object({ type: Type.Literal('tool-result') }))
  }),
  tool_output: Type.Object({ id: text, ...outputPiece }),
  ask: Type.Union([
    Type.Object({ askId: text, kind: Type.Literal('approval'), body: approvalForm, ...origin }),
    Type.Object({ askId: text, kind: Type.Literal('clarify'), body: clarifyForm, ...origin })
  ]),
  ask_closed: Type.Object({ askId: text, how: oneOf('answered', 'expired', 'cancelled', 'yolo') }),
  /** From here on this is what the turn's message is for models; what is shown of it stays. */
  reworded: Type.Object({ text }),
  /** These steering texts have become user messages of the conversation. */
  steered: Type.Object({ texts: Type.Array(text) }),
  todo: Type.Object({ todos: Type.Array(todoForm) }),
  /** The history has become too long and is being summarised. */
  compressing: Type.Object({}),
  /** From here on the model sees the summary instead of everything but the last `keptRows` messages. */
  compressed: Type.Object({ summary: text, keptRows: count, tokensBefore: tokens, tokensAfter: tokens, usage: usageForm }),
  /** `reason` says what `message` says, by its code; absent: it has none, or comes from an older version. */
  warning: Type.Object({ kind: text, message: text, reason: Type.Optional(loosely<Reason>(Type.Object({ code: text }))) }),
  /** What a model has used that has done something beside the answer: one that was named by the web tier, or the one that answers. */
  side_usage: Type.Object({ slot: sideTaskForm, provider: text, id: text, usage: usageForm }),
  /**
   * An attempt at the running step has come to nothing, and its provider has told what it used all the same. What
   * was heard of it stands until `retracted`.
   */
  attempt_used: Type.Object({ usage: usageForm }),
  /** From here on another model answers, as the one before has given up; it was named by the web tier. */
  fallback: Type.Object({ provider: text, id: text, message: text }),
  /** Where the turn is traced: work that is over. */
  span: Type.Object({ said: loosely<SaidSpan>(Type.Object({ attributes: Type.Object({}) })) }),
  end: Type.Object({
    state: oneOf('done', 'cancelled', 'failed', 'lost'),
    usage: turnUsageForm,
    error: Type.Optional(runErrorForm),
    steerLeftover: Type.Optional(text),
    terminalState: Type.Optional(goodEndForm)
  })
} satisfies Record<string, TSchema>

export type RunEventBody = AnyOf<'t', typeof eventForms>
/** Makes the warning that says a reason. */
export const warned = (kind: string, reason: Reason): Extract<RunEventBody, { t: 'warning' }> =>
  ({ t: 'warning', kind, message: inEnglish(reason), reason })

export type RunEvent = RunEventBody & { runId: string }

/** How much an event weighs on its way to the disk, in characters: its texts, as everything else in it is short. */
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
