import { randomUUID } from 'node:crypto'
import { dayOf } from '../../ground/day.js'
import { epochSeconds, type Clock } from '../../ground/clock.js'
import { type Database } from '../../ground/database/index.js'
import { Listeners, type Heard } from '../../ground/listeners.js'
import { createUsageRows, otherTools, type CallUse, type JobRunUse, type ToolCallUse, type TurnUse } from './rows.js'

export interface UsageLogOptions { db: Database, clock: Clock, log: (message: string, details: Record<string, unknown>) => void }

/** Names of tools as they can be called; models make up others. */
const toolName = /^[\w.:/-]{1,128}$/

/**
 * A call of a model that has come into the books. `cost` in US dollars, null when the price is unknown; `isWhole`: its answer was heard
 * to the end; `turnId`: the stream of the turn that it belongs to.
 */
export interface BookedCall extends Pick<CallUse, 'provider' | 'usage' | 'cost' | 'turnId'> {
  kind: TurnUse['kind'] | CallUse['kind']
  isWhole: boolean
}

export interface UsageEvents {
  /** Told once of each call, when it is stored. */
  booked (call: BookedCall): void
}

/**
 * The books: what turns, single calls of models, tools and scheduled jobs have used and done. Whatever writes here does so
 * inside the transaction that stores the thing itself, so that nothing is counted twice or not at all.
 */
export function createUsageLog ({ db, clock, log }: UsageLogOptions) {
  const rows = createUsageRows(db)
  const listeners = new Listeners<UsageEvents>((event, error) =>
    log('what follows from the use of a model went wrong', { event, reason: String(error) }))
  const today = (): string => dayOf(clock.now()).date

  return {
    /** What a turn has used so far; undefined where it has used nothing. */
    ofTurn: rows.ofTurn,

    /** How many turns of a session have used something: those that people began, and that a goal did. */
    turnsOf: rows.turnsOf,

    on: listeners.on.bind(listeners) as Heard<UsageEvents>['on'],

    /** Keeps what a turn has used so far, in the place of what it had used before; `added`: what its last call has. */
    saveTurn (turn: Omit<TurnUse, 'createdAtS'>, added: Pick<BookedCall, 'usage' | 'cost' | 'isWhole'>): void {
      rows.saveTurn({ ...turn, createdAtS: epochSeconds(clock) })
      const { kind, streamId: turnId, provider } = turn
      db.afterCommit(() => listeners.emit('booked', { kind, turnId, provider, ...added }))
    },

    /** Adds a call that is no part of a turn's answer. */
    addCall (call: Omit<CallUse, 'id' | 'createdAtS'>): void {
      rows.addCall({ ...call, id: `${call.kind}-${randomUUID()}`, createdAtS: epochSeconds(clock) })
      const { kind, turnId, provider, usage, cost } = call
      db.afterCommit(() => listeners.emit('booked', { kind, turnId, provider, usage, cost, isWhole: true }))
    },

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
