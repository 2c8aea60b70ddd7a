import { Type, type Static } from '@sinclair/typebox'
import { type ClientWishes } from './client-wishes.js'
import { loosely, nullable, text } from './forms.js'
import { type ModelRef } from './model-ref.js'
import { type RunTrace } from './span-form.js'
import { type ApprovalAsk, type ClarifyAsk, type ModelMessage, type TodoItem, type ToolCall } from './run-events.js'

export const protocolVersion = 2
/** The version for turns in plan mode: a host that does not know this mode refuses such a run instead of running it like any other. */
export const planningVersion = 3

export type RunKind = 'chat' | 'goal' | 'btw' | 'background' | 'delegate' | 'cron'
/** What happens to a turn whose model has reached its provider's limit: it waits, another model continues, or a person is asked. */
export type OnLimit = 'wait' | 'fall_back' | 'ask'
/** The tools of a run: all; all but sub-agents; or only those that read in the workspace. */
export type Toolset = 'all' | 'delegated' | 'reading'

/** A file as a client names it: by a path on the web tier's machine. */
export interface Attachment { name: string, path: string, mime: string, size: number | null, isImage: boolean }

/** A file by the name of its place and its path there. `place: null`: it is in no place of the run, and `path` is only its name. */
export interface FileReference extends Attachment { place: string | null }

/**
 * The folders of a run, by name. It works in `workspace`; the others hold uploads to its conversations, and may be read. The names mean the
 * same everywhere; each host decides where the folders are, see `machine/map-spec.ts`.
 */
export interface Places { workspace: string, [place: string]: string }

/**
 * The files in one place of a run, and the session to which it belongs. `object`: name of the file in the machine's bucket; absent: the
 * machine already has it.
 */
export interface PlacedUploads { session: string, files: Array<{ name: string, size: number, object?: string }> }

/**
 * A slash command of the workspace whose file a confined command has changed. A person is shown `content` first. If they agree, `accepted`
 * replaces the turn's message, and `records` are settled.
 */
export interface UnacceptedCommand { name: string, path: string, content: string, accepted: string, records: string[] }

/** A call without a result. `announced`: whether its `tool` event was already sent. */
type ResumedCall = ToolCall & { announced: boolean }

/** A prompt that was open when its run was interrupted. */
export interface ResumedAsk { askId: string, callId: string, expiresAtMs: number | null, body: ApprovalAsk | ClarifyAsk }

const texts = Type.Array(text)
const objects = Type.Array(Type.Object({}))
/** One token of a subject. */
const token = Type.String({ pattern: '^[A-Za-z0-9_-]{1,128}$' })

/**
 * The session of an agent in which a conversation continues, and the folder that it belongs to; the agent's own program writes there too.
 * `isShared`: whether others than the agent have answered in the conversation.
 */
export interface AttachedConversation { agent: string, session: string, folder: string, isShared: boolean }

