import { type Static } from '@sinclair/typebox'
import { type TodoState } from '../../../schemas/messages.js'
import { type SessionDetail, type StreamJournal } from '../../../schemas/sessions.js'
import { createPace } from '../../ground/concurrency/pace.js'
import { type Database } from '../../ground/database/index.js'
import { redactDeep } from '../../ground/redaction/index.js'
import { type LiveStream, type LivenessOf } from './liveness.js'
import { type SessionRow, type SessionWire } from './rows.js'
import { type Variant } from './message-rows.js'
import { activeUser, windowLimit, type Transcript, type Window } from './transcript.js'

export interface DetailOptions {
  messages: boolean
  window?: Window
  /** Unless this is false, the draft is shown as it was typed. */
  typed?: boolean
  /** The answer goes into this frame of the running turn, which is stored with it: the journal's last one. */
  carriedBy?: string
}

interface LastJournal {
  id: string
  lastSeq: number
  lastEvent: string | null
  terminalState: string | null
  terminal: number
  closed: number
}

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

/** A frame carries no more of a session than this, and an answer with more is put together in portions. */
const largest = { messages: 2_000, bytes: 1024 * 1024 } as const

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
  const cache = new Map<string, Map<string, Buffer[]>>()
  let cachedBytes = 0

  function make (id: string, { messages, window = {}, carriedBy, typed = true }: DetailOptions, gathered?: Parts): Made {
    const row = get(id)
    const stream = liveness.stream(id)
    const isOmitted = messages && carriedBy !== undefined && isLarge(row)
    const slice = gathered ?? (!messages || isOmitted ? none : transcriptOf(row, window, stream?.userMessageId ?? null))
    const journal = journalOf.get(id)
    const head: Omit<Static<typeof SessionDetail>, 'messages' | 'tool_calls'> = {
      ...toWire(row, stream),
      pending_user_message: null,
      pending_attachments: [],
      threshold_tokens: row.thresholdTokens,
      last_prompt_tokens: row.lastPromptTokens,
      ...transcript.compressionAnchor(row, variant()),
      todo_state: variant() === 'masked' ? redactDeep(parsed<Static<typeof TodoState>>(row.todos)) : parsed(row.todos),
      composer_draft: draftOf(row, { carriedBy, typed }),
      runtime_journal: journal === undefined ? null : journalToWire(journal, id, carriedBy),
      _messages_truncated: isOmitted || (messages && window.limit !== undefined && slice.offset > 0),
      _messages_offset: slice.offset,
      _msg_limit_max: windowLimit
    }
    const isSettled = journal === undefined || journal.closed === 1
    if (isOmitted) {
      return { pieces: [Buffer.from(`${opening}${JSON.stringify({ ...head, _messages_omitted: true })}${closing}`)], isSettled }
    }
    const pieces = [
      Buffer.from(`${opening}${JSON.stringify(head).slice(0, -1)},"messages":[`), ...slice.messages, Buffer.from('],"tool_calls":['),
      ...slice.toolCalls, Buffer.from(`]}${closing}`)
    ]
    return { pieces: gathered === undefined ? [Buffer.concat(pieces)] : pieces, isSettled }
  }

  /** Frames go to whoever looks on: from those one is left out that must not be seen, as what stands in a frame could be typed over it. */
  function draftOf (
    row: SessionRow, { carriedBy, typed }: Pick<DetailOptions, 'carriedBy' | 'typed'>
  ): Static<typeof SessionDetail>['composer_draft'] {
    const draft = parsed<NonNullable<Static<typeof SessionDetail>['composer_draft']>>(row.draft)
    if (variant() === 'plain' || (typed === true && carriedBy === undefined)) return draft
    const shown = redactDeep(draft)
    return carriedBy !== undefined && shown !== draft ? undefined : shown
  }

  const isLarge = ({ id, messageCount }: SessionRow): boolean => messageCount > largest.messages || transcript.sizeBytes(id) > largest.bytes

  /** A whole transcript as it stands when this ends: what is read in portions is begun anew when what was read has changed. */
  async function gather (id: string): Promise<{ parts: Parts, isCurrent: () => boolean }> {
    const pace = createPace()
    const begun = (): Gathering => ({
      rows: 0, lastId: undefined, shownAs: variant(), userMessageId: liveness.stream(id)?.userMessageId ?? null, messages: [], toolCalls: []
    })
    let so = begun()
    const isSame = (): boolean => so.shownAs === variant() && so.userMessageId === (liveness.stream(id)?.userMessageId ?? null) &&
      (so.rows === 0 || transcript.idAt(id, so.rows - 1) === so.lastId)
    for (;;) {
      if (!isSame()) so = begun()
      const rows = transcript.portion(id, so.rows, get(id).messageCount, so.shownAs)
      if (rows.length === 0) break
      const { userMessageId } = so
      so.messages.push(Buffer.from(
        `${so.rows === 0 ? '' : ','}${rows.map((row) => row.messageId === userMessageId ? activeUser(row.body) : row.body).join(',')}`
      ))
      const cards = rows.flatMap(({ card }) => card === null ? [] : [card])
      if (cards.length > 0) so.toolCalls.push(Buffer.from(`${so.toolCalls.length === 0 ? '' : ','}${cards.join(',')}`))
      so.rows += rows.length
      so.lastId = rows.at(-1)?.messageId
      await pace()
    }
    const { rows } = so
    return {
      parts: { messages: so.messages, toolCalls: so.toolCalls, offset: 0 }, isCurrent: () => isSame() && get(id).messageCount === rows
    }
  }

  function transcriptOf (row: SessionRow, window: Window, activeUserMessageId: string | null): Parts {
    // The usual whole transcript: its texts as they are, without a look at any row.
    const end = Math.min(Math.max(0, window.before ?? row.messageCount), row.messageCount)
    if (window.limit === undefined && activeUserMessageId === null) {
      const whole = transcript.whole(row.id, end, variant())
      return { messages: [whole.messages], toolCalls: [whole.toolCalls], offset: 0 }
    }
    const { messages, toolCalls, offset } = transcript.slice(row.id, row.messageCount, window, activeUserMessageId, variant())
    return { messages: [Buffer.from(messages.join(','))], toolCalls: [Buffer.from(toolCalls.join(','))], offset }
  }

  function keep (id: string, key: string, pieces: Buffer[]): void {
    const sizeBytes = sizeOf(pieces)
    if (sizeBytes > largestCached) return
    const own = cache.get(id) ?? new Map<string, Buffer[]>()
    cache.delete(id)
    cache.set(id, own.set(key, pieces))
    cachedBytes += sizeBytes
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
    for (const pieces of cache.get(id)?.values() ?? []) cachedBytes -= sizeOf(pieces)
    cache.delete(id)
  }

  /**
   * What was made of it for these options. The row itself is looked at each time: what it says of the transcript has to be what was kept.
   */
  function keyOf (id: string, options: DetailOptions): string {
    const { messageCount, updatedAt } = get(id)
    return `${options.typed ?? true} ${options.messages} ${options.window?.limit} ${options.window?.before} ${messageCount} ${updatedAt}`
  }

  function kept (id: string, key: string, { pieces, isSettled }: Made): Buffer[] {
    // While a stream is open every frame changes the answer, and inside a transaction more may follow.
    if (isSettled && !sqlite.inTransaction) keep(id, key, pieces)
    return pieces
  }

  function atOnce (id: string, options: DetailOptions, key = keyOf(id, options)): Buffer[] {
    const known = options.carriedBy === undefined ? cache.get(id)?.get(key) : undefined
    return known ?? kept(id, key, make(id, options))
  }

  async function gathered (id: string, options: DetailOptions): Promise<Buffer[]> {
    const isWhole = options.messages && options.window?.limit === undefined && options.window?.before === undefined
    const key = keyOf(id, options)
    if (!isWhole || cache.get(id)?.has(key) === true || !isLarge(get(id))) return atOnce(id, options, key)
    const { parts, isCurrent } = await gather(id)
    return isCurrent() ? kept(id, keyOf(id, options), make(id, options, parts)) : atOnce(id, options)
  }

  return {
    /** As JSON text. Throws NotFound. */
    detail: (id: string, options: DetailOptions): Buffer => Buffer.concat(atOnce(id, options)).subarray(opening.length, -closing.length),

    /**
     * The same as an answer, under `session` beside the keys of `rest`, in pieces; a long one is read in
     * portions, between which others get their turn.
     */
    async answer (id: string, options: DetailOptions, rest: Record<string, unknown>): Promise<Buffer[]> {
      const [first = nothing, ...others] = await gathered(id, options)
      const beside = JSON.stringify(rest)
      return beside === '{}' ? [first, ...others] : [Buffer.concat([Buffer.from(`${beside.slice(0, -1)},`), first.subarray(1)]), ...others]
    },

    /** A session has changed; without an id, any may have. */
    forget,

    size: (): number => cache.size
  }
}

