import { type LanguageModelV4Message, type LanguageModelV4ToolResultPart } from '@ai-sdk/provider'
import { type Form } from '../ground/form.js'
import { type BudgetOffer } from './budget-ask.js'
import { type ModelRef } from './model-ref.js'
import { type RequestBody, type RunReply, type RunRequest } from './requests.js'
import { type McpQuery, type McpReply } from './mcp/queries.js'
import { type SandboxStatus } from './sandbox/index.js'

export { type BudgetAsk, type BudgetOffer } from './budget-ask.js'
export { modelRefForm, type ModelRef } from './model-ref.js'

/**
 * The protocol between the web tier and a host process. Plain JSON both ways: no closures, no handles, so that the
 * same messages can later travel over another transport. A run is one turn of one session; its id is its stream id.
 */
export const protocolVersion = 2

export type RunKind = 'chat' | 'goal' | 'btw' | 'background' | 'delegate' | 'cron'
/** What a run may use: everything; everything but sub-agents of its own; or only what reads inside the workspace. */
export type Toolset = 'all' | 'delegated' | 'reading'
export type ApprovalChoice = 'once' | 'session' | 'always' | 'deny'

/** A message as the model sees it: the AI SDK's own JSON shape, provider metadata (signatures) included. */
export type ModelMessage = LanguageModelV4Message

/** A file as a client names it: by a path on the machine of the web tier. */
export interface Attachment { name: string, path: string, mime: string, size: number | null, isImage: boolean }

/** A file by the name of its place and its path there. `place: null`: it lies in no place of the run; `path` only names it. */
export interface FileReference extends Attachment { place: string | null }

/**
 * The folders of a run, by name. `workspace` is where it works; the others hold what was uploaded to its conversations, and
 * may be read. What they are called means the same everywhere; where they lie is for a host to say, see `machine/places.ts`.
 */
export interface Places { workspace: string, [place: string]: string }

/** What one place of a run holds, and the session whose it is. `object`: under this name a file lies in the bucket of the machine; absent: the machine has it. */
export interface PlacedUploads { session: string, files: Array<{ name: string, size: number, object?: string }> }

/** Everything a host needs to run a turn, self-contained. */
export interface RunSpec {
  v: typeof protocolVersion
  runId: string
  sessionId: string
  /** The conversation and the turn that it changes files for, where these are not its own. */
  writesFor?: { sessionId: string, runId: string }
  profile: string
  /** The machine that it works on; absent: the one of the web tier. */
  host?: string
  kind: RunKind
  /** Fencing token: events of an older generation are refused by the database. */
  generation: number
  /** Who does the turn: our own loop with a model, or an agent of another maker (`model.provider` is its name). */
  engine: 'loop' | 'acp'
  model: ModelRef
  system: string[]
  history: ModelMessage[]
  /** Stands for what came before `history`. */
  summary?: string
  /** What starts the turn; null when it goes on where a stop of the service had interrupted it. */
  input: { text: string, attachments: FileReference[] } | null
  /** It goes on after a stop of the service: the calls of the last step that have no result yet. With an `input`: no model was called before. */
  resume?: { calls: ResumedCall[], asks: ResumedAsk[], steers: string[] }
  places: Places
  /** For another machine: what was uploaded. `root`: the folder that has that of every session where the web tier is; messages name files by it. */
  uploads?: { root: string, places: Record<string, PlacedUploads> }
  /** `auto`: terminal commands run confined, where the host can do that, unless they are let out. */
  sandbox: 'auto' | 'off'
  toolset: Toolset
  /** Somebody watches and can answer. Unattended runs are denied what they would have to ask for. */
  attended: boolean
  yolo: boolean
  /** Pattern keys that are already allowed (this session's and the profile's permanent ones). */
  grants: string[]
  /** Patterns of keys that the operator refuses for good. */
  denied: string[]
  /** The session's todo list as the last turn left it. */
  todos: TodoItem[]
  limits: { steps: number }
  /** Budgets hold for it: it asks the web tier also before its first model call, and not only before later ones. */
  budgeted?: true
  /** What a confined command may use, where the operator has set it. */
  /** How long a web page may take to be fetched. */
  pageLimitMs?: number | null
  commandLimits?: { memoryBytes?: number, processes?: number }
  /**
   * The workspace's rules were changed by a confined command: `system` holds the text of before. A person is asked first,
   * where there is one; `accepted` stands in the place of `system` when they agree, and `records` are settled by that.
   */
  changedRules?: { records: string[], diff: string, accepted: string[] }
  /** The command that `input` stands for is asked about first, where there is somebody. */
  unacceptedCommand?: UnacceptedCommand
  /** Seconds until an unanswered prompt expires; 0 = never. */
  clarifyTimeoutS: number
  approvalTimeoutS: number
  /** When the history is summarised: what the context held at last, and from how many tokens on it is too much. */
  context: { tokens: number | null, thresholdTokens: number | null }
}

