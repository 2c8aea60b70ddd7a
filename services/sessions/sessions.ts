import { type Static } from '@sinclair/typebox'
import { type SessionStatus } from '../../schemas/sessions.js'
import { epochSeconds, type Clock } from '../ground/clock.js'
import { type Database } from '../ground/database/index.js'
import { Forbidden, Invalid, NotFound } from '../ground/errors.js'
import { type EventBroker } from '../ground/events/index.js'
import { sessionId as newSessionId } from '../ground/ids.js'
import { firstCharacters, redact, redactDeep } from '../ground/redaction/index.js'
import { createChanges } from './changes.js'
import { createDetails, sessionAnswer, type DetailOptions } from './detail.js'
import { createEdits } from './edits.js'
import { noForeign, type ForeignSource } from './foreign-source.js'
import { createSessionLists, type ListFlags, type SessionList } from './list.js'
import { createLiveness } from './liveness.js'
import { type SessionAttachments } from './making.js'
import { createMentions } from './mentions.js'
import { createNotices } from './notices.js'
import { SessionPages } from './pages.js'
import { createRemoval } from './removal.js'
import { sessionToWire, shownModel, type DefaultModel, type NewSession, type SessionRow, type SessionWire } from './rows.js'
import { createSearch, searchAnswer, type SearchInput } from './search.js'
import { createSessionRows } from './session-rows.js'
import { Transcript } from './transcript.js'
import { createSessionWorktrees } from './worktrees.js'

export interface SessionsOptions {
  db: Database
  events: EventBroker
  clock: Clock
  /** The model a session uses that has not chosen one. */
  defaultModel: (profile: string) => DefaultModel
  /** Credentials are masked in what is shown. */
  isMasked?: () => boolean
  /** How many sessions of a profile may be pinned. */
  pinLimit?: () => number
  /** The files that were uploaded to sessions. */
  attachments?: SessionAttachments
  log?: (message: string, details: Record<string, unknown>) => void
}

/** The folder a session works in. */
export interface SessionFolder { workspace: string, readOnly: boolean, isForeign: boolean }

export const untitled = 'Untitled'
const titleChars = 80
const noAttachments: SessionAttachments = { copy: async () => {}, remove: async () => {} }

