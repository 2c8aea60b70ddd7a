import { eq, sql } from 'drizzle-orm'
import { epochSeconds, type Clock } from '../clock.js'
import { tables, type Database } from '../database/index.js'
import { NotFound } from '../errors.js'
import { frame, type EventBroker } from '../events/index.js'
import { sessionId as newSessionId } from '../ids.js'
import { idle, sessionToWire, type DefaultModel, type Liveness, type SessionRow, type SessionWire } from './rows.js'
import { createTranscript, windowLimit, type Window } from './transcript.js'

export interface NewSession {
  profile: string
  workspace: string
  model?: string
  modelProvider?: string
  projectId?: string
  title?: string
  /** Kept out of every list: it belongs to a conversation beside which something goes on. */
  hidden?: boolean
  readOnly?: boolean
  source?: SessionRow['source']
  parentSessionId?: string
  relationshipType?: string
}

export interface ListFlags { profile: string, allProfiles: boolean, includeArchived: boolean, excludeHidden: boolean }
export interface DetailOptions { messages: boolean, window?: Window }

export interface SessionsOptions {
  db: Database
  events: EventBroker
  clock: Clock
  /** The model a session uses that has not chosen one. */
  defaultModel: (profile: string) => DefaultModel
}

/** `bytes`: the JSON array of rows. `key` and `version` name its content. */
export interface SessionList { key: string, version: number, bytes: Buffer }

export const untitled = 'Untitled'
const titleChars = 80

