import { eq, sql } from 'drizzle-orm'
import { epochSeconds, type Clock } from '../ground/clock.js'
import { tables, type Database } from '../ground/database/index.js'
import { type Sessions } from '../sessions/index.js'

export type GoalRow = typeof tables.goals.$inferSelect

/** The turn that began last in a session. */
export interface LastTurn { startedAt: number, endedAt: number | null, terminalState: string | null, provider: string | null, model: string | null }

/** What goals read and write. */
export function createGoalRows ({ db, clock, sessions }: { db: Database, clock: Clock, sessions: Pick<Sessions, 'changed'> }) {
  const { goals } = tables
  const byId = db.orm.select().from(goals).where(eq(goals.sessionId, sql.placeholder('sessionId'))).prepare()
  const active = db.orm.select().from(goals).where(eq(goals.status, 'active')).prepare()
  const turn = 'started_at as startedAt, ended_at as endedAt, terminal_state as terminalState, provider, model'
  const lastTurn = db.sqlite.prepare<[string], LastTurn>(`select ${turn} from streams where session_id = ? order by started_at desc limit 1`)
  const lastEnded = db.sqlite.prepare<[string], LastTurn>(`select ${turn} from streams where session_id = ? and state = 'closed' order by ended_at desc limit 1`)
  const lastAnswer = db.sqlite.prepare<[string], { body: string }>("select body from messages where session_id = ? and role = 'assistant' order by position desc limit 1")
  const generation = db.sqlite.prepare<[string], number>('select generation from sessions where id = ?').pluck()
  const begun = db.sqlite.prepare<[string, string], { streamId: string, startedAtS: number }>(
    `select streams.id as streamId, started_at as startedAtS from streams join messages on messages.message_id = user_message_id
     where streams.session_id = ? and kind = 'goal' and ? in (body ->> '$.content', redacted_body ->> '$.content') order by started_at desc limit 1`)

  return {
    find: (sessionId: string): GoalRow | undefined => byId.get({ sessionId }),
    /** Goals that are under way, of all sessions. */
    active: (): GoalRow[] => active.all(),

    /** Puts a goal in the place of the session's last one. */
    put (values: GoalRow): void {
      db.orm.insert(goals).values(values).onConflictDoUpdate({ target: goals.sessionId, set: values }).run()
      sessions.changed('session_goal', values.sessionId)
    },

    change (sessionId: string, changes: Partial<GoalRow>): GoalRow {
      // Other devices show it as well.
      sessions.changed('session_goal', sessionId)
      return db.orm.update(goals).set({ ...changes, updatedAt: epochSeconds(clock) }).where(eq(goals.sessionId, sessionId)).returning().get()
    },

    lastTurn: (sessionId: string): LastTurn | undefined => lastTurn.get(sessionId),
    /** The turn that had its last frame last. */
    lastEnded: (sessionId: string): LastTurn | undefined => lastEnded.get(sessionId),
    /** Counts the turns of a session; undefined once it is gone. */
    generation: (sessionId: string): number | undefined => generation.get(sessionId),
    /** What the assistant said last in a session. */
    lastAnswer (sessionId: string): string {
      const row = lastAnswer.get(sessionId)
      return row === undefined ? '' : textOf(row.body)
    },
    /** The goal turn that was begun with this very message. */
    begun: (sessionId: string, message: string) => begun.get(sessionId, message)
  }
}

export type GoalRows = ReturnType<typeof createGoalRows>

/** What a message says; nothing when it cannot be read. */
function textOf (body: string): string {
  try {
    return (JSON.parse(body) as { content: string }).content
  } catch {
    return ''
  }
}