/** Conversations: their rows, their transcripts, and the JSON text that answers carry. */
export function createSessions ({ db, events, clock, defaultModel, isMasked = () => true, pinLimit = () => 3, attachments = noAttachments, log = () => {} }: SessionsOptions) {
  const rows = createSessionRows(db)
  const liveness = createLiveness(db)
  const transcript = new Transcript(db, rows)
  const { changed, opening, openingOfList, version } = createNotices({ db, events, rows, liveness, forget })
  let foreign = noForeign

  const rowToWire = (row: SessionRow, live = liveness.of(row.id)): SessionWire => sessionToWire(row, live, defaultModel(row.profile), { masked: isMasked() })
  const lists = createSessionLists({ db, get, toWire: rowToWire, version, foreign: (flags) => foreign.rows(flags) })
  const pages = new SessionPages({ db, get, toWire: rowToWire, version, foreign: (flags) => foreign.rows(flags) })
  const details = createDetails({
    db, get, transcript, variant: () => isMasked() ? 'masked' : 'plain',
    toWire: (row, stream) => rowToWire(row, liveness.of(row.id, stream))
  })
  const { search } = createSearch({ db, isMasked })
  const changes = createChanges({
    db, clock, rows, get, changed, pinLimit, liveness, forget: details.forget,
    shownModel: (row) => shownModel(row, defaultModel(row.profile))
  })
  const edits = createEdits({ db, clock, rows, transcript, liveness, get, insert, changed, attachments })

  const has = (id: string): boolean => rows.find(id) !== undefined
  const isForeign = (id: string): boolean => !has(id) && foreign.has(id)

  function forget (id?: string): void {
    details.forget(id)
    lists.forget(id)
    pages.forget(id)
  }

  function get (id: string): SessionRow {
    const row = rows.find(id)
    if (row === undefined && foreign.has(id)) throw new Forbidden('This session belongs to another front end and is read-only')
    if (row === undefined || row.source === 'deleted') throw new NotFound('Session not found')
    return row
  }

  function insert (input: NewSession): SessionRow {
    const id = input.id ?? newSessionId()
    const isNamed = input.title !== undefined
    rows.insert(id, input, { title: isNamed ? cleanTitle(input.title!) : untitled, titleSource: isNamed ? 'manual' : 'untitled', nowS: epochSeconds(clock) })
    if (input.hidden !== true) changed('session_new', id)
    return get(id)
  }

  const create = (input: NewSession): Promise<SessionRow> => db.durably(() => insert(input))

  return {
    ...changes,
    ...edits,
    ...createRemoval({ db, rows, edits, get, changed, forget, log }),
    worktrees: createSessionWorktrees({ db, clock, rows, sessions: { get, create, insert, changed, editable: edits.editable } }),
    /** Writes for whoever stores something of a session together with rows of its own. */
    rows,
    /** What stands first on the stream of a session, and on that of the list. */
    opening,
    openingOfList,
    transcript,
    /** Throws NotFound, and Forbidden for one of another front end. */
    get,
    /** It is one of this service's own. */
    has,
    /** It is one of another front end, and none of ours. */
    isForeign,
    /** Shows sessions of other front ends among our own from now on. */
    include (source: ForeignSource): void { foreign = source },

    /** Throws NotFound. */
    folderOf (id: string): SessionFolder {
      if (isForeign(id)) return { workspace: foreign.workspaceOf(id), readOnly: true, isForeign: true }
      const { workspace, readOnly } = get(id)
      return { workspace, readOnly, isForeign: false }
    },

    rowToWire,
    isMasked,
    /** A value as it is shown: with credentials masked, unless the settings say otherwise. */
    shown: <T>(value: T): T => isMasked() ? redactDeep(value) : value,
    changed,
    version,
    /** Whether a conversation names exactly this path. */
    mentions: createMentions(db),
    /** Conversations with at least one message. */
    count: rows.visible,

    create,
    /** The same inside the caller's transaction. */
    insert,

    /** The rows of a list; the same object as long as nothing has changed. */
    list: (flags: ListFlags): SessionList => lists.list(flags, defaultModel(flags.profile)),
    /** The same list a page at a time, and single rows of it. */
    pages,
    /** The answer to a search, as JSON text; see createSearch. */
    search (flags: ListFlags, input: SearchInput): string {
      const found = search(lists.list(flags, defaultModel(flags.profile)).entries, input)
      return searchAnswer(found, { query: input.query.trim(), count: found.length, active_profile: flags.profile })
    },
    /** The session object of the interface with its messages, as JSON text. Throws NotFound. */
    detail: details.detail,
    /** The same as an answer: under `session`, beside the keys of `rest`. */
    answer: (id: string, options: DetailOptions = { messages: true }, rest: Record<string, unknown> = {}): Buffer => sessionAnswer(details.detail(id, options), rest),

    /** Where it stands. Throws NotFound. */
    status: (id: string): Static<typeof SessionStatus> => statusToWire(get(id), liveness.of(id).streamId, { fallback: defaultModel(get(id).profile), masked: isMasked() }),

    /** Trims and cuts the title; a blank one becomes Untitled, and lets the automatic title back in. */
    async rename (id: string, title: string): Promise<SessionRow> {
      const clean = cleanTitle(title)
      return await db.durably(() => {
        get(id)
        const row = rows.set(id, { title: clean, titleSource: clean === untitled ? 'untitled' : 'manual', updatedAt: epochSeconds(clock) })
        changed('session_rename', id)
        return row
      })
    },

    /** A title the service found by itself; a person's own is left alone. Returns whether it was taken. */
    setAutomaticTitle (id: string, title: string): boolean {
      const isTaken = rows.nameAutomatically(id, cleanTitle(title))
      if (isTaken) changed('session_title', id)
      return isTaken
    },

    /** The session, if a person may delete it. Throws NotFound, and Invalid for what goes with another session. */
    removable (id: string): SessionRow {
      const row = get(id)
      if (row.source === 'subagent') throw new Invalid('A sub-agent\'s session goes with the one it belongs to')
      return row
    }
  }
}

export type Sessions = ReturnType<typeof createSessions>

function cleanTitle (title: string): string {
  const trimmed = firstCharacters(title.replaceAll(/\s+/g, ' ').trim(), titleChars).trim()
  return trimmed === '' ? untitled : trimmed
}

function statusToWire (row: SessionRow, streamId: string | null, { fallback, masked }: { fallback: DefaultModel, masked: boolean }) {
  return {
    session_id: row.id,
    title: masked ? redact(row.title) : row.title,
    model: shownModel(row, fallback).model,
    profile: row.profile,
    workspace: row.workspace,
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
