import { Type, type Static } from '@sinclair/typebox'
import { type ClientWishes } from './client-wishes.js'
import { loosely, nullable, text } from './forms.js'
import { type ModelRef } from './model-ref.js'
import { type RunTrace } from './said-span.js'
import { type ApprovalAsk, type ClarifyAsk, type ModelMessage, type TodoItem, type ToolCall } from './run-events.js'

export const protocolVersion = 2
/** The version for turns in plan mode: a host that does not know the mode refuses such a run instead of running it like any other. */
export const planningVersion = 3

export type RunKind = 'chat' | 'goal' | 'btw' | 'background' | 'delegate' | 'cron'
/** What becomes of a turn whose model is at its provider's limit: it waits, another model goes on, or a person is asked. */
export type OnLimit = 'wait' | 'fall_back' | 'ask'
/** What a run may use: everything; everything but sub-agents of its own; or only what reads inside the workspace. */
export type Toolset = 'all' | 'delegated' | 'reading'

/** A file as a client names it: by a path on the machine of the web tier. */
export interface Attachment { name: string, path: string, mime: string, size: number | null, isImage: boolean }

/** A file by the name of its place and its path there. `place: null`: it lies in no place of the run; `path` only names it. */
export interface FileReference extends Attachment { place: string | null }

/**
 * The folders of a run, by name. `workspace` is where it works; the others hold what was uploaded to its conversations, and
 * may be read. What they are called means the same everywhere; where they lie is for a host to say, see `machine/places.ts`.
 */
export interface Places { workspace: string, [place: string]: string }

/**
 * What one place of a run holds, and the session whose it is. `object`: under this name a file lies in the bucket of
 * the machine; absent: the machine has it.
 */
export interface PlacedUploads { session: string, files: Array<{ name: string, size: number, object?: string }> }

/**
 * A command of the workspace whose file was changed by a confined command. A person is shown `content` first; when they agree, `accepted`
 * is read in the place of the turn's message from then on, and `records` are settled by that.
 */
export interface UnacceptedCommand { name: string, path: string, content: string, accepted: string, records: string[] }

/** A call without a result; `announced`: its `tool` event was sent before. */
type ResumedCall = ToolCall & { announced: boolean }

/** A prompt that was open when its run was interrupted. */
export interface ResumedAsk { askId: string, callId: string, expiresAtMs: number | null, body: ApprovalAsk | ClarifyAsk }

const texts = Type.Array(text)
const objects = Type.Array(Type.Object({}))
/** One token of a subject. */
const token = Type.String({ pattern: '^[A-Za-z0-9_-]{1,128}$' })

/**
 * The session of an agent that a conversation goes on in, and the folder it belongs to; the agent's own program writes there as well.
 * `isShared`: others than the agent have answered in the conversation.
 */
export interface AttachedConversation { agent: string, session: string, folder: string, isShared: boolean }

/** Everything a host needs to run a turn, self-contained. A machine holds it against this form. */
export type RunSpec = Static<typeof runSpecForm>
export const runSpecForm = Type.Object({
  v: loosely<typeof protocolVersion | typeof planningVersion>(Type.Integer()),
  runId: token,
  sessionId: text,
  /** The conversation and the turn that it changes files for, where these are not its own. */
  writesFor: Type.Optional(Type.Object({ sessionId: text, runId: token })),
  profile: text,
  /** The machine that it works on; absent: the one of the web tier. */
  host: Type.Optional(loosely<string>()),
  kind: loosely<RunKind>(text),
  /** Fencing token: events of an older generation are refused by the database. */
  generation: Type.Integer(),
  /** Who does the turn: our own loop with a model, or an agent of another maker (`model.provider` is its name). */
  engine: loosely<'loop' | 'acp'>(text),
  model: loosely<ModelRef>(Type.Object({ provider: text, id: text })),
  system: texts,
  history: loosely<ModelMessage[]>(objects),
  /** Stands for what came before `history`. */
  summary: Type.Optional(loosely<string>()),
  /** What starts the turn; null when it goes on where a stop of the service had interrupted it. */
  input: nullable(Type.Object({ text, attachments: loosely<FileReference[]>(objects) })),
  /**
   * It goes on after a stop of the service: the calls of the last step that have no result yet.
   * With an `input`: no model was called before.
   */
  resume: Type.Optional(loosely<{
    calls: ResumedCall[]
    asks: ResumedAsk[]
    steers: string[]
    /** What an attempt at the running step had said before it failed; it stands until the next one says something else. */
    heard?: { text: string, reasoning: string }
  }>()),
  /** Absent: it waits for no limit, but ends with it. */
  onLimit: Type.Optional(loosely<OnLimit>()),
  places: loosely<Places>(Type.Intersect([Type.Object({ workspace: text }), Type.Record(text, text)])),
  /**
   * For another machine: what was uploaded. `root`: the folder that has that of every session where
   * the web tier is; messages name files by it.
   */
  uploads: Type.Optional(loosely<{ root: string, places: Record<string, PlacedUploads> }>()),
  /** `auto`: terminal commands run confined, where the host can do that, unless they are let out. */
  sandbox: loosely<'auto' | 'off'>(text),
  toolset: loosely<Toolset>(text),
  /** Somebody watches and can answer. Unattended runs are denied what they would have to ask for. */
  attended: Type.Boolean(),
  yolo: Type.Boolean(),
  /** Plan mode: it changes nothing, whatever is granted. `plan`: the document as a person has left it, if the agent has not seen that. */
  planning: Type.Optional(loosely<{ plan?: { version: number, text: string } }>()),
  /** Pattern keys that are already allowed (this session's and the profile's permanent ones). */
  grants: texts,
  /** Patterns of keys that the operator refuses for good. */
  denied: texts,
  /** The session's todo list as the last turn left it. */
  todos: loosely<TodoItem[]>(objects),
  limits: Type.Object({ steps: Type.Integer() }),
  /** Budgets hold for it: it asks the web tier also before its first model call, and not only before later ones. */
  budgeted: Type.Optional(loosely<true>()),
  /** How long a web page may take to be fetched. */
  pageLimitMs: Type.Optional(loosely<number | null>()),
  /** What a confined command may use, where the operator has set it. */
  commandLimits: Type.Optional(loosely<{ memoryBytes?: number, processes?: number }>()),
  /**
   * The workspace's rules were changed by a confined command: `system` holds the text of before. A person is asked first,
   * where there is one; `accepted` stands in the place of `system` when they agree, and `records` are settled by that.
   */
  changedRules: Type.Optional(loosely<{ records: string[], diff: string, accepted: string[] }>()),
  /** The command that `input` stands for is asked about first, where there is somebody. */
  unacceptedCommand: Type.Optional(loosely<UnacceptedCommand>()),
  /** The turn is traced: it is to tell of its spans. */
  trace: Type.Optional(loosely<RunTrace>()),
  /** Only with the agent that it names: it goes on there, or not at all. */
  attached: Type.Optional(loosely<AttachedConversation>(Type.Object({}))),
  /** Absent: whoever has sent the message wants an answer in words, by the agent's own means. */
  client: Type.Optional(loosely<ClientWishes>(Type.Object({}))),
  /** Seconds until an unanswered prompt expires; 0 = never. */
  clarifyTimeoutS: Type.Number(),
  approvalTimeoutS: Type.Number(),
  /** When the history is summarised: what the context held at last, and from how many tokens on it is too much. */
  context: loosely<{ tokens: number | null, thresholdTokens: number | null }>(Type.Object({}))
})
