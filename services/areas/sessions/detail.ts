import { type Static } from '@sinclair/typebox'
import { type TodoState } from '../../../schemas/sessions-messages.js'
import { type SessionDetail } from '../../../schemas/sessions.js'
import { type Database } from '../../ground/database/index.js'
import { redactDeep } from '../../ground/redaction/index.js'
import { tried } from '../../ground/tried.js'
import { AnswerCache } from './detail-cache.js'
import { createParts, type Parts, type PartsOptions } from './detail-parts.js'
import { type LiveStream } from './liveness.js'
import { type SessionRow, type SessionWire } from './rows.js'
import { journalToWire } from './stream-journal.js'
import { windowLimit, type Window } from './transcript-reads.js'
import { createVersions } from './versions.js'

export interface DetailOptions {
  messages: boolean
  window?: Window
  /** Unless this is false, the draft is shown as it was typed. */
  typed?: boolean
  carriedBy?: CarryingFrame
}

/**
 * The frame that carries the answer. It is stored with it, so it counts as the last one of its stream. `framesBefore`: how many frames are
 * stored with it, before it.
 */
interface CarryingFrame { streamId: string, event: string, framesBefore: number }

interface LastJournal {
  id: string
  lastSeq: number
  lastEvent: string | null
  state: string
  terminalState: string | null
  parked: number
}

/** `variant`: whether messages are shown as they are or with credentials masked. */
export interface DetailsOptions extends PartsOptions {
  db: Database
  /** `stream`: the active one of the session. */
  toWire: (row: SessionRow, stream: LiveStream | undefined) => SessionWire
}

/** A frame carries at most this much of a session. An answer with more is assembled in portions. */
const largest = { messages: 2_000, bytes: 1024 * 1024 } as const
const mostCopiedBytes = 64 * 1024

/**
 * Makes the session object of the interface with its messages. Stored texts of transcripts are passed through unparsed. A complete answer
 * is cached until its session changes, so requesting a long one again costs nothing.
 */
