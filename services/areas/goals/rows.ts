import { eq, sql } from 'drizzle-orm'
import { epochSeconds, type Clock } from '../../ground/clock.js'
import { tables, type Database } from '../../ground/database/index.js'
import { type Sessions } from '../sessions/index.js'

export type GoalRow = typeof tables.goals.$inferSelect

/** The table `goals`; what writes runs inside the caller's transaction and tells the session's devices. */
export function createGoalRows ({ db, clock, sessions }: { db: Database, clock: Clock, sessions: Pick<Sessions, 'changed'> }) {
  const { goals } = tables
  const byId = db.orm.select().from(goals).where(eq(goals.sessionId, sql.placeholder('sessionId'))).prepare()
  const active = db.orm.select().from(goals).where(eq(goals.status, 'active')).prepare()

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
      return db.orm.update(goals).set({ ...changes, updatedAt: epochSeconds(clock) }).where(
        eq(goals.sessionId, sessionId)
      ).returning().get()
    }
  }
}

export type GoalRows = ReturnType<typeof createGoalRows>