/**
 * A command of the workspace whose file was changed by a confined command. A person is shown `content` first; when they agree, `accepted`
 * is read in the place of the turn's message from then on, and `records` are settled by that.
 */
export interface UnacceptedCommand { name: string, path: string, content: string, accepted: string, records: string[] }

/** A call without a result; `announced`: its `tool` event was sent before. */
type ResumedCall = ToolCall & { announced: boolean }

/** A prompt that was open when its run was interrupted. */
export interface ResumedAsk { askId: string, callId: string, expiresAtMs: number | null, body: ApprovalAsk | ClarifyAsk }

export interface ToolCall { id: string, name: string, args: Record<string, unknown> }

/** Tokens of one model call; `estimated` when the provider reported none and characters were counted. */
export interface StepUsage {
  inputTokens: number
  outputTokens: number
  cacheReadTokens: number
  cacheWriteTokens: number
  estimated: boolean
}

/** What an agent of another maker has told of a turn: nothing of it was counted here. */
export interface ToldUsage {
  /** Where the step's `usage` comes from; `none`: the agent has told none. */
  source: 'agent' | 'none'
  /** Tokens that its context holds, and may hold. */
  context?: { tokens: number, length: number }
  /** What the turn has cost, in US dollars. */
  costUsd?: number
}

/** Tokens of a whole turn. `lastPromptTokens` is the last step's input plus output: what the context holds now. */
export interface TurnUsage extends StepUsage { lastPromptTokens: number }

export interface RunError {
  /** One of the interface's apperror types: rate_limit, auth_mismatch, quota_exhausted, model_not_found, no_response, … */
  type: string
  /** A sentence a person can act on. */
  message: string
  hint?: string
  /** What the stream says of its end instead of `errored`. */
  terminalState?: string
  /** For the log: the name of the machine that was to answer, and how often it was asked in vain. */
  host?: string
  attempts?: number
}

/** Why an answer stands that the model had not finished: one answer's limit, the provider's filter, or a budget. */
export interface CutShort {
  reason: 'length' | 'content_filter' | 'budget_exhausted'
  /** A sentence that says what happened. */
  message: string
  /** What a person can do about it. */
  hint: string
}

export interface TodoItem { id: string, content: string, status: 'pending' | 'in_progress' | 'completed' | 'cancelled' }

/**
 * What a call would do, as far as that could be found out before anybody was asked. Texts are as they are, with nothing masked and no
 * signs in them: a card shows them in full to whoever decides.
 */
export interface Foresight {
  /**
   * The file that would be changed, and how: a unified diff, or its beginning, against the file as it was then (a FileStamp); or why there is none.
   * `masked`: the same with credentials masked as the whole files show them; absent: there are none. `fails`: what the model is told of an edit that cannot be made.
   */
  change?: { path: string, diff: string, masked?: string, isCut: boolean, seen?: string } | { path: string, note: string, fails?: string }
  /** What a command consists of, the folder it starts in, and whether it stays in the sandbox. */
  command?: { parts: Array<{ program: string, args: string[] }>, isCut: boolean, folder: string, isConfined: boolean }
  /** The request that would be sent; `path` with its query. */
  request?: { method: string, scheme: string, host: string, path: string }
}

export interface ApprovalAsk {
  /** Only a person's answer to this very card counts: switching yolo on does not answer it. */
  personal?: true
  command: string
  /** `command` is what a shell gets, and not a line that stands for a call. */
  isCommandLine?: true
  description: string
  patternKey: string
  patternKeys: string[]
  maxScope: 'once' | 'session' | 'always'
  timeoutS: number
  /** What the call brings along, such as the text that a file would get; absent = the line that stands for the call says all of it. `isCut`: it was answered, and the beginning is kept. */
  content?: { text: string, isCut: boolean }
  foresight?: Foresight
  /** Asked between two model calls, with none waiting for it: what a yes allows. */
  budget?: BudgetOffer[]
}
/** `form`: what is asked has fields, whose values are answered as JSON, checked by the web tier, or `declined`. `question` tells all of it as well. */
export interface ClarifyAsk { question: string, choices: string[], timeoutS: number, form?: Form }
export const declined = 'decline'