/** Conversations: their rows, their transcripts, and the JSON text that answers carry. */
export function createSessions ({ db, events, clock, defaultModel }: SessionsOptions) {
  const { orm, sqlite } = db
  const { sessions } = tables
  const transcript = createTranscript(db)
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
  const live = sqlite.prepare<[], { sessionId: string, id: string, startedAt: number }>(
    "select session_id as sessionId, id, started_at as startedAt from streams where state = 'active'")
  const liveOf = sqlite.prepare<[string], { id: string, startedAt: number, userMessageId: string | null }>(
    "select id, started_at as startedAt, user_message_id as userMessageId from streams where session_id = ? and state = 'active'")
  const waiting = sqlite.prepare<[], { sessionId: string, kind: string, count: number }>(
    "select session_id as sessionId, kind, count(*) as count from prompts where state in ('open', 'answering') group by session_id, kind")
  const waitingOf = sqlite.prepare<[string], { kind: string, count: number }>(
    "select kind, count(*) as count from prompts where session_id = ? and state in ('open', 'answering') group by kind")
  const journalOf = sqlite.prepare<[string], { id: string, lastSeq: number, terminalState: string | null, closed: number }>(
    "select id, last_seq as lastSeq, terminal_state as terminalState, state = 'closed' as closed from streams where session_id = ? order by started_at desc limit 1")
  const nameAutomatically = sqlite.prepare("update sessions set title = ?, title_source = 'automatic' where id = ? and title_source <> 'manual'")
  const removal = sqlite.prepare('delete from sessions where id = ?')
  const besideOf = sqlite.prepare<[string], string>(
    `with recursive own(id) as (
       select id from sessions where parent_session_id = ? and source in ('btw', 'background', 'subagent')
       union select sessions.id from sessions join own on parent_session_id = own.id where source in ('btw', 'background', 'subagent'))
     select id from own`).pluck()
  const visible = sqlite.prepare<[], { count: number }>('select count(*) as count from sessions where message_count > 0 and hidden = 0 and archived = 0')

  const archived = sqlite.prepare<[], { count: number }>('select count(*) as count from sessions where archived = 1 and hidden = 0')

  /** Raised by every change that a list could show; a cached list is as good as its version. */
  let version = 0
  const lists = new Map<string, SessionList>()

  function get (id: string): SessionRow {
    const row = byId.get({ id })
    if (row === undefined) throw new NotFound('Session not found')
    return row
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

  function allLiveness (): Map<string, Liveness> {
    const map = new Map<string, Liveness>()
    const of = (id: string): Liveness => {
      const known = map.get(id) ?? { ...idle }
      map.set(id, known)
      return known
    }
    for (const row of live.all()) Object.assign(of(row.sessionId), { streamId: row.id, startedAt: row.startedAt })
    for (const row of waiting.all()) of(row.sessionId)[row.kind === 'approval' ? 'approvals' : 'questions'] = row.count
    return map
  }

  function rowToWire (row: SessionRow, live = livenessOf(row.id)): SessionWire {
    return sessionToWire(row, live, defaultModel(row.profile))
  }

  function insertNow (input: NewSession): SessionRow {
    const id = newSessionId()
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
    version++
    db.afterCommit(() => events.publish({ kind: 'sessions', id: 'all' }, () =>
      frame('sessions_changed', { type: 'sessions_changed', version, reason, ...(sessionId === undefined ? {} : { session_id: sessionId }) })))
  }

  return {
    transcript,
    get,
    rowToWire,
    changed,
    version: () => version,
    /** Conversations with at least one message. */
    count: () => visible.get()!.count,
    archivedCount: () => archived.get()!.count,

    create: (input: NewSession): Promise<SessionRow> => db.durably(() => insertNow(input)),
    /** The same inside the caller's transaction. */
    insert: insertNow,

    /** The rows of a list; the same bytes as long as nothing has changed. */
    list (flags: ListFlags): SessionList {
      const fallback = defaultModel(flags.profile)
      const key = JSON.stringify([flags, fallback])
      const cached = lists.get(key)
      if (cached !== undefined && cached.version === version) return cached
      const liveness = allLiveness()
      const rows = orm.select().from(sessions).all()
        .filter((row) => (flags.allProfiles || row.profile === flags.profile) && (flags.includeArchived || !row.archived) && !row.hidden)
        .filter((row) => row.messageCount > 0 || row.pinned || row.worktreePath !== null || liveness.get(row.id)?.streamId != null)
        .sort((a, b) => (b.lastMessageAt ?? b.updatedAt) - (a.lastMessageAt ?? a.updatedAt))
      const bytes = Buffer.from(`[${rows.map((row) => JSON.stringify(sessionToWire(row, liveness.get(row.id) ?? idle, defaultModel(row.profile)))).join(',')}]`)
      const list = { key, version, bytes }
      if (lists.size >= 16) lists.clear()
      lists.set(key, list)
      return list
    },

    /** The session object of the interface with its messages, as JSON text. */
    detail (id: string, { messages, window = {} }: DetailOptions): string {
      const row = get(id)
      const stream = liveOf.get(id)
      const slice = messages
        ? transcript.slice(id, row.messageCount, window, stream?.userMessageId ?? null)
        : { messages: [], toolCalls: [], offset: 0 }
      const journal = journalOf.get(id)
      const head = JSON.stringify({
        ...rowToWire(row, livenessOf(id, stream)),
        pending_user_message: null,
        pending_attachments: [],
        threshold_tokens: row.thresholdTokens,
        last_prompt_tokens: row.lastPromptTokens,
        ...transcript.compressionAnchor(row),
        todo_state: row.todos === null ? null : JSON.parse(row.todos),
        runtime_journal: journal === undefined ? null : journalToWire(journal, id),
        _messages_truncated: messages && window.limit !== undefined && slice.offset > 0,
        _messages_offset: slice.offset,
        _msg_limit_max: windowLimit
      })
      return `${head.slice(0, -1)},"messages":[${slice.messages.join(',')}],"tool_calls":[${slice.toolCalls.join(',')}]}`
    },

    status (id: string) {
      const row = get(id)
      const { streamId } = livenessOf(id)
      const fallback = defaultModel(row.profile)
      return {
        session_id: row.id,
        title: row.title,
        model: row.model ?? fallback.model,
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
        const row = orm.update(sessions)
          .set({ title: clean, titleSource: clean === untitled ? 'untitled' : 'manual', updatedAt: epochSeconds(clock) })
          .where(eq(sessions.id, id)).returning().get()
        if (row === undefined) throw new NotFound('Session not found')
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

    /** The sessions of what runs beside a session: answers on the side, background tasks, sub-agents, theirs included. */
    beside: (id: string): string[] => besideOf.all(id),

    /** Removes the session, what ran beside it, and everything that hangs on them. Throws NotFound. */
    async remove (id: string): Promise<void> {
      await db.durably(() => {
        for (const own of besideOf.all(id)) removal.run(own)
        if (removal.run(id).changes === 0) throw new NotFound('Session not found')
        changed('session_delete', id)
      })
    }
  }
}

export type Sessions = ReturnType<typeof createSessions>

function cleanTitle (title: string): string {
  const trimmed = [...title.replaceAll(/\s+/g, ' ').trim()].slice(0, titleChars).join('').trim()
  return trimmed === '' ? untitled : trimmed
}

function journalToWire ({ id, lastSeq, terminalState, closed }: { id: string, lastSeq: number, terminalState: string | null, closed: number }, sessionId: string) {
  return {
    session_id: sessionId, run_id: id, last_seq: lastSeq, last_event_id: `${id}:${lastSeq}`,
    terminal: closed === 1, terminal_state: terminalState ?? (lastSeq === 0 ? 'unknown' : 'running')
  }
}
