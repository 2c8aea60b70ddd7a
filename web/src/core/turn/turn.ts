import { type Wire } from '../service/api.js'
import { type CallOutput } from './call-output.js'

// The shape of one exchange: the person's message and the agent's work. Stored messages and live frames are folded into the same shape
// (turn-stored.ts, turn-live.ts), so that an ended turn looks as it did while it ran.

/** A file of a message. Without a `path`, another client only named it, and it cannot be opened. */
export interface Attachment { name: string, path: string | null, mime: string, sizeBytes: number | null, isImage: boolean }

export interface UserMessage {
  /** Null until the service has told it. */
  messageId: string | null
  /** Index in the transcript; null until the service has told it. */
  index: number | null
  text: string
  attachments: readonly Attachment[]
  /** Its origin, such as `goal` or `cron`; null for one that was typed. */
  source: string | null
  atS: number | null
  /** `stored` once the service has stored it. */
  state: 'sending' | 'stored'
}

export interface TextPart {
  kind: 'text'
  key: string
  /** Markdown. */
  text: string
  /** Whether more of it is arriving. */
  isOpen: boolean
  /** Whether a stop or a crash cut it off. */
  isPartial: boolean
  /** Why it is incomplete (`length`, `content_filter` or `budget_exhausted`), and what to do about it; null if it is complete. */
  cut: { reason: string, hint: string | null } | null
}

interface ReasoningPart { kind: 'reasoning', key: string, text: string, isOpen: boolean }

export type CallState = 'waiting' | 'running' | 'done' | 'failed' | 'abandoned'

export interface CallPart {
  kind: 'call'
  key: string
  id: string
  name: string
  args: Readonly<Record<string, unknown>>
  /** The tool's description of what it does; only frames contain it. */
  preview: string | null
  /** Its output so far; null before there is any, and once it has a result. */
  output: CallOutput | null
  /** Its result, or the beginning of it; null without one. */
  result: string | null
  /** Whether the transcript has more of the result. */
  resultTruncated: boolean
  durationS: number | null
  state: CallState
  /** When its frame reached this window; null for a stored one. */
  startedAtS: number | null
  /** Its expected effects, from the approval request; null if no approval was requested. */
  foresight: Foresight | null
}

export type Foresight = Pick<Wire<'ToolStarted'>, 'file' | 'diff' | 'diff_truncated' | 'diff_note' | 'diff_note_reason' | 'job_change' | 'command_parts' | 'command_parts_truncated'
  | 'folder' | 'sandboxed' | 'limited_by' | 'request'>

/** A note of the person for the working agent. `isTaken`: the agent has read it. */
export interface NotePart { kind: 'note', key: string, text: string, isTaken: boolean }

/** An event that the transcript does not contain. `type`: that of the warning, or `compressing`, `compressed`, `state_saved`. */
export interface EventPart {
  kind: 'event'
  key: string
  type: string
  text: string
  /** The content of `text` as a code; null if the service has none for it. */
  reason: Wire<'Reason'> | null
  saved: Wire<'StateSaved'> | null
}

export type Part = TextPart | ReasoningPart | CallPart | NotePart | EventPart

export type TurnState = 'sending' | 'running' | 'completed' | 'cancelled' | 'interrupted' | 'failed'

/**
 * A failure. `type` is that of the frame `apperror`; null for one that was read from the transcript. `about`: what its message names, if
 * that is the usual sentence of its type.
 */
export interface Problem {
  label: string | null, message: string, hint: string | null, type: string | null, about?: { provider: string, model?: string } | undefined
}

/** One exchange, as plain values that never change. */
export interface Turn {
  /** The ids of its rows, as far as they are loaded. */
  messageIds: readonly string[]
  /** Its first index in the transcript, and the first index of the next turn; null while unknown. */
  firstIndex: number | null
  endIndex: number | null
  /** Null if the agent spoke first, or the message is on an earlier page. */
  user: UserMessage | null
  /** Whether it begins on an earlier page. */
  isCut: boolean
  parts: readonly Part[]
  state: TurnState
  startedAtS: number | null
  durationS: number | null
  model: string | null
  problem: Problem | null
  /**
   * Set while it waits for a provider's limit. It resumes at `resumesAtS`; null: when the person resumes it. `problem`: the service's
   * reason why it could not resume on time; null: the limit.
   */
  parked: { provider: string, resumesAtS: number | null, problem: string | null } | null
  /** Tokens per second, current or final. */
  tokensPerSecond: number | null
  /** The checkpoint from before the turn wrote to the folder; only frames contain it. */
  checkpoint: { id: string, state: string, reason: string | null } | null
  /** What the model knows instead of earlier messages, the last of which is in this turn. */
  summary: string | null
}

export const emptyTurn: Turn = {
  messageIds: [],
  firstIndex: null,
  endIndex: null,
  user: null,
  isCut: false,
  parts: [],
  state: 'completed',
  startedAtS: null,
  durationS: null,
  model: null,
  problem: null,
  parked: null,
  tokensPerSecond: null,
  checkpoint: null,
  summary: null
}

/** Whether the turn is still in progress. */
export const isOngoing = (state: TurnState): boolean => state === 'sending' || state === 'running'

/** The numbers of "9 steps, 2 files read, 1 command, 41 s". */
export interface WorkSummary {
  steps: number
  filesRead: number
  filesChanged: number
  commands: number
  searches: number
  pages: number
  plans: number
  failed: number
  notes: number
  hasReasoning: boolean
  seconds: number | null
}

const reads = new Set(['read_file'])
const changes = new Set(['write_file', 'edit_file'])
const searches = new Set(['search_files', 'list_files', 'session_search'])

/** Summarises the agent's work. A file counts once, however often it was read or changed. */
export function workOf ({ parts, durationS }: Pick<Turn, 'parts' | 'durationS'>): WorkSummary {
  const calls = parts.filter((part) => part.kind === 'call')
  const done = calls.filter(({ state }) => state === 'done')
  const files = (names: ReadonlySet<string>): number =>
    new Set(done.filter(({ name }) => names.has(name)).map(({ args, foresight, id }) => foresight?.file ?? args.path ?? id)).size
  const count = (isOne: (name: string) => boolean): number => done.filter(({ name }) => isOne(name)).length
  return {
    steps: calls.length,
    filesRead: files(reads),
    filesChanged: files(changes),
    commands: calls.filter(({ name, state }) => name === 'terminal' && (state === 'done' || state === 'failed')).length,
    searches: count((name) => searches.has(name)),
    pages: count((name) => name === 'web_fetch'),
    plans: count((name) => name === 'write_plan'),
    failed: calls.filter(({ state }) => state === 'failed').length,
    notes: parts.filter(({ kind }) => kind === 'note').length,
    hasReasoning: parts.some(({ kind }) => kind === 'reasoning'),
    seconds: durationS
  }
}

/** Returns the readable part of a message's content. */
export function textOf (content: string | ReadonlyArray<string | Readonly<Record<string, unknown>>>): string {
  if (typeof content === 'string') return content
  return content.map((part) => typeof part === 'string' ? part : typeof part.text === 'string' ? part.text : '').filter((text) =>
    text !== '').join('\n')
}
