import { type Database } from '../database/index.js'
import { messageId as newMessageId } from '../ids.js'
import { type SessionRow } from './rows.js'

/** A message on its way into the transcript. `fields` are the wire's keys beyond role, content, ids and times. */
export interface NewMessage {
  role: 'user' | 'assistant' | 'tool'
  content: string
  fields?: Record<string, unknown>
  /** What later requests show the model for this row, as an AI SDK message; absent = nothing. */
  replay?: unknown
  /** Tool rows: entry of the session-level `tool_calls`, and where their call stands. */
  card?: Record<string, unknown>
  assistantPosition?: number
  streamId?: string
  /** Partial rows without text do not count for windows. */
  counted?: boolean
  messageId?: string
}

export interface StoredMessage { messageId: string, position: number }

/** The last `limit` counted rows before position `before`; without a limit, everything before it. */
export interface Window { limit?: number, before?: number }

export interface TranscriptSlice {
  /** Message objects of the wire, as JSON text each. */
  messages: string[]
  /** Entries of `tool_calls` that belong to these rows, as JSON text each. */
  toolCalls: string[]
  /** Position of the first row. */
  offset: number
}

export const windowLimit = 500
const windowedToolContentChars = 4_096

interface Row { position: number, role: string, messageId: string, body: string, card: string | null, assistantPosition: number | null }

