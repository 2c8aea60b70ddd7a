import { type ModelMessage } from '../../agent/protocol.js'
import { createPace } from '../../ground/concurrency/pace.js'
import { type Database } from '../../ground/database/index.js'
import { NotFound } from '../../ground/errors.js'
import { fieldsOf } from '../../ground/fields.js'
import { createCuts, type Cuts } from './cuts.js'
import { mayHoldHalves, wholeCharacters } from '../../ground/json.js'
import { messageId as newMessageId, messageIds } from '../../ground/ids.js'
import { redact, redactDeep } from '../../ground/redaction/index.js'
import { type MessageFields, type WireCard, type WireMessage } from './message-fields.js'
import { messageKey, textOf, type AnchorMessage } from './message-text.js'
import { createMessageRows, type MessageRow, type MessageRows, type Variant } from './message-rows.js'
import { lastSaid, saidIn, type Said } from './preview.js'
import { type SessionRow } from './rows.js'
import { type SessionRows } from './session-rows.js'
import { createUnreadable } from './unreadable.js'

/** A message on its way into the transcript. */
export interface NewMessage {
  role: 'user' | 'assistant' | 'tool'
  content: string
  fields?: MessageFields
  /** What later requests show the model for this row, as an AI SDK message; absent = nothing. */
  replay?: unknown
  /** Tool rows: entry of the session-level `tool_calls`, and where their call stands. */
  card?: WireCard
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

const nothing = Buffer.alloc(0)
/** Less when they are long. */
const portionRows = 64
export const windowLimit = 500
const windowedToolContentChars = 4_096

/** A row that is stored as it is: of an import, or of another front end's session. */
export interface RawMessage {
  role: string
  counted: boolean
  /** The message object of the wire; its `message_id` is replaced by one of our own. */
  body: Omit<WireMessage, 'message_id'>
  card?: WireCard
  assistantPosition?: number
  replay?: unknown
  createdAtS: number
}

/** The messages of sessions; nothing here parses one that it only passes on. Whatever writes runs inside the caller's transaction. */
export class Transcript {
  readonly #rows: MessageRows
  readonly #unreadable: ReturnType<typeof createUnreadable>
  /** Where sessions end of which more rows are still there. */
  readonly cuts: Cuts

