import { eq } from 'drizzle-orm'
import { epochSeconds, type Clock } from '../clock.js'
import { tables, type Database } from '../database/index.js'
import { Conflict, Forbidden, Invalid } from '../errors.js'
import { type SessionRow } from './rows.js'
import { type NewSession } from './sessions.js'
import { type RawMessage, type Transcript } from './transcript.js'

/** A conversation of another front end, as rows of ours. */
export interface ForeignConversation { title: string, workspace: string, profile: string, rows: RawMessage[] }

export interface EditsOptions {
  db: Database
  clock: Clock
  transcript: Transcript
  get: (id: string) => SessionRow
  insert: (input: NewSession) => SessionRow
  changed: (reason: string, sessionId?: string) => void
}

const previewChars = 40

/** What a person does to transcripts: cut them short, copy them, bring them in. Nothing of it while a turn runs. */
export function createEdits ({ db, clock, transcript, get, insert, changed }: EditsOptions) {
  const { sessions } = tables
  const live = db.sqlite.prepare<[string], string>("select id from streams where session_id = ? and state = 'active'").pluck()
  const touch = db.sqlite.prepare('update sessions set updated_at = ?, last_prompt_tokens = null where id = ?')

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

  /** Takes the last turn out. Null when there is none. */
  async function removeLastTurn (id: string, reason: string): Promise<{ text: string, removed: number } | null> {
    return await db.durably(() => {
      const row = editable(id)
      const last = transcript.lastTurn(id)
      if (last === undefined) return null
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

  return {
    /** Keeps the first `keep` messages; more than there are changes nothing. */
    async truncate (id: string, keep: number, reason = 'session_truncate'): Promise<void> {
      await db.durably(() => cut(editable(id), keep, reason))
    },

    /** Null: there is nothing to undo. */
    async undo (id: string): Promise<{ removed: number, preview: string } | null> {
      const removed = await removeLastTurn(id, 'session_undo')
      if (removed === null) return null
      const text = [...removed.text]
      return { removed: removed.removed, preview: text.length > previewChars ? `${text.slice(0, previewChars).join('')}...` : removed.text }
    },

    /** Takes the last turn out and hands its message back, to be sent again. Null: there is none. */
    retry: (id: string): Promise<{ text: string, removed: number } | null> => removeLastTurn(id, 'session_retry'),

    /** A session of its own that begins like another one; it may go on while the other's turn runs. */
    async branch (id: string, { keep, title }: { keep?: number, title?: string }): Promise<SessionRow> {
      return await db.durably(() => {
        const row = get(id)
        const made = insert({ ...inherited(row), title: title ?? `${row.title} (fork)`, source: 'fork', parentSessionId: id })
        transcript.copy(id, made.id, keep ?? row.messageCount)
        const copied = get(made.id)
        const isSummarised = row.compressedBefore !== null && row.compressedBefore <= copied.messageCount
        db.orm.update(sessions).set({
          personality: row.personality,
          ...(isSummarised ? { compressionSummary: row.compressionSummary, compressedBefore: row.compressedBefore } : {})
        }).where(eq(sessions.id, made.id)).run()
        changed('session_branch', made.id)
        return get(made.id)
      })
    },

    /** The same for a conversation of another front end. */
    async adopt (parentId: string, { title, workspace, profile, rows }: ForeignConversation, wanted: { keep?: number, title?: string }): Promise<SessionRow> {
      return await db.durably(() => {
        const made = insert({ profile, workspace, title: wanted.title ?? `${title} (fork)`, source: 'fork', parentSessionId: parentId })
        transcript.fill(made.id, rows.slice(0, wanted.keep ?? rows.length))
        changed('session_branch', made.id)
        return get(made.id)
      })
    },

    /** A copy with its counters and settings, that knows nothing of the first. Throws Invalid for a sub-agent's session. */
    async duplicate (id: string): Promise<SessionRow> {
      return await db.durably(() => {
        const row = get(id)
        if (row.source === 'subagent') throw new Invalid('A sub-agent\'s session cannot be duplicated')
        const made = insert({ ...inherited(row), title: `${row.title} (copy)` })
        transcript.copy(id, made.id, row.messageCount)
        db.orm.update(sessions).set({
          personality: row.personality, inputTokens: row.inputTokens, outputTokens: row.outputTokens, cacheReadTokens: row.cacheReadTokens,
          cacheWriteTokens: row.cacheWriteTokens, estimatedCost: row.estimatedCost, contextLength: row.contextLength, thresholdTokens: row.thresholdTokens,
          lastPromptTokens: row.lastPromptTokens, todos: row.todos, compressionSummary: row.compressionSummary, compressedBefore: row.compressedBefore
        }).where(eq(sessions.id, made.id)).run()
        changed('session_duplicate', made.id)
        return get(made.id)
      })
    },

    /** A new session with these rows. `check` runs inside the transaction. */
    async bringIn (input: NewSession & { pinned: boolean }, rows: RawMessage[], check: () => void): Promise<SessionRow> {
      return await db.durably(() => {
        if (input.pinned) check()
        const made = insert(input)
        transcript.fill(made.id, rows)
        if (input.pinned) db.orm.update(sessions).set({ pinned: true }).where(eq(sessions.id, made.id)).run()
        changed('session_import', made.id)
        return get(made.id)
      })
    },

    editable
  }
}

export type Edits = ReturnType<typeof createEdits>
