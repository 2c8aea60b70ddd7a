import { type Static } from '@sinclair/typebox'
import { type TodoState } from '../../schemas/messages.js'
import { type SessionDetail, type StreamJournal } from '../../schemas/sessions.js'
import { type Database } from '../ground/database/index.js'
import { redactDeep } from '../ground/redaction/index.js'
import { type LiveStream, type LivenessOf } from './liveness.js'
import { type SessionRow, type SessionWire } from './rows.js'
import { type Variant } from './message-rows.js'
import { windowLimit, type Transcript, type Window } from './transcript.js'

export interface DetailOptions {
  messages: boolean
  window?: Window
  /** The answer goes into this frame of the running turn, which is stored with it: the journal's last one. */
  carriedBy?: string
}

interface LastJournal { id: string, lastSeq: number, lastEvent: string | null, terminalState: string | null, terminal: number, closed: number }

export interface DetailsOptions {
  db: Database
  liveness: Pick<LivenessOf, 'stream'>
  get: (id: string) => SessionRow
  transcript: Transcript
  /** `stream`: the one that is live in the session. */
  toWire: (row: SessionRow, stream: LiveStream | undefined) => SessionWire
  /** Which of the texts of messages are shown: as they are, or with credentials masked. */
  variant: () => Variant
}

const cacheBytes = 32 * 1024 * 1024
const largestCached = 8 * 1024 * 1024

/**
 * The session object of the interface with its messages. Transcripts pass through as the texts they are stored as; a whole
 * answer is kept until its session changes, so asking again for a long one costs nothing.
 */
export function createDetails ({ db, liveness, get, transcript, toWire, variant }: DetailsOptions) {
  const { sqlite } = db
  // Turns are built on sessions and cannot be asked from here: how the last one stands is read from its stream.
  const journalOf = sqlite.prepare<[string], LastJournal>(
    `select id, last_seq as lastSeq, (select event from frames where stream_id = streams.id and seq = streams.last_seq) as lastEvent,
       terminal_state as terminalState, state in ('settling', 'closed') as terminal, state = 'closed' as closed
     from streams where session_id = ? order by started_at desc limit 1`)
  /** Finished answers by session, oldest used first. */
  const cache = new Map<string, Map<string, Buffer>>()
  let cachedBytes = 0

  function make (id: string, { messages, window = {}, carriedBy }: DetailOptions): { bytes: Buffer, isSettled: boolean } {
    const row = get(id)
    const stream = liveness.stream(id)
    const slice = !messages ? none : transcriptOf(row, window, stream?.userMessageId ?? null)
    const journal = journalOf.get(id)
    const head: Omit<Static<typeof SessionDetail>, 'messages' | 'tool_calls'> = {
      ...toWire(row, stream),
      pending_user_message: null,
      pending_attachments: [],
      threshold_tokens: row.thresholdTokens,
      last_prompt_tokens: row.lastPromptTokens,
      ...transcript.compressionAnchor(row, variant()),
      todo_state: variant() === 'masked' ? redactDeep(parsed<Static<typeof TodoState>>(row.todos)) : parsed(row.todos),
      composer_draft: parsed(row.draft),
      runtime_journal: journal === undefined ? null : journalToWire(journal, id, carriedBy),
      _messages_truncated: messages && window.limit !== undefined && slice.offset > 0,
      _messages_offset: slice.offset,
      _msg_limit_max: windowLimit
    }
    const bytes = Buffer.concat([Buffer.from(`${JSON.stringify(head).slice(0, -1)},"messages":[`), slice.messages, Buffer.from('],"tool_calls":['), slice.toolCalls, Buffer.from(']}')])
    return { bytes, isSettled: journal === undefined || journal.closed === 1 }
  }

  function transcriptOf (row: SessionRow, window: Window, activeUserMessageId: string | null) {
    // The usual whole transcript: its texts as they are, without a look at any row.
    const end = Math.min(Math.max(0, window.before ?? row.messageCount), row.messageCount)
    if (window.limit === undefined && activeUserMessageId === null) return { ...transcript.whole(row.id, end, variant()), offset: 0 }
    const { messages, toolCalls, offset } = transcript.slice(row.id, row.messageCount, window, activeUserMessageId, variant())
    return { messages: Buffer.from(messages.join(',')), toolCalls: Buffer.from(toolCalls.join(',')), offset }
  }

  function keep (id: string, key: string, bytes: Buffer): void {
    if (bytes.length > largestCached) return
    const own = cache.get(id) ?? new Map<string, Buffer>()
    cache.delete(id)
    cache.set(id, own.set(key, bytes))
    cachedBytes += bytes.length
    for (const oldest of cache.keys()) {
      if (cachedBytes <= cacheBytes) return
      forget(oldest)
    }
  }

  function forget (id?: string): void {
    if (id === undefined) {
      cache.clear()
      cachedBytes = 0
      return
    }
    for (const bytes of cache.get(id)?.values() ?? []) cachedBytes -= bytes.length
    cache.delete(id)
  }

  return {
    /** As JSON text. Throws NotFound. */
    detail (id: string, options: DetailOptions): Buffer {
      // The row itself is looked at each time: what it says of the transcript has to be what was kept.
      const { messageCount, updatedAt } = get(id)
      const key = `${options.messages} ${options.window?.limit} ${options.window?.before} ${messageCount} ${updatedAt}`
      const known = options.carriedBy === undefined ? cache.get(id)?.get(key) : undefined
      if (known !== undefined) return known
      const { bytes, isSettled } = make(id, options)
      // While a stream is open every frame changes the answer, and inside a transaction more may follow.
      if (isSettled && !sqlite.inTransaction) keep(id, key, bytes)
      return bytes
    },

    /** A session has changed; without an id, any may have. */
    forget,

    size: (): number => cache.size
  }
}

export type Details = ReturnType<typeof createDetails>

/** A session object among the other keys of an answer, all of it JSON text. */
export function sessionAnswer (detail: Buffer, rest: Record<string, unknown>): Buffer {
  const others = JSON.stringify(rest)
  return Buffer.concat([Buffer.from(others === '{}' ? '{"session":' : `${others.slice(0, -1)},"session":`), detail, Buffer.from('}')])
}

const none = { messages: Buffer.alloc(0), toolCalls: Buffer.alloc(0), offset: 0 }

/** Null for what is none: a damaged list of things to do keeps nobody from the conversation. */
function parsed<T> (json: string | null): T | null {
  try {
    return json === null ? null : JSON.parse(json) as T
  } catch {
    return null
  }
}

function journalToWire ({ id, lastSeq, lastEvent, terminalState, terminal }: LastJournal, sessionId: string, carriedBy: string | undefined): Static<typeof StreamJournal> {
  return {
    session_id: sessionId, run_id: id, last_seq: lastSeq, last_event_id: `${id}:${lastSeq}`,
    last_event: carriedBy ?? lastEvent, terminal: terminal === 1, terminal_state: terminalState ?? (lastSeq === 0 ? 'unknown' : 'running')
  }
}
