import { type Statement } from 'better-sqlite3'
import { eq, getTableColumns, sql } from 'drizzle-orm'
import { toSnakeCase } from 'drizzle-orm/casing'
import { inFolder, oneRow, tables, type Database } from '../../ground/database/index.js'
import { type Said } from './preview.js'
import { type NewSession, type SessionRow } from './rows.js'

/** What one model call used, as it is added to its session. */
interface CountedUsage {
  inputTokens: number
  outputTokens: number
  cacheReadTokens: number
  cacheWriteTokens: number
  /** What the context holds now; null = unchanged. */
  contextTokens: number | null
  /** Tokens of the model's window; null = unknown, keeps the stored value. */
  contextLength: number | null
  /** US dollars; null when the price is unknown. */
  cost: number | null
}

/**
 * The table `sessions`, with every write of it: what people and the service set, what its turns count, and what follows from its messages.
 * Each write runs inside the caller's transaction and notifies nobody.
 */
export function createSessionRows (db: Database) {
  return { ...reads(db), ...writes(db), ...turnWrites(db), ...transcriptWrites(db) }
}

export type SessionRows = ReturnType<typeof createSessionRows>

const { sessions } = tables

/** A row as SQLite returns it: booleans are numbers. */
type Flag = 'archived' | 'hidden' | 'pinned' | 'readOnly' | 'temporary'
type StoredRow = Omit<SessionRow, Flag> & Record<Flag, number>

/**
 * All columns, named as in `SessionRow`. Single rows are read and changed without drizzle, because building a query would take as long
 * again.
 */
const columns = Object.keys(getTableColumns(sessions)).map((name) => `${toSnakeCase(name)} as "${name}"`).join(', ')

const rowOf = (stored: StoredRow): SessionRow => ({
  ...stored, archived: stored.archived === 1, hidden: stored.hidden === 1, pinned: stored.pinned === 1, readOnly: stored.readOnly === 1,
  temporary: stored.temporary === 1
})

/** How many rows that were read are kept until the next write. */
const mostKept = 100

