import { type Static } from '@sinclair/typebox'
import { type TodoState } from '../../../schemas/messages.js'
import { type SessionDetail, type StreamJournal } from '../../../schemas/sessions.js'
import { type Database } from '../../ground/database/index.js'
import { redactDeep } from '../../ground/redaction/index.js'
import { AnswerCache } from './detail-cache.js'
import { createParts, type Parts, type PartsOptions } from './detail-parts.js'
import { type LiveStream } from './liveness.js'
import { type SessionRow, type SessionWire } from './rows.js'
import { windowLimit, type Window } from './transcript-reads.js'

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

/** `variant`: which of the texts of messages are shown, as they are or with credentials masked. */
export interface DetailsOptions extends PartsOptions {
  db: Database
  /** `stream`: the one that is live in the session. */
  toWire: (row: SessionRow, stream: LiveStream | undefined) => SessionWire
}

/** A frame carries no more of a session than this, and an answer with more is put together in portions. */
const largest = { messages: 2_000, bytes: 1024 * 1024 } as const
const mostCopiedBytes = 64 * 1024

/**
 * The session object of the interface with its messages. Transcripts pass through as the texts they are stored as; a whole
 * answer is kept until its session changes, so asking again for a long one costs nothing.
 */
export function createDetails (options: DetailsOptions) {
  const { db: { sqlite }, liveness, get, transcript, toWire, variant } = options
  // Turns are built on sessions and cannot be asked from here: how the last one stands is read from its stream.
  const journalOf = sqlite.prepare<[string], LastJournal>(
    `select id, last_seq as lastSeq, (select event from frames where stream_id = streams.id and seq = streams.last_seq) as lastEvent,
       terminal_state as terminalState, state in ('settling', 'closed') as terminal, state = 'closed' as closed
     from streams where session_id = ? order by started_at desc limit 1`)
  const cache = new AnswerCache()
  const parts = createParts(options)

  function make (id: string, { messages, window = {}, carriedBy, typed = true }: DetailOptions, gathered?: Parts): Made {
    const row = get(id)
    const stream = liveness.stream(id)
    const isOmitted = messages && carriedBy !== undefined && isLarge(row)
    const slice = gathered ?? (!messages || isOmitted ? none : parts.read(row, window, stream?.userMessageId ?? null))
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
    // What the transcript keeps as well is not copied; small pieces go out sooner as one.
    return { pieces: slice.messages.some(({ length }) => length > mostCopiedBytes) ? pieces : [Buffer.concat(pieces)], isSettled }
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

  /**
   * What was made of it for these options. The row itself is looked at each time: what it says of the transcript has to be what was kept.
   */
  function keyOf (id: string, options: DetailOptions): string {
    const { messageCount, updatedAt } = get(id)
    return `${options.typed ?? true} ${options.messages} ${options.window?.limit} ${options.window?.before} ${messageCount} ${updatedAt}`
  }

  function kept (id: string, key: string, { pieces, isSettled }: Made): Buffer[] {
    // While a stream is open every frame changes the answer, and inside a transaction more may follow.
    if (isSettled && !sqlite.inTransaction) cache.keep(id, key, pieces)
    return pieces
  }

  function atOnce (id: string, options: DetailOptions, key = keyOf(id, options)): Buffer[] {
    const known = options.carriedBy === undefined ? cache.get(id, key) : undefined
    return known ?? kept(id, key, make(id, options))
  }

  async function gathered (id: string, options: DetailOptions): Promise<Buffer[]> {
    const isWhole = options.messages && options.window?.limit === undefined && options.window?.before === undefined
    const key = keyOf(id, options)
    if (!isWhole || cache.get(id, key) !== undefined || !isLarge(get(id))) return atOnce(id, options, key)
    const { parts: whole, isCurrent } = await parts.gather(id)
    return isCurrent() ? kept(id, keyOf(id, options), make(id, options, whole)) : atOnce(id, options)
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
    forget: (id?: string): void => cache.forget(id),

    size: (): number => cache.size
  }
}

/** Around a session object in an answer. */
const opening = '{"session":'
const closing = '}'
const nothing = Buffer.alloc(0)

/** An answer that holds the session alone. */
interface Made { pieces: Buffer[], isSettled: boolean }

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