/** Around a session object in an answer. */
const opening = '{"session":'
const closing = '}'
const nothing = Buffer.alloc(0)
const sizeOf = (pieces: readonly Buffer[]): number => pieces.reduce((sum, { length }) => sum + length, 0)

/** A transcript as texts of JSON lists, without their brackets. */
interface Parts { messages: Buffer[], toolCalls: Buffer[], offset: number }
/** An answer that holds the session alone. */
interface Made { pieces: Buffer[], isSettled: boolean }
/** What was read so far of one, and under which circumstances. */
interface Gathering {
  rows: number
  lastId: string | undefined
  shownAs: Variant
  userMessageId: string | null
  messages: Buffer[]
  toolCalls: Buffer[]
}

const none: Parts = { messages: [], toolCalls: [], offset: 0 }

/** Null for what is none: a damaged list of things to do keeps nobody from the conversation. */
function parsed<T> (json: string | null): T | null {
  try {
    return json === null ? null : JSON.parse(json) as T
  } catch {
    return null
  }
}

function journalToWire (
  { id, lastSeq, lastEvent, terminalState, terminal }: LastJournal, sessionId: string, carriedBy: string | undefined
): Static<typeof StreamJournal> {
  return {
    session_id: sessionId, run_id: id, last_seq: lastSeq, last_event_id: `${id}:${lastSeq}`,
    last_event: carriedBy ?? lastEvent, terminal: terminal === 1, terminal_state: terminalState ?? (lastSeq === 0 ? 'unknown' : 'running')
  }
}
