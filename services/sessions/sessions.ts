import { type Static } from '@sinclair/typebox'
import { eq, sql } from 'drizzle-orm'
import { type sessionFrames, type sessionListFrames, type SessionNews, type SessionStatus } from '../../schemas/sessions.js'
import { epochSeconds, type Clock } from '../ground/clock.js'
import { tables, type Database } from '../ground/database/index.js'
import { Forbidden, Invalid, NotFound } from '../ground/errors.js'
import { framesOf, type EventBroker, type NewFrame } from '../ground/events/index.js'
import { Listeners, type Heard } from '../ground/listeners.js'
import { firstCharacters, redact, redactDeep } from '../ground/redaction/index.js'
import { sessionId as newSessionId } from '../ground/ids.js'
import { createChanges } from './changes.js'
import { createDetails, sessionAnswer, type DetailOptions } from './detail.js'
import { createEdits, type SessionAttachments } from './edits.js'
import { createSessionLists, type ForeignRows, type ListFlags, type SessionList } from './list.js'
import { SessionPages } from './pages.js'
import { sessionToWire, shownModel, type DefaultModel, type Liveness, type NewSession, type SessionRow, type SessionWire } from './rows.js'
import { createMentions } from './mentions.js'
import { createSearch, searchAnswer, type SearchInput } from './search.js'
import { createTranscript } from './transcript.js'
import { createSessionWorktrees } from './worktrees.js'

const listFrame = framesOf<typeof sessionListFrames>()
const sessionFrame = framesOf<typeof sessionFrames>()

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

/** Sessions of other front ends, which are shown among our own: they can be read, and nothing else. */
export interface ForeignSource {
  has (id: string): boolean
  rows (flags: ListFlags): ForeignRows
  /** The folder it worked in. Throws NotFound. */
  workspaceOf (id: string): string
}

/** The folder a session works in. */
export interface SessionFolder { workspace: string, readOnly: boolean, isForeign: boolean }

/** What happens to sessions, for what follows from it. */
export interface SessionEvents {
  /** These, one session and what runs beside it, are about to be deleted: what is at work in them has to stop now. */
  removing (ids: readonly string[]): void
  /** They are gone, with all their rows. */
  removed (ids: readonly string[]): void
}

export const untitled = 'Untitled'
const titleChars = 80

