import { createPace } from '../../ground/concurrency/pace.js'
import { type Database } from '../../ground/database/index.js'
import { mayHoldHalves, wholeCharacters } from '../../ground/text/json.js'
import { jsonBytes } from '../../ground/text/json-ahead.js'
import { messageId as newMessageId, messageIds } from '../../ground/ids.js'
import { redactDeep } from '../../ground/redaction/index.js'
import { present } from '../../ground/present.js'
import { type Cuts } from './cuts.js'
import { type AnswerCache } from './detail-cache.js'
import { type MessageFields, type WireCard, type WireMessage } from './message-fields.js'
import { type MessageRows, type NewMessageRow } from './message-rows.js'
import { lastSaid, saidIn, type Said } from './preview.js'
import { type ReadableRows } from './readable-rows.js'
import { type SessionRows } from './session-rows.js'

/** A message to be appended to the transcript. */
export interface NewMessage {
  role: 'user' | 'assistant' | 'tool'
  content: string
  fields?: MessageFields
  /** What later requests show the model for this row, as an AI SDK message; absent = nothing. */
  replay?: unknown
  /** Tool rows: their entry of the session-level `tool_calls`, and the position of their call. */
  card?: WireCard
  assistantPosition?: number
  streamId?: string
  /** Partial rows without text do not count for windows. */
  counted?: boolean
  messageId?: string
}

export interface StoredMessage { messageId: string, position: number }

/** A row that is stored as given: from an import, or from another front end's session. */
export interface RawMessage {
  role: string
  counted: boolean
  /** The message object of the wire; its `message_id` is replaced by a new one. */
  body: Omit<WireMessage, 'message_id'>
  card?: WireCard
  assistantPosition?: number
  replay?: unknown
  createdAtS: number
}

export interface TranscriptParts {
  db: Database
  /** Whole transcripts by session; see createTranscript. */
  wholes: AnswerCache
  rows: MessageRows
  readable: ReadableRows
  cuts: Cuts
  sessions: SessionRows
}

/** How many rows are counted without a pause. */
const countedAtOnce = 4_096

/** Writes to the messages of sessions. All of it runs inside the caller's transaction. */
export function createTranscriptWrites ({ rows, readable, cuts, sessions }: Omit<TranscriptParts, 'db' | 'wholes'>) {
  return {
    /** Appends a row and counts it in its session. */
    append (sessionId: string, nowS: number, message: NewMessage): StoredMessage {
      const position = sessions.advance(sessionId, message.role === 'user', nowS)
      cuts.makeRoom(sessionId, position, nowS)
      const messageId = message.messageId ?? newMessageId()
      const { role, content, fields, card, assistantPosition, replay, streamId } = message
      const { row, said } = rowOf({
        role, card, assistantPosition, replay, messageId, streamId,
        counted: message.counted ?? role !== 'tool',
        body: { role, content, message_id: messageId, timestamp: nowS, _ts: nowS, ...fields },
        createdAtS: nowS
      })
      rows.insert(sessionId, position, [row])
      if (said !== null) sessions.setLastSaid(sessionId, said)
      return { messageId, position }
    },

    /** Replaces what models read of the message that began a turn; what people are shown stays the same. */
    reword (sessionId: string, streamId: string, replay: unknown): void {
      rows.reword(sessionId, streamId, JSON.stringify(replay))
    },

    /** Stores rows as given from position `from` on. They have to be counted afterwards. */
    fill (sessionId: string, raw: RawMessage[], from = 0): void {
      readable.forget(sessionId)
      const ids = messageIds(raw.length)
      rows.insert(sessionId, from, raw.map((row, index) => {
        const messageId = present(ids[index], 'the id of a message')
        return rowOf({ ...row, messageId, body: { ...row.body, message_id: messageId } }).row
      }))
    },

    /**
     * Copies rows of one session to the same positions of another, with new ids, and with the paths of attachments changed to those of the
     * other session. They have to be counted afterwards.
     */
    copy (from: string, to: string, start: number, end: number): void {
      readable.forget(to)
      rows.copy({ from, to, start, end, old: `/attachments/${from}/`, new: `/attachments/${to}/` })
    },

    /** Counts the messages of people with pauses; the rows must not change meanwhile. */
    questions: (sessionId: string): Promise<number> => countQuestions(rows, sessionId),

    /** Sets the counters of a session and its last message from its rows. `questions`: the result of that count, if known. */
    count (sessionId: string, questions: number | null = null): void {
      sessions.recount(sessionId, questions)
      sessions.setLastSaid(sessionId, lastSaid(rows, sessionId))
    },

    /** Removes a few of the last rows of a session that is about to be deleted. Returns false when none is left. */
    trim (sessionId: string, limit: number): boolean {
      readable.forget(sessionId)
      return rows.trim(sessionId, limit)
    },

    mergeWhileAdding: rows.mergeWhileAdding,
    mergeIndex: rows.mergeIndex,

    /** Frees a little of the space that removed rows take in the search index. Returns false when nothing is left to free. */
    reclaim (): boolean {
      return rows.reclaim()
    },

    /**
     * Removes everything from position `keep` on, and a summary that reaches beyond it. Many rows are hidden at once and removed later; see
     * createCuts.
     */
    truncate (sessionId: string, keep: number, nowS: number): void {
      sessions.countCut(sessionId, keep)
      cuts.begin(sessionId, keep, nowS)
      readable.forget(sessionId)
      sessions.setLastSaid(sessionId, lastSaid(rows, sessionId, keep))
      sessions.dropSummary(sessionId, keep)
    }
  }
}

type Written = Omit<RawMessage, 'body'> & { body: WireMessage, messageId: string, streamId?: string | undefined }

/** Returns a message as it is stored, and the beginning of its text: null unless a person or the assistant says something in it. */
function rowOf (message: Written): { row: NewMessageRow, said: Said | null } {
  const body = jsonBytes(message.body)
  const card = message.card === undefined ? null : jsonBytes(message.card)
  const replay = message.replay == null ? null : jsonBytes(message.replay)
  if ([body, card, replay].some((json) => typeof json === 'string' && mayHoldHalves(json))) {
    const whole = wholeCharacters(message)
    if (whole !== message) return rowOf(whole)
  }
  const clean = redactDeep(message.body)
  return {
    row: {
      messageId: message.messageId,
      role: message.role,
      counted: message.counted,
      body,
      redactedBody: clean === message.body ? null : jsonBytes(clean),
      card,
      redactedCard: message.card === undefined ? null : masked(message.card),
      assistantPosition: message.assistantPosition ?? null,
      replay,
      streamId: message.streamId ?? null,
      createdAtS: message.createdAtS
    },
    said: message.role === 'user' || message.role === 'assistant' ? saidIn(message.body, clean) : null
  }
}

async function countQuestions (rows: MessageRows, sessionId: string): Promise<number> {
  const pace = createPace()
  const end = rows.length(sessionId)
  let questions = 0
  for (let from = 0; from < end; from += countedAtOnce) {
    questions += rows.questions(sessionId, from, Math.min(from + countedAtOnce, end))
    await pace()
  }
  return questions
}

/** Returns the JSON text with credentials masked; null if it has none. */
function masked (value: Record<string, unknown>): string | Buffer | null {
  const clean = redactDeep(value)
  return clean === value ? null : jsonBytes(clean)
}