/** A part of what a running call prints. It stands again in its result; what was not told by then is not told any more. */
export interface OutputPiece {
  text: string
  /**
   * So many bytes between the beginning of the output and this text are not told. As many as before: the text goes on behind
   * what was told last. More: it takes the place of everything behind the beginning.
   */
  leftOutBytes: number
}

/** How a turn ended whose answer stands and which could have gone on. */
export type GoodEnd = 'tool_limit_reached' | 'budget_exhausted'

/** What another model does for the one that answers. */
type HelperTask = RequestBody<'helper'>['slot']

/** What a model is called for during a turn beside its answer; `mcp_sampling`: an MCP server has asked the model that answers. */
export type SideTask = HelperTask | 'mcp_sampling'

export type RunEventBody =
  | { t: 'token' | 'reasoning', text: string }
  /** The text of a finished step that calls tools, which was heard as tokens. */
  | { t: 'segment', text: string }
  /** What was heard of the running step is void: another attempt answers something else, so far `text` (absent: nothing). */
  | { t: 'retracted', text?: string }
  /** One model call finished: the durable unit. `message` is what later requests replay. `usage` is null where none was made: the turn ends with words of its own. */
  | { t: 'step', message: ModelMessage, toolCalls: ToolCall[], usage: StepUsage | null, cut?: CutShort, told?: ToldUsage }
  /** With `foresight` where the call is going to be asked about and it was found out soon enough. */
  | { t: 'tool', id: string, name: string, preview: string, args: Record<string, unknown>, foresight?: Foresight }
  | {
    t: 'tool_complete', id: string, name: string, preview: string, args: Record<string, unknown>
    isError: boolean, durationS: number, result: string, replay: LanguageModelV4ToolResultPart
  }
  | { t: 'tool_output', id: string } & OutputPiece
  | { t: 'ask', askId: string, kind: 'approval', body: ApprovalAsk } & AskOrigin
  | { t: 'ask', askId: string, kind: 'clarify', body: ClarifyAsk } & AskOrigin
  | { t: 'ask_closed', askId: string, how: 'answered' | 'expired' | 'cancelled' | 'yolo' }
  /** From here on this is what the turn's message is for models; what is shown of it stays. */
  | { t: 'reworded', text: string }
  /** These steering texts have become user messages of the conversation. */
  | { t: 'steered', texts: string[] }
  | { t: 'todo', todos: TodoItem[] }
  /** The history has become too long and is being summarised. */
  | { t: 'compressing' }
  /** From here on the model sees the summary instead of everything but the last `keptRows` messages. */
  | { t: 'compressed', summary: string, keptRows: number, tokensBefore: number, tokensAfter: number, usage: StepUsage }
  | { t: 'warning', kind: string, message: string }
  /** What a model has used that has done something beside the answer: one that was named by the web tier, or the one that answers. */
  | { t: 'side_usage', slot: SideTask, provider: string, id: string, usage: StepUsage }
  /** An attempt at the running step has come to nothing, and its provider has told what it used all the same. What was heard of it stands until `retracted`. */
  | { t: 'attempt_used', usage: StepUsage }
  /** From here on another model answers, as the one before has given up; it was named by the web tier. */
  | { t: 'fallback', provider: string, id: string, message: string }
  | {
    t: 'end', state: 'done' | 'cancelled' | 'failed' | 'lost'
    usage: TurnUsage, error?: RunError, steerLeftover?: string, terminalState?: GoodEnd
  }

/** The call that asks. `beside`: the step's later calls may run while it waits. */
export interface AskOrigin { callId: string, beside: boolean, expiresAtMs: number | null }

export type RunEvent = RunEventBody & { runId: string }

/** Events of one run in their order. They are numbered per run, from 1 and without a gap; `seq` is the first one's number. */
export interface RunBatch { runId: string, generation: number, seq: number, events: RunEventBody[] }

