import { eq, sql } from 'drizzle-orm'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { tables, type Database } from '../../ground/database/index.js'
import { type Sessions } from '../sessions/index.js'

export type GoalRow = typeof tables.goals.$inferSelect

/** The table `goals`; writes run inside the caller's transaction, and notify the session's devices. */
export function createGoalRows ({ db, clock, sessions }: { db: Database, clock: Clock, sessions: Pick<Sessions, 'changed'> }) {
  const { goals } = tables
  const byId = db.orm.select().from(goals).where(eq(goals.sessionId, sql.placeholder('sessionId'))).prepare()
  // Written out: with a parameter, no plan uses the partial index.
  const active = db.orm.select().from(goals).where(sql`status = 'active'`).prepare()

  return {
    find: (sessionId: string): GoalRow | undefined => byId.get({ sessionId }),
    /** Returns the active goals of all sessions. */
    active: (): GoalRow[] => active.all(),

    /** Replaces the session's previous goal. */
    put (values: GoalRow): void {
      db.orm.insert(goals).values(values).onConflictDoUpdate({ target: goals.sessionId, set: values }).run()
      sessions.changed('session_goal', values.sessionId)
    },

    change (sessionId: string, changes: Partial<GoalRow>): GoalRow {
      // Other devices show it too.
      sessions.changed('session_goal', sessionId)
      return db.orm.update(goals).set({ ...changes, updatedAt: epochSeconds(clock) }).where(
        eq(goals.sessionId, sessionId)
      ).returning().get()
    }
  }
}

export type GoalRows = ReturnType<typeof createGoalRows>