function reads ({ sqlite }: Database) {
  const byId = sqlite.prepare<[string], StoredRow>(`select ${columns} from sessions where id = ?`)
  const has = sqlite.prepare<[string], number>('select 1 from sessions where id = ?').pluck()
  const profileOf = sqlite.prepare<[string], string>("select profile from sessions where id = ? and source <> 'deleted'").pluck()
  const isHidden = sqlite.prepare<[string], number>('select hidden from sessions where id = ?').pluck()
  const changed = sqlite.prepare<[], number>('select total_changes()').pluck()
  let counted: { changes: number, count: number } | undefined
  let kept = { changes: -1, rows: new Map<string, SessionRow>() }
  function readRow (id: string): SessionRow | undefined {
    const stored = byId.get(id)
    return stored && rowOf(stored)
  }
  const visible = sqlite.prepare<[], number>(
    'select count(*) from sessions where message_count > 0 and hidden = 0 and archived = 0'
  ).pluck()
  const beside = sqlite.prepare<[string], string>(
    `with recursive own(id) as (
       select id from sessions where parent_session_id = ? and source in ('btw', 'background', 'subagent')
       union select sessions.id from sessions join own on parent_session_id = own.id where source in ('btw', 'background', 'subagent'))
     select id from own`).pluck()
  const halfMade = sqlite.prepare<[], string>(
    "select id from sessions where hidden = 1 and (source = 'deleted' or (source in ('webui', 'fork') and temporary = 0))"
  ).pluck()
  const isTemporary = sqlite.prepare<[string], number>(
    `with recursive above(id, parent_id, temporary) as (
       select id, case when source in ('btw', 'background', 'subagent') then parent_session_id end, temporary from sessions where id = ?
       union select sessions.id, case when source in ('btw', 'background', 'subagent') then parent_session_id end, sessions.temporary
         from above join sessions on sessions.id = above.parent_id)
     select max(temporary) from above`).pluck()
  const abandonedSql = `select id from sessions where hidden = 1 and temporary = 1 and source <> 'deleted'
    and coalesce(last_message_at, updated_at) < ? and not exists (select 1 from streams where session_id = sessions.id and state <> 'closed')`
  const abandoned = sqlite.prepare<[number], string>(abandonedSql).pluck()
  const isAbandoned = sqlite.prepare<[number, string], string>(`${abandonedSql} and id = ?`).pluck()
  const pinned = sqlite.prepare<[string, string], number>(
    'select count(*) from sessions where profile = ? and pinned = 1 and archived = 0 and hidden = 0 and id <> ?'
  ).pluck()
  const lastWorkspace = sqlite.prepare<[string], string>(
    'select workspace from sessions where profile = ? and hidden = 0 and worktree_path is null order by coalesce(last_message_at, updated_at) desc limit 1').pluck()

  return {
    /**
     * Returns undefined if there is none. A row that is read outside a transaction is kept until the next write to any table, because the
     * parts of a turn and of a request ask for the same row a dozen times.
     */
    find (id: string): Readonly<SessionRow> | undefined {
      if (sqlite.inTransaction) return readRow(id)
      const changes = oneRow(changed)
      if (kept.changes !== changes || kept.rows.size >= mostKept) kept = { changes, rows: new Map() }
      const row = kept.rows.get(id) ?? readRow(id)
      if (row !== undefined) kept.rows.set(id, row)
      return row
    },
    has: (id: string): boolean => has.get(id) !== undefined,
    /** Returns the profile of a session; undefined if it does not exist or was deleted. */
    profileOf: (id: string): string | undefined => profileOf.get(id),
    isHidden: (id: string): boolean => isHidden.get(id) === 1,
    /**
     * Returns the number of listed conversations with at least one message. Counted again only after a write, because monitoring asks
     * often.
     */
    visible (): number {
      const changes = oneRow(changed)
      if (counted?.changes !== changes) counted = { changes, count: oneRow(visible) }
      return counted.count
    },
    /** Returns the sessions that run beside a session: side questions, background tasks and sub-agents, including those of their own. */
    beside: (id: string): string[] => beside.all(id),
    /** Returns half-made or half-removed sessions that a stop of the service has left. */
    halfMade: (): string[] => halfMade.all(),
    /** Whether it is a temporary chat, or runs beside one. */
    isTemporary: (id: string): boolean => isTemporary.get(id) === 1,
    /** Returns temporary chats without a turn that nobody has written in since `beforeS` (epoch seconds). */
    abandoned: (beforeS: number): string[] => abandoned.all(beforeS),
    isAbandoned: (id: string, beforeS: number): boolean => isAbandoned.get(beforeS, id) !== undefined,
    /** Returns how many sessions of a profile are pinned, not counting `exceptId`. */
    pinned: (profile: string, exceptId: string): number => oneRow(pinned, profile, exceptId),
    /** Returns the folder of the last active conversation of a profile. Worktrees belong to their one conversation, so they are skipped. */
    lastWorkspace: (profile: string): string | undefined => lastWorkspace.get(profile)
  }
}