  constructor (db: Database, readonly sessions: SessionRows) {
    this.#rows = createMessageRows(db)
    this.#unreadable = createUnreadable(db)
    this.cuts = createCuts(db, this.#rows)
  }

  /** Returns what it begins with, when it is something that was said. */
  #write (sessionId: string, position: number, row: Omit<RawMessage, 'body'> & { body: WireMessage, messageId: string, streamId?: string }): Said | null {
    const body = JSON.stringify(row.body)
    const card = row.card === undefined ? null : JSON.stringify(row.card)
    const replay = row.replay == null ? null : JSON.stringify(row.replay)
    if ([body, card, replay].some((text) => text !== null && mayHoldHalves(text))) {
      const whole = wholeCharacters(row)
      if (whole !== row) return this.#write(sessionId, position, whole)
    }
    const clean = redactDeep(row.body)
    this.#rows.insert(sessionId, position, {
      messageId: row.messageId,
      role: row.role,
      counted: row.counted,
      body,
      redactedBody: clean === row.body ? null : JSON.stringify(clean),
      card,
      redactedCard: row.card === undefined ? null : masked(row.card),
      assistantPosition: row.assistantPosition ?? null,
      replay,
      streamId: row.streamId ?? null,
      createdAtS: row.createdAtS
    })
    return row.role === 'user' || row.role === 'assistant' ? saidIn(row.body, clean) : null
  }

  /** Rows in their order, those that cannot be read as what stands for them. */
  * #rowsBetween (sessionId: string, from: number, to: number, variant: Variant): Generator<MessageRow> {
    let next = from
    for (const [position, { body, role, messageId, assistantPosition }] of this.#substitutes(sessionId, from, to)) {
      yield * this.#rows.between(variant, sessionId, next, position)
      yield { position, role, messageId, assistantPosition, body: body[variant], card: null }
      next = position + 1
    }
    yield * this.#rows.between(variant, sessionId, next, to)
  }

  /** The unreadable rows of a part, in their order. */
  #substitutes (sessionId: string, from: number, to: number) {
    const all = this.#unreadable.of(sessionId, from, to)
    return all.size === 0
      ? []
      : [...all].filter(([position]) => position >= from && position < to).toSorted(([one], [other]) => one - other)
  }

  /** The position behind the last row; what is there from a cut on counts no more. */
  #end (sessionId: string): number {
    return this.cuts.of(sessionId) ?? this.#rows.length(sessionId)
  }

  /** What each row from `from` on is to the model; null for rows it is not shown. */
  #replaysFrom (sessionId: string, from: number, end = this.#end(sessionId)): Array<string | null> {
    const found: Array<string | null> = []
    let next = from
    for (const [position, { replay }] of this.#substitutes(sessionId, from, end)) {
      found.push(...this.#rows.replaysBetween(sessionId, next, position), replay)
      next = position + 1
    }
    return [...found, ...this.#rows.replaysBetween(sessionId, next, end)]
  }

  /** Where a window of `limit` counted rows before `before` begins. */
  #windowStart (sessionId: string, limit: number, before: number): number {
    const exact = this.#rows.nthCounted(sessionId, before, limit - 1)
    if (exact !== undefined) return exact
    // Fewer counted rows than asked for: everything, unless there is none at all; then the last raw rows.
    return this.#rows.firstCounted(sessionId, before) === null ? Math.max(0, before - limit) : 0
  }

  /** Rows of a turn, from a position on, in which its model says something, in their order. */
  answers (sessionId: string, streamId: string, from: number): StoredMessage[] {
    return this.#rows.answers(sessionId, streamId, from)
  }

  /** Appends a row and counts it in its session. */
  append (sessionId: string, nowS: number, message: NewMessage): StoredMessage {
    const position = this.sessions.advance(sessionId, message.role === 'user', nowS)
    this.cuts.makeRoom(sessionId, position, nowS)
    const messageId = message.messageId ?? newMessageId()
    const { role, content, fields, card, assistantPosition, replay, streamId } = message
    const said = this.#write(sessionId, position, {
      role, card, assistantPosition, replay, messageId, streamId,
      counted: message.counted ?? role !== 'tool',
      body: { role, content, message_id: messageId, timestamp: nowS, _ts: nowS, ...fields },
      createdAtS: nowS
    })
    if (said !== null) this.sessions.setLastSaid(sessionId, said)
    return { messageId, position }
  }

  /** Has models read something else in the place of the message that has begun a turn; what people are shown stays. */
  reword (sessionId: string, streamId: string, replay: unknown): void {
    this.#rows.reword(sessionId, streamId, JSON.stringify(replay))
  }

  /** Stores rows as they are from position `from` on. Afterwards they have to be counted. */
  fill (sessionId: string, rows: RawMessage[], from = 0): void {
    this.#unreadable.forget(sessionId)
    const ids = messageIds(rows.length)
    for (const [index, row] of rows.entries()) {
      const messageId = ids[index]!
      this.#write(sessionId, from + index, { ...row, messageId, body: { ...row.body, message_id: messageId } })
    }
  }

  /**
   * Copies rows of one session to the same positions of another, with ids of their own and the other's own attachments in the
   * place of the first's. Afterwards they have to be counted.
   */
  copy (from: string, to: string, start: number, end: number): void {
    this.#unreadable.forget(to)
    this.#rows.copy({ from, to, start, end, old: `/attachments/${from}/`, new: `/attachments/${to}/` })
  }

  /** Sets the counters of a session, and what was said last, to what its rows say. */
  count (sessionId: string): void {
    this.sessions.recount(sessionId)
    this.sessions.setLastSaid(sessionId, lastSaid(this.#rows, sessionId))
  }

  /** Removes the last rows of a session that is about to be deleted, a few of them. False when there are none left. */
  trim (sessionId: string, rows: number): boolean {
    this.#unreadable.forget(sessionId)
    return this.#rows.trim(sessionId, rows)
  }

  /** A little of the room that removed rows have in the search index. False when there is none to be had. */
  reclaim (): boolean {
    return this.#rows.reclaim()
  }

  /**
   * Removes everything from position `keep` on, and a summary that reaches beyond it. Many rows are gone for whoever reads,
   * and taken away afterwards; see createCuts.
   */
  truncate (sessionId: string, keep: number, nowS: number): void {
    this.sessions.countCut(sessionId, keep)
    this.cuts.begin(sessionId, keep, nowS)
    this.#unreadable.forget(sessionId)
    this.sessions.setLastSaid(sessionId, lastSaid(this.#rows, sessionId, keep))
    this.sessions.dropSummary(sessionId, keep)
  }

  /** Everything before `end`, as JSON texts joined by commas: no row is looked at one by one. */
  whole (sessionId: string, end: number, variant: Variant): { messages: Buffer, toolCalls: Buffer } {
    const { bodies, cards } = this.#rows.in[variant]
    if (this.#substitutes(sessionId, 0, end).length > 0) {
      const rows = [...this.#rowsBetween(sessionId, 0, end, variant)]
      const joined = (texts: string[]): Buffer => Buffer.from(texts.join(','))
      return { messages: joined(rows.map((row) => row.body)), toolCalls: joined(rows.flatMap(({ card }) => card === null ? [] : [card])) }
    }
    return { messages: bodies.get(sessionId, end) ?? nothing, toolCalls: cards.get(sessionId, end) ?? nothing }
  }

  /** Rows for a detail answer. `total` is the session's message count. */
  slice (
    sessionId: string, total: number, { limit, before }: Window, activeUserMessageId: string | null, variant: Variant
  ): TranscriptSlice {
    const end = Math.min(Math.max(0, before ?? total), total)
    const windowed = limit !== undefined
    const offset = windowed ? this.#windowStart(sessionId, limit, end) : 0
    const messages: string[] = []
    const toolCalls: string[] = []
    for (const row of this.#rowsBetween(sessionId, offset, end, variant)) {
      // A tool row whose call stands before the window has lost its card there.
      if (windowed && row.role === 'tool' && row.assistantPosition !== null && row.assistantPosition < offset) continue
      if (row.card !== null) toolCalls.push(row.card)
      let body = row.body
      if (windowed && row.role === 'tool') body = shortened(body)
      if (row.messageId === activeUserMessageId) body = activeUser(body)
      messages.push(body)
    }
    return { messages, toolCalls, offset }
  }

  /** Every row as a parsed message of the wire, one by one; what is read at once is little, so whoever takes them may take their time. */
  * messages (sessionId: string, variant: Variant): Generator<Record<string, unknown>> {
    for (let from = 0; ;) {
      const rows = this.portion(sessionId, from, Number.MAX_SAFE_INTEGER, variant)
      if (rows.length === 0) return
      for (const { body } of rows) yield fieldsOf(JSON.parse(body))
      from += rows.length
    }
  }

  /** A few rows from a position on, for whoever goes through a long session and lets others in between; none behind its end. */
  portion (sessionId: string, from: number, end: number, variant: Variant): MessageRow[] {
    const to = Math.min(from + portionRows, end, this.cuts.of(sessionId) ?? end)
    return [...this.#rowsBetween(sessionId, from, this.#rows.reach(sessionId, from, to), variant)]
  }

  /** What the model is shown for the rows of such a portion. */
  replaysOf (sessionId: string, from: number, rows: number): Array<string | null> {
    return this.#replaysFrom(sessionId, from, from + rows)
  }

  /** How much text the messages hold. Looks at each row. */
  sizeBytes (sessionId: string): number {
    return this.#rows.sizeBytes(sessionId, this.#end(sessionId))
  }

  /** The message of a person at a position, as it was typed; null where there is none. */
  typedAt (sessionId: string, position: number): { messageId: string, text: string } | null {
    const [row] = this.#rowsBetween(sessionId, position, Math.min(position + 1, this.#end(sessionId)), 'plain')
    return row?.role === 'user' ? { messageId: row.messageId, text: textOf(fieldsOf(JSON.parse(row.body)).content) } : null
  }

  /** The id of the message at a position; undefined behind the end. */
  idAt (sessionId: string, position: number): string | undefined {
    return position < this.#end(sessionId) ? this.#rows.idAt(sessionId, position) : undefined
  }

  /** What people have said, and answers that may have headings, the latest first. */
  outlined (sessionId: string, variant: Variant): Iterable<{ position: number, body: string }> {
    return this.#rows.outlined(variant, sessionId, this.cuts.of(sessionId))
  }

  /** What people have sent to begin turns, the latest first. */
  requests (sessionId: string): Iterable<{ position: number, body: string }> {
    return this.#rows.requests(sessionId, this.cuts.of(sessionId))
  }

  /** How what was said last begins, as it is shown; null when nothing was said. */
  lastSaid ({ id, messageCount, lastSaid: plain, redactedLastSaid: mask }: SessionRow, variant: Variant): string | null {
    if (variant === 'plain') return plain
    if (!this.#rows.hasOldMasks()) return mask ?? plain
    const said = lastSaid(this.#rows, id, messageCount)
    return said?.masked ?? said?.plain ?? null
  }

  /** What a person said first; empty when nothing can be read. */
  question (sessionId: string): string {
    return this.#rows.firstQuestion(sessionId, this.#end(sessionId))
  }

  /** What the assistant said last; empty when that cannot be read. */
  lastAnswer (sessionId: string): string {
    return this.#rows.lastAnswer(sessionId, this.#end(sessionId))
  }

  /** What each row is to the model, in order; null for rows it is not shown. */
  replays (sessionId: string): Array<string | null> {
    return this.#replaysFrom(sessionId, 0)
  }

  /**
   * The conversation as the model is shown it: a summary of what lies back, if there is one, and the
   * messages since. A long one is read in portions.
   */
  async history (sessionId: string): Promise<{ messages: ModelMessage[], summary: string | null }> {
    const session = this.sessions.find(sessionId)
    if (session === undefined) throw new NotFound('Session not found')
    const { compressionSummary: summary, compressedBefore: before, messageCount: end } = session
    const pace = createPace()
    const messages: ModelMessage[] = []
    for (let from = before ?? 0; from < end;) {
      const to = this.#rows.reach(sessionId, from, Math.min(from + portionRows, end))
      for (const replay of this.#replaysFrom(sessionId, from, to)) if (replay !== null) messages.push(JSON.parse(replay))
      from = to
      await pace()
    }
    return { messages, summary }
  }

  /**
   * From now on the model sees `summary` instead of everything but the last `keptRows` messages that it is shown. No row is
   * removed. `contextTokens`: what the context holds then.
   */
  compress (sessionId: string, { summary, keptRows, contextTokens }: { summary: string, keptRows: number, contextTokens: number }): void {
    const end = this.#end(sessionId)
    const before = keptRows === 0
      ? (this.#rows.nthReplay(sessionId, end, 0) ?? -1) + 1
      : this.#rows.nthReplay(sessionId, end, keptRows - 1) ?? 0
    this.sessions.setSummary(sessionId, summary, before, contextTokens)
  }

  /** Keys of the session object that say where the summary ends: the last message that the model sees only through it. */
  compressionAnchor (
    { id, compressionSummary, compressedBefore: before }: Pick<SessionRow, 'id' | 'compressionSummary' | 'compressedBefore'>,
    variant: Variant
  ) {
    const last = before === null ? undefined : this.#rows.in[variant].lastCounted.get(id, before)
    const summary = compressionSummary !== null && variant === 'masked' ? redact(compressionSummary) : compressionSummary
    return {
      compression_anchor_visible_idx: last?.index ?? null,
      compression_anchor_message_key: last === undefined ? null : messageKey(JSON.parse(last.body) as AnchorMessage),
      compression_anchor_summary: summary
    }
  }
}

/** The JSON text with credentials masked; null when there are none. */
function masked (value: Record<string, unknown>): string | null {
  const clean = redactDeep(value)
  return clean === value ? null : JSON.stringify(clean)
}

/** The message that the running turn answers. */
export const activeUser = (body: string): string => `{"_active_turn_user":true,${body.slice(1)}`

/** As windows show a tool's row. */
export function shortened (body: string): string {
  if (body.length <= windowedToolContentChars) return body
  const message = JSON.parse(body) as { content: string }
  if (message.content.length <= windowedToolContentChars) return body
  return JSON.stringify({
    ...message,
    content: `${message.content.slice(0, windowedToolContentChars)}\n… (shortened here; the whole result is in the full transcript)`
  })
}
