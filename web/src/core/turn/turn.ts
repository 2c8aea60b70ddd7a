import { type Wire } from '../service/api.js'
import { type CallOutput } from './call-output.js'

// The shape of one exchange: what the person said, and what came of it. Stored messages and live frames are folded into the
// same shape (turn-stored.ts, turn-live.ts), so that a turn which has ended looks as it did while it ran.

/** A file that went with a message. Without a `path` another client has only named it, and it cannot be opened. */
export interface Attachment { name: string, path: string | null, mime: string, sizeBytes: number | null, isImage: boolean }

export interface UserMessage {
  /** Null until the service has told it. */
  messageId: string | null
  /** Place in the whole transcript; null until the service has told it. */
  index: number | null
  text: string
  attachments: readonly Attachment[]
  /** Why it was not typed as a message, such as `goal` or `cron`; null for one that was. */
  source: string | null
  atS: number | null
  /** A message is sent when the service has stored it, not before. */
  state: 'sending' | 'stored'
}

export interface TextPart {
  kind: 'text'
  key: string
  /** Markdown. */
  text: string
  /** More of it is being heard. */
  isOpen: boolean
  /** It was broken off by a stop or a crash. */
  isPartial: boolean
  /** Why it is not whole: `length`, `content_filter` or `budget_exhausted`, and what to do about it. */
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
  /** What it does, in the words of the tool; only frames tell it. */
  preview: string | null
  /** What it has printed so far; null where it has printed nothing yet, or its result tells. */
  output: CallOutput | null
  /** Its result, or the beginning of it; null while there is none. */
  result: string | null
  /** The transcript has more of the result. */
  resultTruncated: boolean
  durationS: number | null
  state: CallState
  /** When its frame came to this window; null for what was read from the transcript. */
  startedAtS: number | null
  /** What it would do, as the question about it said; null where nobody was asked. */
  foresight: Foresight | null
}

export type Foresight = Pick<Wire<'ToolStarted'>, 'file' | 'diff' | 'diff_truncated' | 'diff_note' | 'command_parts' | 'command_parts_truncated' | 'folder' | 'sandboxed' | 'request'>

/** What the person added while the agent worked. `isTaken`: the agent has read it. */
export interface NotePart { kind: 'note', key: string, text: string, isTaken: boolean }

/**
 * Something that happened on the way and that no transcript keeps: `type` is that of the warning, or
 * `compressing`, `compressed`, `state_saved`.
 */
export interface EventPart { kind: 'event', key: string, type: string, text: string, saved: Wire<'StateSaved'> | null }

export type Part = TextPart | ReasoningPart | CallPart | NotePart | EventPart

export type TurnState = 'sending' | 'running' | 'completed' | 'cancelled' | 'interrupted' | 'failed'

/** What went wrong. `type` is that of the frame `apperror`, null for what was read from the transcript. */
export interface Problem { label: string | null, message: string, hint: string | null, type: string | null }

/** One exchange, as plain values that never change. */
export interface Turn {
  /** Ids of its rows, as far as they are known here. */
  messageIds: readonly string[]
  /** Where it begins in the whole transcript and where the next one does; null while that is not known. */
  firstIndex: number | null
  endIndex: number | null
  /** Null where the agent spoke first, and where the message is further up. */
  user: UserMessage | null
  /** It begins on an earlier page. */
  isCut: boolean
  parts: readonly Part[]
  state: TurnState
  startedAtS: number | null
  durationS: number | null
  model: string | null
  problem: Problem | null
  /** The tokens per second, now or in the end. */
  tokensPerSecond: number | null
  /** How the folder was before the turn wrote to it; only frames tell it. */
  checkpoint: { id: string, state: string, reason: string | null } | null
  /** Everything up to `afterParts` of its parts (and all before) is known to the model by this summary alone. */
  summary: { text: string, afterParts: number } | null
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
  tokensPerSecond: null,
  checkpoint: null,
  summary: null
}

/** Whether more of it is to come. */
export const isOngoing = (state: TurnState): boolean => state === 'sending' || state === 'running'

/** The numbers behind "9 steps, 2 files read, 1 command, 41 s". */
export interface WorkSummary {
  steps: number
  filesRead: number
  filesChanged: number
  commands: number
  searches: number
  pages: number
  failed: number
  notes: number
  hasReasoning: boolean
  seconds: number | null
}

const reads = new Set(['read_file'])
const changes = new Set(['write_file', 'edit_file'])
const searches = new Set(['search_files', 'list_files', 'session_search'])

/** What the agent did besides speaking. A file counts once, however often it was read or changed. */
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
    failed: calls.filter(({ state }) => state === 'failed').length,
    notes: parts.filter(({ kind }) => kind === 'note').length,
    hasReasoning: parts.some(({ kind }) => kind === 'reasoning'),
    seconds: durationS
  }
}

/** The readable part of a message's content. */
export function textOf (content: string | ReadonlyArray<string | Readonly<Record<string, unknown>>>): string {
  if (typeof content === 'string') return content
  return content.map((part) => typeof part === 'string' ? part : typeof part.text === 'string' ? part.text : '').filter((text) =>
    text !== '').join('\n')
}