/** Writes what people and the service set. */
function writes ({ orm, sqlite }: Database) {
  const insert = orm.insert(sessions).values({
    id: sql.placeholder('id'),
    profile: sql.placeholder('profile'),
    workspace: sql.placeholder('workspace'),
    model: sql.placeholder('model'),
    modelProvider: sql.placeholder('modelProvider'),
    // Its project may have been deleted while the session was prepared.
    projectId: sql`(select id from projects where id = ${sql.placeholder('projectId')})`,
    title: sql.placeholder('title'),
    titleSource: sql.placeholder('titleSource'),
    hidden: sql.placeholder('hidden'),
    temporary: sql.placeholder('temporary'),
    readOnly: sql.placeholder('readOnly'),
    source: sql.placeholder('source'),
    parentSessionId: sql.placeholder('parentSessionId'),
    relationshipType: sql.placeholder('relationshipType'),
    createdAt: sql.placeholder('now'),
    updatedAt: sql.placeholder('now')
  }).prepare()
  const nameAutomatically = sqlite.prepare(
    "update sessions set title = ?, title_source = 'automatic' where id = ? and title_source <> 'manual'"
  )
  const nameProvisionally = sqlite.prepare("update sessions set title = ?, title_source = 'provisional' where id = ?")
  const setWorkspace = sqlite.prepare('update sessions set workspace = ? where id = ?')
  const setModel = sqlite.prepare('update sessions set model = ?, model_provider = ? where id = ?')
  const reveal = sqlite.prepare('update sessions set hidden = 0 where id = ?')
  const revealChildren = sqlite.prepare(
    `with recursive own(id) as (select id from sessions where parent_session_id = ? and source = 'subagent'
       union select sessions.id from sessions join own on parent_session_id = own.id where source = 'subagent')
     update sessions set hidden = 0 where id in own`)
  const showSource = sqlite.prepare('update sessions set hidden = ? where source = ? and hidden <> ?')
  const conceal = sqlite.prepare("update sessions set hidden = 1, source = 'deleted' where id = ?")
  const passOn = sqlite.prepare<[string], string>(
    `update sessions set parent_session_id = removed.parent_session_id from sessions as removed
     where removed.id = ? and sessions.parent_session_id = removed.id and sessions.source = 'fork'
       and sessions.version_index = removed.version_index returning sessions.id`).pluck()
  /** Prepared statements by the columns that they change; a dozen combinations occur. */
  const updates = new Map<string, Statement<unknown[], StoredRow>>()
  const moveOut = sqlite.prepare(`update sessions set workspace = @to where ${inFolder}`)

  return {
    insert (
      id: string, input: NewSession, { title, titleSource, nowS }: { title: string, titleSource: SessionRow['titleSource'], nowS: number }
    ): void {
      insert.run({
        id,
        profile: input.profile,
        workspace: input.workspace,
        model: input.model ?? null,
        modelProvider: input.modelProvider ?? null,
        projectId: input.projectId ?? null,
        title,
        titleSource,
        hidden: input.hidden ?? input.temporary ?? false,
        temporary: input.temporary ?? false,
        readOnly: input.readOnly ?? false,
        source: input.source ?? 'webui',
        parentSessionId: input.parentSessionId ?? null,
        relationshipType: input.relationshipType ?? null,
        now: nowS
      })
    },
    /** Changes the columns of `values`, at least one, and returns the row. */
    set (id: string, values: Partial<SessionRow>): SessionRow {
      const given = Object.entries(values).filter(([, value]) => value !== undefined)
      const assigned = given.map(([name]) => `${toSnakeCase(name)} = ?`).join(', ')
      let update = updates.get(assigned)
      if (update === undefined) {
        update = sqlite.prepare(`update sessions set ${assigned} where id = ? returning ${columns}`)
        updates.set(assigned, update)
      }
      return rowOf(oneRow(update, ...given.map(([, value]) => typeof value === 'boolean' ? Number(value) : value), id))
    },
    remove: (id: string): void => { orm.delete(sessions).where(eq(sessions.id, id)).run() },
    /** Returns false if a person has named the session. */
    nameAutomatically: (id: string, title: string): boolean => nameAutomatically.run(title, id).changes > 0,
    nameProvisionally: (id: string, title: string): void => { nameProvisionally.run(title, id) },
    setWorkspace: (id: string, workspace: string): void => { setWorkspace.run(workspace, id) },
    setModel: (id: string, model: string, provider: string | null): void => { setModel.run(model, provider, id) },
    /** Lists the session, now that it is complete. */
    reveal: (id: string): void => { reveal.run(id) },
    /** Lists the sub-agents' sessions of a session that was hidden itself when they were opened. */
    revealChildren: (id: string): void => { revealChildren.run(id) },
    /** Makes lists show the sessions of this source, or hide them. */
    showSource: (source: 'cron', isShown: boolean): void => { showSource.run(isShown ? 0 : 1, source, isShown ? 0 : 1) },
    /** Hides the session from every list. If the service stops before it is removed, it is swept as half made. */
    conceal: (id: string): void => { conceal.run(id) },
    /**
     * Called before a session that keeps a version of a message is removed: those that keep versions of the same message in its place then
     * belong to its parent. Returns their ids.
     */
    passOnVersions: (id: string): string[] => passOn.all(id),
    /** Moves every session that works in `from`, or below it, to `to`. */
    moveOut: (from: string, to: string): void => { moveOut.run({ folder: from, to }) },
    /** Takes all sessions out of a project. */
    leaveProject: (projectId: string): void => {
      orm.update(sessions).set({ projectId: null }).where(eq(sessions.projectId, projectId)).run()
    }
  }
}