export type ControlBody =
  | { op: 'answer', askId: string, value: string }
  /** Nobody has answered a question in its time, which whoever shows it measures. */
  | { op: 'unanswered', askId: string }
  | { op: 'steer', text: string }
  | { op: 'cancel' }
  | { op: 'yolo', on: boolean }
  /** Allowed for the rest of the session, in answer to another of its runs. */
  | { op: 'grant', patternKeys: string[] }
  /** Taken back: what asks from now on asks. */
  | { op: 'revoke', patternKeys: string[] }
export type Control = ControlBody & { controlId: string, runId: string }

export interface ControlAck {
  controlId: string
  result: 'applied' | 'stale' | 'unsupported' | 'not_running' | 'error'
  detail?: string
}

/** What a summary has made of a history. */
interface CompressedHistory { summary: string, keptRows: number, tokensBefore: number, tokensAfter: number, usage: StepUsage }

/** What became of a question that only asks whether anybody answers. */
export type ProbeResult = { ok: true, message?: string } | { ok: false, type: string, message: string }

/** Small model tasks beside the turn, and what each answers. */
export interface AuxTasks {
  title: { input: string, result: string | null }
  compress: { input: { messages: ModelMessage[], summary: string | null, focus?: string }, result: CompressedHistory | 'nothing' }
  judge: { input: { goal: string, answer: string, turns: number }, result: { verdict: 'done' | 'continue' | 'unclear', reason: string } }
  commit_message: { input: { diff: string, files: string[], truncated: boolean }, result: string | null }
  curate: { input: { name: string, text: string }, result: string | null }
  /** Whether the model answers at all. */
  probe: { input: null, result: ProbeResult }
}
export type AuxTask = keyof AuxTasks
export interface AuxRequest<T extends AuxTask = AuxTask> { requestId: string, task: T, model: ModelRef, input: AuxTasks[T]['input'] }
/** `result` is null when there was an `error`. `usage`: what the model was used for it, where it was. */
export interface AuxReply { requestId: string, result: unknown, error?: string, usage?: StepUsage }

/** Where a run stands, as its host tells: the number of its last event, and the requests that have no answer yet. */
export interface RunStanding { runId: string, generation: number, seq: number, isOver: boolean, requests: string[] }

/** Whoever gets a message of a type that it does not know leaves it. */
export type ToHost =
  | { type: 'start', spec: RunSpec }
  | { type: 'control', control: Control }
  | { type: 'aux', request: AuxRequest }
  /** Answers a `request`. */
  | { type: 'reply', reply: RunReply }
  /** A run's events up to this number are stored. */
  | { type: 'stored', runId: string, seq: number }
  /** What a run has said after this number did not arrive; it comes once more, or `missing` does. */
  | { type: 'observe', runId: string, generation: number, after: number }
  /** Asks about the MCP servers of the profile. */
  | { type: 'mcp', query: McpQuery }
  | { type: 'ping', beat: number }
/** `host` is the name of the machine that it is on, null for a program of this one; `reason` is a sentence without paths. */
export interface EndedBadly { what: 'mcp_server' | 'agent', name: string, host: string | null, code: string | null, attempts: number, reason: string }
export type FromHost =
  | { type: 'ready', v: number, pid: number }
  /** How the host can confine terminal commands; follows `ready` as soon as it has tried. */
  | { type: 'sandbox', status: SandboxStatus }
  | { type: 'events', batches: RunBatch[] }
  /** What was to be observed is not there any more. */
  | { type: 'missing', runId: string, generation: number }
  | { type: 'ack', ack: ControlAck }
  | { type: 'aux', reply: AuxReply }
  | { type: 'mcp', reply: McpReply }
  /** Tokens of MCP servers were renewed: they are to be known before anything is said that could hold them. */
  | { type: 'mcp_tokens' }
  /** An MCP server, or an agent of another maker outside of a turn, has ended in a way that nobody wanted; for the log of the service. */
  | { type: 'ended_badly', ended: EndedBadly }
  | { type: 'request', request: RunRequest }
  /** Answers the ping of that number with all runs of the host, so that both sides find out what was lost between them. */
  | { type: 'pong', beat: number, runs: RunStanding[] }

/** How much an event weighs on its way to the disk, in characters: its texts, as everything else in it is short. */
export function weightOf (event: RunEventBody): number {
  switch (event.t) {
    case 'token':
    case 'reasoning':
    case 'tool_output': return event.text.length
    case 'tool_complete': return event.result.length
    default: return 1
  }
}
