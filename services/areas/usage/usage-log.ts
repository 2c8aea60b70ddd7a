import { randomUUID } from 'node:crypto'
import { dayOf } from '../../ground/day.js'
import { epochSeconds, type Clock } from '../../ground/clock.js'
import { type Database } from '../../ground/database/index.js'
import { createUsageRows, otherTools, type CallUse, type JobRunUse, type ToolCallUse, type TurnUse } from './rows.js'

/** Names of tools as they can be called; models make up others. */
const toolName = /^[\w.:/-]{1,128}$/

/**
 * The books: what turns, single calls of models, tools and scheduled jobs have used and done. Whatever writes here does so
 * inside the transaction that stores the thing itself, so that nothing is counted twice or not at all.
 */
export function createUsageLog ({ db, clock }: { db: Database, clock: Clock }) {
  const rows = createUsageRows(db)
  const today = (): string => dayOf(clock.now()).date

  return {
    /** What a turn has used so far; undefined where it has used nothing. */
    ofTurn: rows.ofTurn,

    /** How many turns of a session have used something: those that people began, and that a goal did. */
    turnsOf: rows.turnsOf,

    /** Keeps what a turn has used so far, in the place of what it had used before. */
    saveTurn: (turn: Omit<TurnUse, 'createdAtS'>): void => rows.saveTurn({ ...turn, createdAtS: epochSeconds(clock) }),

    /** Adds a call that is no part of a turn's answer. */
    addCall: (call: Omit<CallUse, 'id' | 'createdAtS'>): void =>
      rows.addCall({ ...call, id: `${call.kind}-${randomUUID()}`, createdAtS: epochSeconds(clock) }),

    /** Counts a tool's call that has ended, on the day of its end. */
    addToolCall: (call: Omit<ToolCallUse, 'date'>): void => rows.addToolCall({
      ...call,
      date: today(),
      tool: toolName.test(call.tool) ? call.tool : otherTools,
      durationS: Number.isFinite(call.durationS) ? Math.max(0, call.durationS) : 0
    }),

    /** Counts a scheduled job's run that has ended. */
    addJobRun: (run: Omit<JobRunUse, 'date'>): void => rows.addJobRun({ ...run, date: today() })
  }
}

export type UsageLog = ReturnType<typeof createUsageLog>
