import { eq } from 'drizzle-orm'
import { epochSeconds, type Clock } from '../ground/clock.js'
import { tables, type Database } from '../ground/database/index.js'
import { Conflict, Forbidden, Invalid } from '../ground/errors.js'
import { sessionId as newSessionId } from '../ground/ids.js'
import { type ImportPiece } from './import-task.js'
import { textOf } from './import.js'
import { type NewSession, type SessionRow } from './rows.js'
import { type RawMessage, type Transcript } from './transcript.js'
import { largestRowBytes } from './unreadable.js'

/** A conversation of another front end, as rows of ours. */
export interface ForeignConversation { title: string, workspace: string, profile: string, rows: RawMessage[] }

export interface EditsOptions {
  db: Database
  clock: Clock
  transcript: Transcript
  get: (id: string) => SessionRow
  insert: (input: NewSession) => SessionRow
  changed: (reason: string, sessionId?: string) => void
  attachments: SessionAttachments
}

/** The files that were uploaded to sessions. */
export interface SessionAttachments {
  copy (fromId: string, toId: string): Promise<void>
  remove (id: string): Promise<void>
}

/** Rows that are written at once; each also goes into the search index. */
const rowsAtOnce = 50
/** Writes some rows of a session, inside a transaction. */
type Piece = (id: string) => void
const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** What a person does to transcripts: cut them short, copy them, bring them in. Nothing of it while a turn runs. */
export function createEdits ({ db, clock, transcript, get, insert, changed, attachments }: EditsOptions) {
  const { sessions } = tables
  const live = db.sqlite.prepare<[string], string>("select id from streams where session_id = ? and state = 'active'").pluck()
  // A list of things to do that is younger than the last message was made by one that is gone.
  const touch = db.sqlite.prepare(
    `update sessions set updated_at = ?, last_prompt_tokens = null,
       todos = case when not json_valid(todos) then null when json_extract(todos, '$.ts') <= last_message_at then todos end where id = ?`)
  const requests = db.sqlite.prepare<[string], { position: number, body: string }>(
    `select position, body from messages
     where session_id = ? and role = 'user' and octet_length(body) <= ${largestRowBytes} and json_valid(body) and coalesce(json_extract(body, '$._source'), '') <> 'steer' order by position desc`)

  const messageAt = db.sqlite.prepare<[string, number], string>('select message_id from messages where session_id = ? and position = ?').pluck()
  const halfMade = db.sqlite.prepare<[], string>("select id from sessions where hidden = 1 and source in ('webui', 'fork', 'deleted')").pluck()

  /** Throws Forbidden for sessions that can only be read, and Conflict while a turn runs. */
  function editable (id: string): SessionRow {
    const row = get(id)
    if (row.readOnly) throw new Forbidden('This session is read-only')
    const streamId = live.get(id)
    if (streamId !== undefined) throw new Conflict('session already has an active stream', undefined, { active_stream_id: streamId })
    return row
  }

  function cut (row: SessionRow, keep: number, reason: string): void {
    if (keep >= row.messageCount) return
    transcript.truncate(row.id, keep)
    touch.run(epochSeconds(clock), row.id)
    changed(reason, row.id)
  }

  /** Where the last turn begins: not with what was typed into it, and not with a row that only brings the results of calls. */
  function lastTurn (id: string): { position: number, text: string } | null {
    for (const { position, body } of requests.iterate(id)) {
      const { content, attachments } = JSON.parse(body) as { content?: unknown, attachments?: unknown }
      const text = textOf(content)
      if (text.trim() !== '' || (Array.isArray(attachments) && attachments.length > 0)) return { position, text }
    }
    return null
  }

  /** Takes the last turn out and hands its message back. Null when there is none. */
  async function removeLastTurn (id: string, reason: string): Promise<{ text: string, removed: number } | null> {
    return await db.durably(() => {
      const row = editable(id)
      const last = lastTurn(id)
      if (last === null) return null
      cut(row, last.position, reason)
      return { text: last.text, removed: row.messageCount - last.position }
    })
  }

  function inherited (row: SessionRow): NewSession {
    return {
      profile: row.profile,
      workspace: row.workspace,
      model: row.model ?? undefined,
      modelProvider: row.modelProvider ?? undefined,
      projectId: row.projectId ?? undefined
    }
  }

  /**
   * Makes a session of pieces, a few rows each. They are written one by one, as nobody's token is to wait for them, and until all
   * are there nobody sees the session. `finish` runs in the transaction that shows it.
   */
  async function make (input: NewSession, reason: string, pieces: Piece[], finish: (id: string) => void = () => {}): Promise<SessionRow> {
    const reveal = (id: string): SessionRow => {
      transcript.count(id)
      finish(id)
      db.orm.update(sessions).set({ hidden: false }).where(eq(sessions.id, id)).run()
      changed(reason, id)
      return get(id)
    }
    if (pieces.length <= 1) {
      return await db.durably(() => {
        const { id } = insert({ ...input, hidden: true })
        for (const write of pieces) write(id)
        return reveal(id)
      })
    }
    const { id } = await db.durably(() => insert({ ...input, hidden: true }))
    try {
      for (const write of pieces) {
        db.transaction(() => write(id))
        await pause()
      }
      return await db.durably(() => reveal(id))
    } catch (error) {
      await discard(id)
      throw error
    }
  }

  /** Positions have no holes and ids do not come again: the same last message means the same messages. Throws Conflict. */
  function unchanged (id: string, total: number): () => void {
    const expected = messageAt.get(id, total - 1)
    return () => {
      if (messageAt.get(id, total - 1) !== expected) throw new Conflict('The session changed while it was being copied; nothing was made')
    }
  }

  /** Makes a session that begins with rows of another one, and has files of its own for what was uploaded to that. */
  async function copy (from: string, input: NewSession, reason: string, total: number, finish: (id: string) => void): Promise<SessionRow> {
    const id = newSessionId()
    await attachments.copy(from, id)
    try {
      return await make({ ...input, id }, reason, inPieces(total, (made, start, end) => transcript.copy(from, made, start, end)), finish)
    } catch (error) {
      await attachments.remove(id)
      throw error
    }
  }

  /** Removes a session that nobody has seen. */
  async function discard (id: string): Promise<void> {
    await attachments.remove(id)
    while (db.transaction(() => transcript.trim(id, rowsAtOnce))) await pause()
    db.transaction(() => db.orm.delete(sessions).where(eq(sessions.id, id)).run())
  }

  return {
    /** Keeps the first `keep` messages; more than there are changes nothing. */
    async truncate (id: string, keep: number, reason = 'session_truncate'): Promise<void> {
      await db.durably(() => cut(editable(id), keep, reason))
    },

    /** Takes the last turn out. Null: there is nothing to undo. */
    undo: (id: string): Promise<{ text: string, removed: number } | null> => removeLastTurn(id, 'session_undo'),

    /** The same, for its message to be sent again. */
    retry: (id: string): Promise<{ text: string, removed: number } | null> => removeLastTurn(id, 'session_retry'),

    /** A session of its own that begins like another one; it may go on while the other's turn runs. Throws NotFound. */
    async branch (id: string, { keep, title }: { keep?: number, title?: string }): Promise<SessionRow> {
      const row = get(id)
      const total = Math.min(keep ?? row.messageCount, row.messageCount)
      const input = { ...inherited(row), title: forkTitle(title, row.title), source: 'fork' as const, parentSessionId: id }
      const check = unchanged(id, total)
      return await copy(id, input, 'session_branch', total, (made) => {
        check()
        const isSummarised = row.compressedBefore !== null && row.compressedBefore <= total
        db.orm.update(sessions).set({
          personality: row.personality,
          ...(isSummarised ? { compressionSummary: row.compressionSummary, compressedBefore: row.compressedBefore } : {})
        }).where(eq(sessions.id, made)).run()
      })
    },

    /** The same for a conversation of another front end. */
    async adopt (parentId: string, { title, workspace, profile, rows }: ForeignConversation, wanted: { keep?: number, title?: string }): Promise<SessionRow> {
      const kept = rows.slice(0, wanted.keep ?? rows.length)
      const input = { profile, workspace, title: forkTitle(wanted.title, title), source: 'fork' as const, parentSessionId: parentId }
      return await make(input, 'session_branch', inPieces(kept.length, (made, start, end) => transcript.fill(made, kept.slice(start, end), start)))
    },

    /** A copy with its counters and settings, that knows nothing of the first. Throws NotFound, and Invalid for a sub-agent's session. */
    async duplicate (id: string): Promise<SessionRow> {
      const row = get(id)
      if (row.source === 'subagent') throw new Invalid('A sub-agent\'s session cannot be duplicated')
      const input = { ...inherited(row), title: `${row.title} (copy)` }
      const check = unchanged(id, row.messageCount)
      return await copy(id, input, 'session_duplicate', row.messageCount, (made) => {
        check()
        db.orm.update(sessions).set({
          personality: row.personality, inputTokens: row.inputTokens, outputTokens: row.outputTokens, cacheReadTokens: row.cacheReadTokens,
          cacheWriteTokens: row.cacheWriteTokens, estimatedCost: row.estimatedCost, contextLength: row.contextLength, thresholdTokens: row.thresholdTokens,
          lastPromptTokens: row.lastPromptTokens, todos: row.todos, compressionSummary: row.compressionSummary, compressedBefore: row.compressedBefore
        }).where(eq(sessions.id, made)).run()
      })
    },

    /** A new session with these rows. `check` runs inside the transaction that shows it. */
    async bringIn (input: NewSession & { pinned: boolean }, pieces: ImportPiece[], check: () => void): Promise<SessionRow> {
      if (input.pinned) check()
      const writes = pieces.map(({ from, rows }): Piece => (made) => transcript.fill(made, JSON.parse(rows) as RawMessage[], from))
      return await make(input, 'session_import', writes, (made) => {
        if (!input.pinned) return
        check()
        db.orm.update(sessions).set({ pinned: true }).where(eq(sessions.id, made)).run()
      })
    },

    /** Removes what a stop of the service has left half made. */
    async sweep (): Promise<void> {
      for (const id of halfMade.all()) await discard(id)
    },

    discard,
    editable
  }
}

function inPieces (total: number, write: (id: string, start: number, end: number) => void): Piece[] {
  return Array.from({ length: Math.ceil(total / rowsAtOnce) }, (_, index) => (id) => write(id, index * rowsAtOnce, Math.min((index + 1) * rowsAtOnce, total)))
}

export type Edits = ReturnType<typeof createEdits>

const forkTitle = (wanted: string | undefined, parent: string): string => wanted === undefined || wanted.trim() === '' ? `${parent} (fork)` : wanted
