import { type Statement } from 'better-sqlite3'
import { type Database } from '../ground/database/index.js'
import { messageId as newMessageId } from '../ground/ids.js'
import { redact, redactDeep } from '../ground/redaction/index.js'
import { type SessionRow } from './rows.js'
import { createUnreadable, largestRowBytes } from './unreadable.js'

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

/** Which text of a row is read. */
export type Variant = 'masked' | 'plain'

const nothing = Buffer.alloc(0)
const rowsAtOnce = 200
export const windowLimit = 500
const windowedToolContentChars = 4_096

/** A row that is stored as it is: of an import, or of another front end's session. */
export interface RawMessage {
  role: string
  counted: boolean
  /** The message object of the wire; its `message_id` is replaced by one of our own. */
  body: Record<string, unknown>
  card?: Record<string, unknown>
  assistantPosition?: number
  replay?: unknown
  createdAtS: number
}

interface Row { position: number, role: string, messageId: string, body: string, card: string | null, assistantPosition: number | null }

/** Reads and appends the rows of transcripts; nothing here parses a message it only passes on. */
export function createTranscript (db: Database) {
  const { sqlite } = db
  const unreadable = createUnreadable(db)
  const advance = sqlite.prepare<[number, number, number, string], { position: number }>(
    `update sessions set message_count = message_count + 1, user_message_count = user_message_count + ?,
       last_message_at = ?, updated_at = ? where id = ? returning message_count - 1 as position`)
  const insert = sqlite.prepare(
    `insert into messages (session_id, position, message_id, role, counted, body, redacted_body, card, redacted_card, assistant_position, replay, stream_id, created_at)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const copy = sqlite.prepare(
    `with fresh as materialized (select *, lower(hex(randomblob(10))) as fresh_id from messages where session_id = @from and position >= @start and position < @end)
     insert into messages (session_id, position, message_id, role, counted, body, redacted_body, card, redacted_card, assistant_position, replay, stream_id, created_at)
     select @to, position, fresh_id, role, counted, replace(json_set(body, '$.message_id', fresh_id), @old, @new), replace(json_set(redacted_body, '$.message_id', fresh_id), @old, @new),
       replace(card, @old, @new), replace(redacted_card, @old, @new), assistant_position, replace(replay, @old, @new), null, created_at from fresh order by position`)
  const cut = sqlite.prepare('delete from messages where session_id = ? and position >= ?')
  const trim = sqlite.prepare('delete from messages where session_id = ? and position >= (select max(position) + 1 from messages where session_id = ?) - ?')
  const count = sqlite.prepare(
    `update sessions set message_count = (select count(*) from messages where session_id = sessions.id),
       user_message_count = (select count(*) from messages where session_id = sessions.id and role = 'user'),
       last_message_at = (select created_at from messages where session_id = sessions.id order by position desc limit 1) where id = ?`)
  /** With credentials masked, or as it was said. */
  const variants = { masked: ['coalesce(redacted_body, body)', 'coalesce(redacted_card, card)'], plain: ['body', 'card'] } as const
  const readers = Object.fromEntries(Object.entries(variants).map(([name, [body, card]]) => [name, {
    between: sqlite.prepare<[string, number, number], Row>(
      `select position, role, message_id as messageId, ${body} as body, ${card} as card, assistant_position as assistantPosition
       from messages where session_id = ? and position >= ? and position < ? order by position`),
    bodies: sqlite.prepare<[string, number], Buffer | null>(`select cast(group_concat(${body}, ',' order by position) as blob) from messages where session_id = ? and position < ?`).pluck(),
    cards: sqlite.prepare<[string, number], Buffer | null>(`select cast(group_concat(${card}, ',' order by position) as blob) from messages where session_id = ? and position < ? and card is not null`).pluck()
  }])) as Record<keyof typeof variants, { between: Statement<[string, number, number], Row>, bodies: Statement<[string, number], Buffer | null>, cards: Statement<[string, number], Buffer | null> }>
  const nthCounted = sqlite.prepare<[string, number, number], { position: number }>(
    'select position from messages where session_id = ? and counted = 1 and position < ? order by position desc limit 1 offset ?')
  const firstCounted = sqlite.prepare<[string, number], { position: number | null }>(
    'select min(position) as position from messages where session_id = ? and counted = 1 and position < ?')
  const replaysBetween = sqlite.prepare<[string, number, number], string | null>('select replay from messages where session_id = ? and position >= ? and position < ? order by position').pluck()
  const lengthOf = sqlite.prepare<[string], number>('select coalesce(max(position) + 1, 0) from messages where session_id = ?').pluck()
  const anchor = sqlite.prepare<[string], { summary: string | null, before: number | null }>(
    'select compression_summary as summary, compressed_before as before from sessions where id = ?')
  const nthReplay = sqlite.prepare<[string, number], { position: number }>(
    'select position from messages where session_id = ? and replay is not null order by position desc limit 1 offset ?')
  const setAnchor = sqlite.prepare('update sessions set compression_summary = ?, compressed_before = ?, last_prompt_tokens = ? where id = ?')
  const dropAnchor = sqlite.prepare('update sessions set compression_summary = null, compressed_before = null where id = ? and compressed_before > ?')
  const lastCounted = Object.fromEntries(Object.entries(variants).map(([name, [body]]) => [name, sqlite.prepare<[string, number], { body: string, index: number }>(
    `select ${body} as body, (select count(*) from messages as earlier where earlier.session_id = messages.session_id and counted = 1 and earlier.position < messages.position) as "index"
     from messages where session_id = ? and counted = 1 and position < ? and octet_length(${body}) <= ${largestRowBytes} and json_valid(${body}) order by position desc limit 1`)])) as Record<Variant, Statement<[string, number], { body: string, index: number }>>

  const firstQuestion = sqlite.prepare<[string], string>(
    `select body ->> '$.content' from messages where session_id = ? and role = 'user' and octet_length(body) < ${largestRowBytes} and json_valid(body) order by position limit 1`).pluck()

  function write (sessionId: string, position: number, row: RawMessage & { messageId: string, streamId?: string }): void {
    const body = JSON.stringify(row.body)
    const card = row.card === undefined ? null : JSON.stringify(row.card)
    insert.run(sessionId, position, row.messageId, row.role, row.counted ? 1 : 0, body, masked(row.body), card, row.card === undefined ? null : masked(row.card),
      row.assistantPosition ?? null, row.replay == null ? null : JSON.stringify(row.replay), row.streamId ?? null, row.createdAtS)
  }

  /** Rows in their order, those that cannot be read as what stands for them. */
  function * rowsBetween (sessionId: string, from: number, to: number, variant: Variant): Generator<Row> {
    let next = from
    for (const [position, { body, role, messageId, assistantPosition }] of substitutes(sessionId, from, to)) {
      yield * readers[variant].between.iterate(sessionId, next, position)
      yield { position, role, messageId, assistantPosition, body: body[variant], card: null }
      next = position + 1
    }
    yield * readers[variant].between.iterate(sessionId, next, to)
  }

  /** The unreadable rows of a part, in their order. */
  function substitutes (sessionId: string, from: number, to: number) {
    const all = unreadable.of(sessionId, from, to)
    return all.size === 0 ? [] : [...all].filter(([position]) => position >= from && position < to).toSorted(([one], [other]) => one - other)
  }

  /** What each row from `from` on is to the model; null for rows it is not shown. */
  function replaysFrom (sessionId: string, from: number): Array<string | null> {
    const end = lengthOf.get(sessionId)!
    const found: Array<string | null> = []
    let next = from
    for (const [position, { replay }] of substitutes(sessionId, from, end)) {
      found.push(...replaysBetween.all(sessionId, next, position), replay)
      next = position + 1
    }
    return [...found, ...replaysBetween.all(sessionId, next, end)]
  }

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
      const messageId = message.messageId ?? newMessageId()
      const { role, content, fields, card, assistantPosition, replay, streamId } = message
      write(sessionId, position, {
        role, card, assistantPosition, replay, messageId, streamId,
        counted: message.counted ?? role !== 'tool',
        body: { role, content, message_id: messageId, timestamp: nowS, _ts: nowS, ...fields },
        createdAtS: nowS
      })
      return { messageId, position }
    },

    /** Stores rows as they are from position `from` on; inside the caller's transaction. Afterwards they have to be counted. */
    fill (sessionId: string, rows: RawMessage[], from = 0): void {
      unreadable.forget(sessionId)
      for (const [index, row] of rows.entries()) {
        const messageId = newMessageId()
        write(sessionId, from + index, { ...row, messageId, body: { ...row.body, message_id: messageId } })
      }
    },

    /**
     * Copies rows of one session to the same positions of another, with ids of their own and the other's own attachments in the
     * place of the first's; inside the caller's transaction. Afterwards they have to be counted.
     */
    copy (from: string, to: string, start: number, end: number): void {
      unreadable.forget(to)
      copy.run({ from, to, start, end, old: `/attachments/${from}/`, new: `/attachments/${to}/` })
    },

    /** Sets the counters of a session to what its rows say. */
    count: (sessionId: string): void => { count.run(sessionId) },

    /** Removes the last rows of a session that is about to be deleted, a few of them. False when there are none left. */
    trim (sessionId: string, rows: number): boolean {
      unreadable.forget(sessionId)
      return trim.run(sessionId, sessionId, rows).changes > 0
    },

    /** Removes everything from position `keep` on, and a summary that reaches beyond it; inside the caller's transaction. */
    truncate (sessionId: string, keep: number): void {
      cut.run(sessionId, keep)
      unreadable.forget(sessionId)
      count.run(sessionId)
      dropAnchor.run(sessionId, keep)
    },

    /** Everything before `end`, as JSON texts joined by commas: no row is looked at one by one. */
    whole (sessionId: string, end: number, variant: Variant): { messages: Buffer, toolCalls: Buffer } {
      const { bodies, cards } = readers[variant]
      if (substitutes(sessionId, 0, end).length > 0) {
        const rows = [...rowsBetween(sessionId, 0, end, variant)]
        const joined = (texts: string[]): Buffer => Buffer.from(texts.join(','))
        return { messages: joined(rows.map((row) => row.body)), toolCalls: joined(rows.flatMap(({ card }) => card === null ? [] : [card])) }
      }
      return { messages: bodies.get(sessionId, end) ?? nothing, toolCalls: cards.get(sessionId, end) ?? nothing }
    },

    /** Rows for a detail answer. `total` is the session's message count. */
    slice (sessionId: string, total: number, { limit, before }: Window, activeUserMessageId: string | null, variant: Variant): TranscriptSlice {
      const end = Math.min(Math.max(0, before ?? total), total)
      const windowed = limit !== undefined
      const offset = windowed ? windowStart(sessionId, limit, end) : 0
      const messages: string[] = []
      const toolCalls: string[] = []
      for (const row of rowsBetween(sessionId, offset, end, variant)) {
        // A tool row whose call stands before the window has lost its card there.
        if (windowed && row.role === 'tool' && row.assistantPosition !== null && row.assistantPosition < offset) continue
        if (row.card !== null) toolCalls.push(row.card)
        let body = row.body
        if (windowed && row.role === 'tool') body = shortened(body)
        if (row.messageId === activeUserMessageId) body = `{"_active_turn_user":true,${body.slice(1)}`
        messages.push(body)
      }
      return { messages, toolCalls, offset }
    },

    /** Every row as a parsed message of the wire, one by one; what is read at once is little, so whoever takes them may take their time. */
    * messages (sessionId: string, variant: Variant): Generator<Record<string, unknown>> {
      for (let from = 0; ; from += rowsAtOnce) {
        const rows = [...rowsBetween(sessionId, from, from + rowsAtOnce, variant)]
        for (const { body } of rows) yield JSON.parse(body) as Record<string, unknown>
        if (rows.length < rowsAtOnce) return
      }
    },

    /** What a person said first; empty when nothing can be read. */
    question: (sessionId: string): string => firstQuestion.get(sessionId) ?? '',

    /** What each row is to the model, in order; null for rows it is not shown. */
    replays: (sessionId: string): Array<string | null> => replaysFrom(sessionId, 0),

    /** The conversation as the model is shown it: a summary of what lies back, if there is one, and the messages since. */
    history (sessionId: string): { messages: unknown[], summary: string | null } {
      const { summary, before } = anchor.get(sessionId)!
      return { messages: replaysFrom(sessionId, before ?? 0).flatMap((replay) => replay === null ? [] : [JSON.parse(replay)]), summary }
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
    compressionAnchor ({ id, compressionSummary, compressedBefore: before }: Pick<SessionRow, 'id' | 'compressionSummary' | 'compressedBefore'>, variant: Variant) {
      const last = before === null ? undefined : lastCounted[variant].get(id, before)
      const summary = compressionSummary !== null && variant === 'masked' ? redact(compressionSummary) : compressionSummary
      return {
        compression_anchor_visible_idx: last?.index ?? null,
        compression_anchor_message_key: last === undefined ? null : messageKey(JSON.parse(last.body) as AnchorMessage),
        compression_anchor_summary: summary
      }
    }
  }
}

/** The JSON text with credentials masked; null when there are none. */
function masked (value: Record<string, unknown>): string | null {
  const clean = redactDeep(value)
  return clean === value ? null : JSON.stringify(clean)
}

export type Transcript = ReturnType<typeof createTranscript>

/** As windows show a tool's row. */
export function shortened (body: string): string {
  if (body.length <= windowedToolContentChars) return body
  const message = JSON.parse(body) as { content: string }
  if (message.content.length <= windowedToolContentChars) return body
  return JSON.stringify({ ...message, content: `${message.content.slice(0, windowedToolContentChars)}\n… (shortened here; the whole result is in the full transcript)` })
}

interface AnchorMessage { role: string, timestamp?: number, content: unknown, attachments?: unknown }

function messageKey ({ role, timestamp, content, attachments }: AnchorMessage) {
  const text = typeof content === 'string' ? content.replaceAll(/\s+/g, ' ').trim().slice(0, 160) : ''
  return { role, ts: timestamp ?? null, text, attachments: Array.isArray(attachments) ? attachments.length : 0 }
}