/** Writes what the turns of a session count, and what they leave for the next one. */
function turnWrites ({ sqlite }: Database) {
  const raise = sqlite.prepare<[string], number>(
    'update sessions set generation = generation + 1 where id = ? returning generation'
  ).pluck()
  const setThreshold = sqlite.prepare('update sessions set threshold_tokens = ? where id = ? and threshold_tokens is not ?')
  const setTodos = sqlite.prepare('update sessions set todos = ? where id = ?')
  const addUsage = sqlite.prepare(
    `update sessions set input_tokens = input_tokens + ?, output_tokens = output_tokens + ?, cache_read_tokens = cache_read_tokens + ?,
       cache_write_tokens = cache_write_tokens + ?, last_prompt_tokens = coalesce(?, last_prompt_tokens), context_length = coalesce(?, context_length),
       estimated_cost = case when ? is null then estimated_cost else coalesce(estimated_cost, 0) + ? end where id = ?`)

  return {
    /** Raises and returns the generation for the next turn. */
    nextGeneration: (id: string): number => oneRow(raise, id),
    /** Sets the number of tokens from which on the history is summarised; null = never automatically. */
    setThreshold: (id: string, tokens: number | null): void => { setThreshold.run(tokens, id, tokens) },
    setTodos: (id: string, todos: string): void => { setTodos.run(todos, id) },
    addUsage (
      id: string, { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, contextTokens, contextLength, cost }: CountedUsage
    ): void {
      addUsage.run(inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, contextTokens, contextLength, cost, cost, id)
    }
  }
}

/** Writes what follows from the messages of a session. */
function transcriptWrites ({ sqlite }: Database) {
  const advance = sqlite.prepare<[number, number, number, string], number>(
    `update sessions set message_count = message_count + 1, user_message_count = user_message_count + ?,
       last_message_at = ?, updated_at = ? where id = ? returning message_count - 1`).pluck()
  const setLastSaid = sqlite.prepare('update sessions set last_said = ?, redacted_last_said = ? where id = ?')
  const recount = sqlite.prepare(
    `update sessions set message_count = (select count(*) from messages where session_id = sessions.id),
       user_message_count = coalesce(?, (select count(*) from messages where session_id = sessions.id and role = 'user')),
       last_message_at = (select created_at from messages where session_id = sessions.id order by position desc limit 1) where id = ?`)
  // Counts whichever side of the cut has fewer rows.
  const countCut = sqlite.prepare(
    `update sessions set message_count = @keep,
       user_message_count = case when @keep < message_count - @keep
         then (select count(*) from messages where session_id = @id and position < @keep and role = 'user')
         else (user_message_count - (select count(*) from messages where session_id = @id and position >= @keep and position < message_count and role = 'user')) end,
       last_message_at = (select created_at from messages where session_id = @id and position < @keep order by position desc limit 1) where id = @id`)
  // A to-do list that is newer than the last message was written by a turn that was cut off.
  const touchCut = sqlite.prepare(
    `update sessions set updated_at = ?, last_prompt_tokens = null,
       todos = case when not json_valid(todos) then null when json_extract(todos, '$.ts') <= last_message_at then todos end where id = ?`)
  const setSummary = sqlite.prepare(
    'update sessions set compression_summary = ?, compressed_before = ?, last_prompt_tokens = ? where id = ?'
  )
  const dropOwnVersion = sqlite.prepare('update sessions set version_index = null where id = ? and version_index >= ?')
  const dropVersions = sqlite.prepare('update sessions set version_index = null where parent_session_id = ? and version_index >= ?')
  const dropSummary = sqlite.prepare(
    'update sessions set compression_summary = null, compressed_before = null where id = ? and compressed_before > ?'
  )

  return {
    /** Counts one more message and returns its position. */
    advance: (id: string, isUser: boolean, nowS: number): number => oneRow(advance, isUser ? 1 : 0, nowS, nowS, id),
    setLastSaid: (id: string, said: Said | null): void => { setLastSaid.run(said?.plain ?? null, said?.masked ?? null, id) },
    /** Sets the counters from the stored messages. */
    recount: (id: string, questions: number | null): void => { recount.run(questions, id) },
    /** Sets the counters for a cut that removes everything from position `keep` on. */
    countCut: (id: string, keep: number): void => { countCut.run({ id, keep }) },
    /** Called after messages were cut off. */
    touchCut: (id: string, nowS: number): void => { touchCut.run(nowS, id) },
    setSummary: (
      id: string, summary: string, before: number, contextTokens: number
    ): void => { setSummary.run(summary, before, contextTokens, id) },
    /** Forgets which sessions keep versions of the messages from position `from` on: others will take their places. */
    dropVersions (id: string, from: number): void {
      dropOwnVersion.run(id, from)
      dropVersions.run(id, from)
    },
    /** Drops a summary that reaches beyond the first `keep` messages. */
    dropSummary: (id: string, keep: number): void => { dropSummary.run(id, keep) }
  }
}
