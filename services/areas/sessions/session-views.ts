import { type Static } from '@sinclair/typebox'
import { type SessionOutline, type SessionStatus } from '../../../schemas/sessions.js'
import { type Database } from '../../ground/database/index.js'
import { hostOnWire } from '../../ground/remote-folder.js'
import { redact, redactDeep } from '../../ground/redaction/index.js'
import { createDetails, type DetailOptions } from './detail.js'
import { createSessionLists, type SessionList } from './list.js'
import { type ListFlags } from './listed-ids.js'
import { type LivenessOf } from './liveness.js'
import { type SessionLookup } from './lookup.js'
import { type Variant } from './message-rows.js'
import { outlineOf } from './outline.js'
import { SessionPages } from './pages.js'
import { sessionToWire, shownModel, type DefaultModel, type SessionRow, type SessionWire } from './rows.js'
import { createSearch, searchAnswer, type SearchInput } from './search.js'
import { type Transcript } from './transcript.js'

export interface ViewsOptions {
  db: Database
  lookup: SessionLookup
  liveness: LivenessOf
  transcript: Transcript
  /** Rises with every change that a list could show. */
  version: () => number
  /** Returns the model for sessions that have not chosen one. */
  defaultModel: (profile: string) => DefaultModel
  /** Whether credentials are masked in what is shown. */
  isMasked: () => boolean
}

/** Sessions as clients are shown them: rows, lists and pages of rows, whole conversations, and their status. */
export function createViews ({ db, lookup: { get, foreignRows }, liveness, transcript, version, defaultModel, isMasked }: ViewsOptions) {
  const rowToWire = (row: SessionRow, live = liveness.of(row.id)): SessionWire =>
    sessionToWire(row, live, defaultModel(row.profile), { masked: isMasked() })
  const lists = createSessionLists({ db, get, toWire: rowToWire, version, foreign: foreignRows })
  const variant = (): Variant => isMasked() ? 'masked' : 'plain'
  const pages = new SessionPages({
    db, get, toWire: rowToWire, version, foreign: foreignRows, lastSaid: (row) => transcript.lastSaid(row, variant())
  })
  const details = createDetails({
    db, liveness, get, transcript, variant,
    toWire: (row, stream) => rowToWire(row, liveness.of(row.id, stream ?? null))
  })
  const { search } = createSearch({ db, isMasked })

  return {
    /** What clients are shown of sessions. */
    shown: {
      rowToWire,
      isMasked,
      /** Returns a value with credentials masked, unless the settings turn masking off. */
      shown: <T>(value: T): T => isMasked() ? redactDeep(value) : value,
      /** Returns the rows of a list; the same object while its content is the same. */
      list: (flags: ListFlags): Promise<SessionList> => lists.list(flags, () => defaultModel(flags.profile)),
      /** Pages of the same list, and single rows of it. */
      pages,
      /** Returns the answer to a search, as JSON text in pieces; see createSearch. */
      async search (flags: ListFlags, input: SearchInput): Promise<Buffer[]> {
        const { entries, rows } = await lists.list(flags, () => defaultModel(flags.profile))
        const rest = { query: input.query.trim(), active_profile: flags.profile }
        // A blank query finds everything, in the list's order.
        if (rest.query === '') return searchAnswer(rows, { ...rest, count: entries.length })
        const found = await search(entries, input)
        return searchAnswer([Buffer.from(`{"sessions":[${found.join(',')}]`)], { ...rest, count: found.length })
      },
      /** Returns the session object of the interface with its messages, as JSON text. Throws NotFound. */
      detail: details.detail,
      /** Returns the same as an answer: under `session`, beside the keys of `rest`. A long session is read in portions. */
      answer: (id: string, options: DetailOptions = { messages: true }, rest: Record<string, unknown> = {}): Promise<Buffer[]> =>
        details.answer(id, options, rest),
      /** Returns the outline of a session: messages of people, and headings of long answers. Throws NotFound. */
      async outline (id: string): Promise<Static<typeof SessionOutline>> {
        const { messageCount } = get(id)
        // The rows are masked already if they are to be.
        const { items, isCut } = await outlineOf(transcript.outlined(id, variant()), { masked: false })
        return { session_id: id, message_count: messageCount, entries: items, truncated: isCut }
      },
      /** Returns the status of a session. Throws NotFound. */
      status: (id: string): StandingWire =>
        statusToWire(get(id), liveness.of(id).streamId, { fallback: defaultModel(get(id).profile), masked: isMasked() })
    },

    /** Called when a session has changed; without an id, any may have. */
    forget (id?: string): void {
      details.forget(id)
      lists.forget(id)
      pages.forget(id)
    },

    /** The same for changes that show in no list. */
    forgetDetail: details.forget
  }
}

/** Without `silent`, which only the running turn knows. */
type StandingWire = Omit<Static<typeof SessionStatus>, 'silent'>

function statusToWire (row: SessionRow, streamId: string | null, { fallback, masked }: { fallback: DefaultModel, masked: boolean }) {
  return {
    session_id: row.id,
    title: masked ? redact(row.title) : row.title,
    model: shownModel(row, fallback).model,
    profile: row.profile,
    workspace: row.workspace,
    ...hostOnWire(row.workspace),
    personality: row.personality,
    message_count: row.messageCount,
    agent_running: streamId !== null,
    is_streaming: streamId !== null,
    active_stream_id: streamId,
    pending_user_message: null,
    input_tokens: row.inputTokens,
    output_tokens: row.outputTokens,
    total_tokens: row.inputTokens + row.outputTokens,
    estimated_cost: row.estimatedCost,
    created_at: row.createdAt,
    updated_at: row.updatedAt
  }
}