/** Reads and appends the rows of transcripts; nothing here parses a message it only passes on. */
export function createTranscript (db: Database) {
  const { sqlite } = db
  const advance = sqlite.prepare<[number, number, number, string], { position: number }>(
    `update sessions set message_count = message_count + 1, user_message_count = user_message_count + ?,
       last_message_at = ?, updated_at = ? where id = ? returning message_count - 1 as position`)
  const insert = sqlite.prepare(
    `insert into messages (session_id, position, message_id, role, counted, body, card, assistant_position, replay, stream_id, created_at)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const between = sqlite.prepare<[string, number, number], Row>(
    `select position, role, message_id as messageId, body, card, assistant_position as assistantPosition
     from messages where session_id = ? and position >= ? and position < ? order by position`)
  const bodies = sqlite.prepare<[string, number], string>('select body from messages where session_id = ? and position < ? order by position').pluck()
  const cards = sqlite.prepare<[string, number], string>('select card from messages where session_id = ? and position < ? and card is not null order by position').pluck()
  const nthCounted = sqlite.prepare<[string, number, number], { position: number }>(
    'select position from messages where session_id = ? and counted = 1 and position < ? order by position desc limit 1 offset ?')
  const firstCounted = sqlite.prepare<[string, number], { position: number | null }>(
    'select min(position) as position from messages where session_id = ? and counted = 1 and position < ?')
  const replays = sqlite.prepare<[string, number], { replay: string }>(
    'select replay from messages where session_id = ? and position >= ? and replay is not null order by position')
  const anchor = sqlite.prepare<[string], { summary: string | null, before: number | null }>(
    'select compression_summary as summary, compressed_before as before from sessions where id = ?')
  const nthReplay = sqlite.prepare<[string, number], { position: number }>(
    'select position from messages where session_id = ? and replay is not null order by position desc limit 1 offset ?')
  const setAnchor = sqlite.prepare('update sessions set compression_summary = ?, compressed_before = ?, last_prompt_tokens = ? where id = ?')
  const lastCounted = sqlite.prepare<[string, number], { body: string, index: number }>(
    `select body, (select count(*) from messages as earlier where earlier.session_id = messages.session_id and counted = 1 and earlier.position < messages.position) as "index"
     from messages where session_id = ? and counted = 1 and position < ? order by position desc limit 1`)

  /** Where a window of `limit` counted rows before `before` begins. */
  function windowStart (sessionId: string, limit: number, before: number): number {
    const exact = nthCounted.get(sessionId, before, limit - 1)
    if (exact !== undefined) return exact.position
    // Fewer counted rows than asked for: everything, unless there is none at all; then the last raw rows.
    return firstCounted.get(sessionId, before)?.position == null ? Math.max(0, before - limit) : 0
  }

  return {
    /** Appends a row inside the caller's transaction and counts it in its session. */
    append (sessionId: string, nowS: number, message: NewMessage): StoredMessage {
      const { position } = advance.get(message.role === 'user' ? 1 : 0, nowS, nowS, sessionId)!
      const id = message.messageId ?? newMessageId()
      const body = JSON.stringify({
        role: message.role, content: message.content, message_id: id, timestamp: nowS, _ts: nowS, ...message.fields
      })
      insert.run(sessionId, position, id, message.role, (message.counted ?? message.role !== 'tool') ? 1 : 0, body,
        message.card === undefined ? null : JSON.stringify(message.card), message.assistantPosition ?? null,
        message.replay === undefined ? null : JSON.stringify(message.replay), message.streamId ?? null, nowS)
      return { messageId: id, position }
    },

    /** Rows for a detail answer. `total` is the session's message count. */
    slice (sessionId: string, total: number, { limit, before }: Window, activeUserMessageId: string | null): TranscriptSlice {
      const end = Math.min(Math.max(0, before ?? total), total)
      const windowed = limit !== undefined
      // The usual whole transcript: its texts as they are, without a look at any other column.
      if (!windowed && activeUserMessageId === null) return { messages: bodies.all(sessionId, end), toolCalls: cards.all(sessionId, end), offset: 0 }
      const offset = windowed ? windowStart(sessionId, limit, end) : 0
      const messages: string[] = []
      const toolCalls: string[] = []
      for (const row of between.iterate(sessionId, offset, end)) {
        // A tool row whose call stands before the window has lost its card there.
        if (windowed && row.role === 'tool' && row.assistantPosition !== null && row.assistantPosition < offset) continue
        if (row.card !== null) toolCalls.push(row.card)
        let body = row.body
        if (windowed && row.role === 'tool' && body.length > windowedToolContentChars) body = shortened(body)
        if (row.messageId === activeUserMessageId) body = `{"_active_turn_user":true,${body.slice(1)}`
        messages.push(body)
      }
      return { messages, toolCalls, offset }
    },

    /** The conversation as the model is shown it: a summary of what lies back, if there is one, and the messages since. */
    history (sessionId: string): { messages: unknown[], summary: string | null } {
      const { summary, before } = anchor.get(sessionId)!
      return { messages: replays.all(sessionId, before ?? 0).map((row) => JSON.parse(row.replay)), summary }
    },

    /**
     * From now on the model sees `summary` instead of everything but the last `keptRows` messages that it is shown. No row is
     * removed. `contextTokens`: what the context holds then. Inside the caller's transaction.
     */
    compress (sessionId: string, { summary, keptRows, contextTokens }: { summary: string, keptRows: number, contextTokens: number }): void {
      const first = keptRows === 0 ? undefined : nthReplay.get(sessionId, keptRows - 1)
      const before = first?.position ?? (keptRows === 0 ? (nthReplay.get(sessionId, 0)?.position ?? -1) + 1 : 0)
      setAnchor.run(summary, before, contextTokens, sessionId)
    },

    /** Keys of the session object that say where the summary ends: the last message that the model sees only through it. */
    compressionAnchor ({ id, compressionSummary: summary, compressedBefore: before }: Pick<SessionRow, 'id' | 'compressionSummary' | 'compressedBefore'>) {
      const last = before === null ? undefined : lastCounted.get(id, before)
      return {
        compression_anchor_visible_idx: last?.index ?? null,
        compression_anchor_message_key: last === undefined ? null : messageKey(JSON.parse(last.body) as AnchorMessage),
        compression_anchor_summary: summary
      }
    }
  }
}

export type Transcript = ReturnType<typeof createTranscript>

function shortened (body: string): string {
  const message = JSON.parse(body) as { content: string }
  if (message.content.length <= windowedToolContentChars) return body
  return JSON.stringify({ ...message, content: `${message.content.slice(0, windowedToolContentChars)}\n… (shortened here; the whole result is in the full transcript)` })
}

interface AnchorMessage { role: string, timestamp?: number, content: unknown, attachments?: unknown[] }

function messageKey ({ role, timestamp, content, attachments = [] }: AnchorMessage) {
  const text = typeof content === 'string' ? content.replaceAll(/\s+/g, ' ').trim().slice(0, 160) : ''
  return { role, ts: timestamp ?? null, text, attachments: attachments.length }
}