/** Conversations: their rows, their transcripts, and the JSON text that answers carry. */
export function createSessions ({ db, events, clock, defaultModel, isMasked = () => true, pinLimit = () => 3, attachments = { copy: async () => {}, remove: async () => {} }, log = () => {} }: SessionsOptions) {
  const { orm, sqlite } = db
  const { sessions } = tables
  const transcript = createTranscript(db)
  const listeners = new Listeners<SessionEvents>((event, error) => log('what follows from a session went wrong', { event, reason: String(error) }))
  const byId = orm.select().from(sessions).where(eq(sessions.id, sql.placeholder('id'))).prepare()
  const insert = orm.insert(sessions).values({
    id: sql.placeholder('id'),
    profile: sql.placeholder('profile'),
    workspace: sql.placeholder('workspace'),
    model: sql.placeholder('model'),
    modelProvider: sql.placeholder('modelProvider'),
    projectId: sql.placeholder('projectId'),
    title: sql.placeholder('title'),
    titleSource: sql.placeholder('titleSource'),
    hidden: sql.placeholder('hidden'),
    readOnly: sql.placeholder('readOnly'),
    source: sql.placeholder('source'),
    parentSessionId: sql.placeholder('parentSessionId'),
    relationshipType: sql.placeholder('relationshipType'),
    createdAt: sql.placeholder('now'),
    updatedAt: sql.placeholder('now')
  }).prepare()
  const liveOf = sqlite.prepare<[string], { id: string, startedAt: number, userMessageId: string | null }>(
    "select id, started_at as startedAt, user_message_id as userMessageId from streams where session_id = ? and state = 'active'")
  const waitingOf = sqlite.prepare<[string], { kind: string, count: number }>(
    "select kind, count(*) as count from prompts where session_id = ? and state in ('open', 'answering') group by kind")
  const nameAutomatically = sqlite.prepare("update sessions set title = ?, title_source = 'automatic' where id = ? and title_source <> 'manual'")
  const isHidden = sqlite.prepare<[string], number>('select hidden from sessions where id = ?').pluck()
  /** Out of every list, and what a stop of the service in between leaves of it is swept away as half made. */
  const conceal = sqlite.prepare("update sessions set hidden = 1, source = 'deleted' where id = ?")
  /** The sessions of what runs beside a session: answers on the side, background tasks, sub-agents, theirs included. */
  const besideOf = sqlite.prepare<[string], string>(
    `with recursive own(id) as (
       select id from sessions where parent_session_id = ? and source in ('btw', 'background', 'subagent')
       union select sessions.id from sessions join own on parent_session_id = own.id where source in ('btw', 'background', 'subagent'))
     select id from own`).pluck()
  const visible = sqlite.prepare<[], { count: number }>('select count(*) as count from sessions where message_count > 0 and hidden = 0 and archived = 0')

  /** Raised by every change that a list could show; a cached list is as good as its version. */
  let version = 0
  let foreign: ForeignSource | undefined

  function get (id: string): SessionRow {
    const row = byId.get({ id })
    if (row === undefined || row.source === 'deleted') throw row === undefined && foreign?.has(id) === true ? new Forbidden('This session belongs to another front end and is read-only') : new NotFound('Session not found')
    return row
  }

  /** It is one of this service's own. */
  function has (id: string): boolean {
    return byId.get({ id }) !== undefined
  }

  /** It is one of another front end, and none of ours. */
  function isForeign (id: string): boolean {
    return !has(id) && foreign?.has(id) === true
  }

  function livenessOf (id: string, stream = liveOf.get(id)): Liveness {
    let approvals = 0
    let questions = 0
    for (const { kind, count } of waitingOf.all(id)) {
      if (kind === 'approval') approvals = count
      else questions = count
    }
    return { streamId: stream?.id ?? null, startedAt: stream?.startedAt ?? null, approvals, questions }
  }

  function rowToWire (row: SessionRow, live = livenessOf(row.id)): SessionWire {
    return sessionToWire(row, live, defaultModel(row.profile), { masked: isMasked() })
  }

  const changes = createChanges({
    db, clock, get, changed, pinLimit,
    forget: (id) => details.forget(id),
    shownModel: (row) => shownModel(row, defaultModel(row.profile))
  })
  const edits = createEdits({ db, clock, transcript, get, insert: insertNow, changed, attachments })
  const { search } = createSearch({ db, isMasked })
  const foreignRows = (flags: ListFlags): ForeignRows => foreign?.rows(flags) ?? { rows: [], total: 0 }
  const lists = createSessionLists({ db, get, toWire: rowToWire, version: () => version, foreign: foreignRows })
  const pages = new SessionPages({ db, get, toWire: rowToWire, version: () => version, foreign: foreignRows })
  const details = createDetails({
    db, get, transcript, variant: () => isMasked() ? 'masked' : 'plain',
    toWire: (row, stream) => rowToWire(row, livenessOf(row.id, stream))
  })

  function insertNow (input: NewSession): SessionRow {
    const id = input.id ?? newSessionId()
    insert.run({
      id,
      profile: input.profile,
      workspace: input.workspace,
      model: input.model ?? null,
      modelProvider: input.modelProvider ?? null,
      projectId: input.projectId ?? null,
      title: input.title === undefined ? untitled : cleanTitle(input.title),
      titleSource: input.title === undefined ? 'untitled' : 'manual',
      hidden: input.hidden ?? false,
      readOnly: input.readOnly ?? false,
      source: input.source ?? 'webui',
      parentSessionId: input.parentSessionId ?? null,
      relationshipType: input.relationshipType ?? null,
      now: epochSeconds(clock)
    })
    if (input.hidden !== true) changed('session_new', id)
    return get(id)
  }

  /** Tells list readers that something changed; called after the change is in the transaction. */
  function changed (reason: string, sessionId?: string): void {
    details.forget(sessionId)
    lists.forget(sessionId)
    pages.forget(sessionId)
    if (sessionId !== undefined) {
      const event = reason === 'turn_started' ? 'server_turn_started' : 'session-updated'
      db.afterCommit(() => events.publish({ kind: 'session', id: sessionId }, () => sessionFrame(event, { ...news(sessionId), reason })))
    }
    // What is in no list changes none.
    if (sessionId !== undefined && isHidden.get(sessionId) === 1) return
    version++
    db.afterCommit(() => events.publish({ kind: 'sessions', id: 'all' }, () =>
      listFrame('sessions_changed', { type: 'sessions_changed', version, reason, ...(sessionId === undefined ? {} : { session_id: sessionId }) })))
  }

  /** What those who have a session open want to know first. A session that is gone is told of as well. */
  function news (id: string): Static<typeof SessionNews> {
    const row = byId.get({ id })
    const stream = liveOf.get(id)
    return {
      session_id: id,
      stream_id: stream?.id ?? null,
      active_stream_id: stream?.id ?? null,
      pending_started_at: stream?.startedAt ?? null,
      message_count: row?.messageCount ?? 0,
      updated_at: row?.updatedAt ?? null
    }
  }

  const self = {
    ...changes,
    ...edits,
    /** Whether a conversation names exactly this path. */
    mentions: createMentions(db),
    on: listeners.on.bind(listeners) as Heard<SessionEvents>['on'],
    /** What stands first on the stream of a session, and on that of the list. */
    opening: (id: string): NewFrame => sessionFrame('initial', news(id)),
    openingOfList: (): NewFrame => listFrame('sessions_changed', { type: 'sessions_changed', version, reason: 'initial' }),
    transcript,
    get,
    has,
    /** Shows sessions of other front ends among our own from now on. */
    include (source: ForeignSource): void { foreign = source },
    isForeign,

    /** Throws NotFound. */
    folderOf (id: string): SessionFolder {
      if (isForeign(id)) return { workspace: foreign!.workspaceOf(id), readOnly: true, isForeign: true }
      const { workspace, readOnly } = get(id)
      return { workspace, readOnly, isForeign: false }
    },

    rowToWire,
    isMasked,
    /** A value as it is shown: with credentials masked, unless the settings say otherwise. */
    shown: <T>(value: T): T => isMasked() ? redactDeep(value) : value,
    changed,
    version: () => version,
    /** Conversations with at least one message. */
    count: () => visible.get()!.count,

    create: (input: NewSession): Promise<SessionRow> => db.durably(() => insertNow(input)),
    /** The same inside the caller's transaction. */
    insert: insertNow,

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

    status (id: string): Static<typeof SessionStatus> {
      const row = get(id)
      const { streamId } = livenessOf(id)
      return {
        session_id: row.id,
        title: isMasked() ? redact(row.title) : row.title,
        model: shownModel(row, defaultModel(row.profile)).model,
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
    },

    /** Trims and cuts the title; a blank one becomes Untitled, and lets the automatic title back in. */
    async rename (id: string, title: string): Promise<SessionRow> {
      const clean = cleanTitle(title)
      return await db.durably(() => {
        get(id)
        const row = orm.update(sessions)
          .set({ title: clean, titleSource: clean === untitled ? 'untitled' : 'manual', updatedAt: epochSeconds(clock) })
          .where(eq(sessions.id, id)).returning().get()
        changed('session_rename', id)
        return row
      })
    },

    /** A title the service found by itself; a person's own is left alone. Returns whether it was taken. */
    setAutomaticTitle (id: string, title: string): boolean {
      const { changes } = nameAutomatically.run(cleanTitle(title), id)
      if (changes > 0) changed('session_title', id)
      return changes > 0
    },

    /** The session, if a person may delete it. Throws NotFound, and Invalid for what goes with another session. */
    removable (id: string): SessionRow {
      const row = get(id)
      if (row.source === 'subagent') throw new Invalid('A sub-agent\'s session goes with the one it belongs to')
      return row
    },

    /**
     * Removes the session, what ran beside it, and everything that hangs on them, after what runs there was stopped. It is gone for everybody at once; a long
     * transcript is taken apart a few rows at a time. Throws NotFound.
     */
    async remove (id: string): Promise<void> {
      get(id)
      listeners.emit('removing', [...besideOf.all(id), id])
      const own = await db.durably(() => {
        get(id)
        const own = [...besideOf.all(id), id]
        // Told before it is concealed: what is in no list changes none.
        changed('session_delete', id)
        for (const each of own) conceal.run(each)
        return own
      })
      for (const each of own) {
        await edits.discard(each)
        details.forget(each)
        lists.forget(each)
        pages.forget(each)
      }
      listeners.emit('removed', own)
    }
  }
  /** Sessions that work in a git worktree of their own. */
  return Object.assign(self, { worktrees: createSessionWorktrees({ db, clock, sessions: self }) })
}

export type Sessions = ReturnType<typeof createSessions>

function cleanTitle (title: string): string {
  const trimmed = firstCharacters(title.replaceAll(/\s+/g, ' ').trim(), titleChars).trim()
  return trimmed === '' ? untitled : trimmed
}