export function createDetails (options: DetailsOptions) {
  const { db: { sqlite }, liveness, get, transcript, toWire, variant } = options
  // The turns area is built on sessions, so it cannot be called from here: the state of the last turn is read from its stream.
  const journalOf = sqlite.prepare<[string], LastJournal>(
    `select id, last_seq as lastSeq, (select event from frames where stream_id = streams.id and seq = streams.last_seq) as lastEvent,
       state, terminal_state as terminalState,
       exists (select 1 from parked_turns where stream_id = streams.id and is_resuming = 0) as parked
     from streams where session_id = ? order by started_at desc limit 1`)
  const cache = new AnswerCache()
  const parts = createParts(options)
  const versionsOf = createVersions(options.db)

  function make (id: string, { messages, window = {}, carriedBy, typed = true }: DetailOptions, gathered?: Parts): Made {
    const row = get(id)
    const stream = liveness.stream(id)
    const isOmitted = messages && carriedBy !== undefined && isLarge(row)
    const slice = gathered ?? (!messages || isOmitted ? none : parts.read(row, window, stream))
    const journal = journalOf.get(id)
    const versions = versionsOf(row)
    const head: Omit<Static<typeof SessionDetail>, 'messages' | 'tool_calls'> = {
      ...toWire(row, stream),
      pending_user_message: null,
      pending_attachments: [],
      threshold_tokens: row.thresholdTokens,
      last_prompt_tokens: row.lastPromptTokens,
      ...transcript.compressionAnchor(row, variant()),
      ...(versions.length === 0 ? {} : { versions }),
      todo_state: variant() === 'masked' ? redactDeep(parsed<Static<typeof TodoState>>(row.todos)) : parsed(row.todos),
      composer_draft: variant() === 'plain' ? parsed(row.draft) : draftFor(row, { carriedBy, typed }),
      runtime_journal: journal === undefined ? null : lastJournal(journal, id, carriedBy),
      _messages_truncated: isOmitted || (messages && window.limit !== undefined && slice.offset > 0),
      _messages_offset: slice.offset,
      _msg_limit_max: windowLimit
    }
    const isSettled = journal === undefined || journal.state === 'closed'
    if (isOmitted) {
      return { pieces: [Buffer.from(`${opening}${JSON.stringify({ ...head, _messages_omitted: true })}${closing}`)], isSettled }
    }
    const pieces = [
      Buffer.from(`${opening}${JSON.stringify(head).slice(0, -1)},"messages":[`), ...slice.messages, Buffer.from('],"tool_calls":['),
      ...slice.toolCalls, Buffer.from(`]}${closing}`)
    ]
    // Large texts, which the transcript also caches, are not copied; small pieces are sent sooner as one.
    return { pieces: slice.messages.some(({ length }) => length > mostCopiedBytes) ? pieces : [Buffer.concat(pieces)], isSettled }
  }

  const isLarge = ({ id, messageCount }: SessionRow): boolean => messageCount > largest.messages || transcript.sizeBytes(id) > largest.bytes

  /**
   * The cache key for these options. It includes values of the row, so that an answer is only reused if the row still says the same of its
   * transcript.
   */
  function keyOf (id: string, options: DetailOptions): string {
    const row = get(id)
    // Versions change when another session is made or deleted.
    const versions = versionsOf(row).flatMap(({ index, session_ids: ids }) => [index, ...ids]).join()
    return `${options.typed ?? true} ${options.messages} ${options.window?.limit} ${options.window?.before} ${row.messageCount} ${row.updatedAt} ${versions}`
  }

  function kept (id: string, key: string, { pieces, isSettled }: Made): Buffer[] {
    // While a stream is open every frame changes the answer, and inside a transaction more changes may follow.
    return isSettled && !sqlite.inTransaction ? cache.keep(id, key, pieces) : pieces
  }

  function atOnce (id: string, options: DetailOptions, key = keyOf(id, options)): Buffer[] {
    return cache.get(id, key) ?? kept(id, key, make(id, options))
  }

  async function gathered (id: string, options: DetailOptions): Promise<Buffer[]> {
    const { messages, window = {} } = options
    const key = keyOf(id, options)
    const isShort = (): boolean => !messages || (window.limit === undefined && !isLarge(get(id)) && !transcript.hasOldMasks())
    if (cache.get(id, key) !== undefined || isShort()) return atOnce(id, options, key)
    return await parts.gather(id, window, (gathered) => kept(id, keyOf(id, options), make(id, options, gathered)))
  }

  return {
    /** Returns the session object as JSON text. Throws NotFound. */
    detail (id: string, options: DetailOptions): Buffer {
      // What a frame carries is made once, inside the transaction that stores the frame.
      const pieces = options.carriedBy === undefined ? atOnce(id, options) : make(id, options).pieces
      return Buffer.concat(pieces).subarray(opening.length, -closing.length)
    },

    /**
     * Returns the same as an answer in pieces, with the object under `session` beside the keys of `rest`. A long one is read in portions,
     * so that other requests get their turn in between.
     */
    async answer (id: string, options: DetailOptions, rest: Record<string, unknown>): Promise<Buffer[]> {
      const [first = nothing, ...others] = await gathered(id, options)
      const beside = JSON.stringify(rest)
      return beside === '{}' ? [first, ...others] : [Buffer.concat([Buffer.from(`${beside.slice(0, -1)},`), first.subarray(1)]), ...others]
    },

    /** Called when a session has changed; without an id, any may have. */
    forget: (id?: string): void => cache.forget(id),

    size: (): number => cache.size
  }
}

/** The text around a session object in an answer. */
const opening = '{"session":'
const closing = '}'
const nothing = Buffer.alloc(0)

/** An answer that holds only the session. */
interface Made { pieces: Buffer[], isSettled: boolean }

const none: Parts = { messages: [], toolCalls: [], offset: 0 }

/** Returns null for damaged JSON: a damaged to-do list must not make the conversation unreadable. */
function parsed<T> (json: string | null): T | null {
  return json === null ? null : tried(() => JSON.parse(json) as T, null)
}

/**
 * Returns the draft as viewers may see it. Frames go to every viewer. A draft with credentials is left out of them, because a masked draft
 * from a frame could overwrite what was typed.
 */
function draftFor (
  row: SessionRow, { carriedBy, typed }: Pick<DetailOptions, 'carriedBy' | 'typed'>
): Static<typeof SessionDetail>['composer_draft'] {
  const draft = parsed<NonNullable<Static<typeof SessionDetail>['composer_draft']>>(row.draft)
  if (typed === true && carriedBy === undefined) return draft
  const shown = redactDeep(draft)
  return carriedBy !== undefined && shown !== draft ? undefined : shown
}

/** Another turn may have begun since the one whose frame carries the answer. */
function lastJournal ({ id, parked, ...columns }: LastJournal, sessionId: string, carriedBy: CarryingFrame | undefined) {
  const carried = carriedBy?.streamId === id
    ? { lastSeq: columns.lastSeq + carriedBy.framesBefore + 1, lastEvent: carriedBy.event }
    : {}
  return journalToWire(id, sessionId, { ...columns, ...carried, isParked: parked === 1 })
}