/** Everything that a host needs to run a turn. A machine checks it against this form. */
export type RunSpec = Static<typeof runSpecForm>
export const runSpecForm = Type.Object({
  v: loosely<typeof protocolVersion | typeof planningVersion>(Type.Integer()),
  runId: token,
  sessionId: text,
  /** The conversation and the turn for which it changes files, if these are not its own. */
  writesFor: Type.Optional(Type.Object({ sessionId: text, runId: token })),
  profile: text,
  /** The machine that it works on; absent = the web tier's. */
  host: Type.Optional(loosely<string>()),
  kind: loosely<RunKind>(text),
  /** Fencing token: events of an older generation are refused by the database. */
  generation: Type.Integer(),
  /** What runs the turn: our own loop with a model, or an agent of another maker (`model.provider` is its name). */
  engine: loosely<'loop' | 'acp'>(text),
  model: loosely<ModelRef>(Type.Object({ provider: text, id: text })),
  system: texts,
  history: loosely<ModelMessage[]>(objects),
  /** Replaces the messages before `history`. */
  summary: Type.Optional(loosely<string>()),
  /** The message that starts the turn; null if it continues after a stop of the service had interrupted it. */
  input: nullable(Type.Object({ text, attachments: loosely<FileReference[]>(objects) })),
  /**
   * Set if it continues after a stop of the service: the calls of the last step that have no result yet.
   * With an `input`: no model was called before.
   */
  resume: Type.Optional(loosely<{
    calls: ResumedCall[]
    asks: ResumedAsk[]
    steers: string[]
    /** The text of a failed attempt at the current step; it remains until the next attempt replaces it. */
    heard?: { text: string, reasoning: string }
  }>()),
  /** Absent: it does not wait for a limit to pass, but ends. */
  onLimit: Type.Optional(loosely<OnLimit>()),
  places: loosely<Places>(Type.Intersect([Type.Object({ workspace: text }), Type.Record(text, text)])),
  /**
   * For another machine: the uploads. `root`: the folder with the uploads of all sessions on the web tier's machine; messages name files
   * by their paths in it.
   */
  uploads: Type.Optional(loosely<{ root: string, places: Record<string, PlacedUploads> }>()),
  /** `auto`: terminal commands run in the sandbox, if the host has one, unless a person allows them to leave it. */
  sandbox: loosely<'auto' | 'off'>(text),
  toolset: loosely<Toolset>(text),
  /** Whether a person can answer. Unattended runs are denied calls that need permission. */
  attended: Type.Boolean(),
  yolo: Type.Boolean(),
  /** Plan mode: it changes nothing, despite grants. `plan`: the document after a person's last edit, if the agent has not seen that yet. */
  planning: Type.Optional(loosely<{ plan?: { version: number, text: string } }>()),
  /** Pattern keys that are already allowed (this session's and the profile's permanent ones). */
  grants: texts,
  /** Patterns of keys that the operator always refuses. */
  denied: texts,
  /** The session's todo list after the last turn. */
  todos: loosely<TodoItem[]>(objects),
  limits: Type.Object({ steps: Type.Integer() }),
  /** Set if budgets apply to it: it asks the web tier before its first model call too, and not only before later ones. */
  budgeted: Type.Optional(loosely<true>()),
  /** How long it may take to fetch a web page. */
  pageLimitMs: Type.Optional(loosely<number | null>()),
  /** Limits of a confined command that the operator has set. */
  commandLimits: Type.Optional(loosely<{ memoryBytes?: number, processes?: number }>()),
  /**
   * Set if a confined command has changed the workspace's rules: `system` has the old text. A person is asked first, if the run is
   * attended. If they agree, `accepted` replaces `system`, and `records` are settled.
   */
  changedRules: Type.Optional(loosely<{ records: string[], diff: string, accepted: string[] }>()),
  /** Set by services that look up a call in its announcement: `tool_complete` then has only what is new. Absent in earlier releases. */
  briefResults: Type.Optional(loosely<true>()),
  /** Set if `input` is a slash command that a person has to accept first, if the run is attended. */
  unacceptedCommand: Type.Optional(loosely<UnacceptedCommand>()),
  /** Set if the turn is traced: it has to report its spans. */
  trace: Type.Optional(loosely<RunTrace>()),
  /** Set if the turn continues in the session of an agent: only with that agent, or not at all. */
  attached: Type.Optional(loosely<AttachedConversation>(Type.Object({}))),
  /** Absent: the client that sent the message wants an answer in words, by the agent's own means. */
  client: Type.Optional(loosely<ClientWishes>(Type.Object({}))),
  /** Seconds until an unanswered prompt expires; 0 = never. */
  clarifyTimeoutS: Type.Number(),
  approvalTimeoutS: Type.Number(),
  /** Decides when the history is summarised: tokens that the context held last, and the number from which it is too large. */
  context: loosely<{ tokens: number | null, thresholdTokens: number | null }>(Type.Object({}))
})
