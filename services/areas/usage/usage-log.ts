import { randomUUID } from 'node:crypto'
import { dayOf } from '../../ground/time/day.js'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { Listeners, type Subscribable } from '../../ground/listeners.js'
import { type Log } from '../../ground/log.js'
import { createUsageRows, otherTools, type CallUse, type JobRunUse, type ToolCallUse, type TurnUse } from './rows.js'

export interface UsageLogOptions { db: Database, clock: Clock, log: Log }

/** Names that tools can have; models make up others. */
const toolName = /^[\w.:/-]{1,128}$/

/**
 * A model call that has been stored. `cost` in US dollars, null if the price is unknown; `isWhole`: whether its answer was received to the
 * end; `turnId`: the stream of the turn that it belongs to.
 */
export interface BookedCall extends Pick<CallUse, 'provider' | 'usage' | 'cost' | 'turnId'> {
  kind: TurnUse['kind'] | CallUse['kind']
  isWhole: boolean
}

export interface UsageEvents {
  /** Emitted once for each call, when it is stored. */
  booked (call: BookedCall): void
}

/**
 * The usage log: what turns, single model calls, tools and scheduled jobs have used and done. Each entry is written inside the transaction
 * that stores the thing itself, so that nothing is counted twice or missed.
 */
export function createUsageLog ({ db, clock, log }: UsageLogOptions) {
  const rows = createUsageRows(db)
  const listeners = new Listeners<UsageEvents>((event, error) =>
    log('a listener failed after a model was used', { event, reason: String(error) }))
  const today = (): string => dayOf(clock.now()).date

  return {
    /** Returns what a turn has used so far; undefined if it has used nothing. */
    ofTurn: rows.ofTurn,

    /** Returns how many turns of a session have used something: turns begun by people, and by a goal. */
    turnsOf: rows.turnsOf,

    on: listeners.on.bind(listeners) as Subscribable<UsageEvents>['on'],

    /** Stores what a turn has used so far, replacing the previous value; `added`: the use of its last call. */
    saveTurn (turn: Omit<TurnUse, 'createdAtS'>, added: Pick<BookedCall, 'usage' | 'cost' | 'isWhole'>): void {
      rows.saveTurn({ ...turn, createdAtS: epochSeconds(clock) })
      const { kind, streamId: turnId, provider } = turn
      db.afterCommit(() => listeners.emit('booked', { kind, turnId, provider, ...added }))
    },

    /** Adds a call that is not part of a turn's answer. */
    addCall (call: Omit<CallUse, 'id' | 'createdAtS'>): void {
      rows.addCall({ ...call, id: `${call.kind}-${randomUUID()}`, createdAtS: epochSeconds(clock) })
      const { kind, turnId, provider, usage, cost } = call
      db.afterCommit(() => listeners.emit('booked', { kind, turnId, provider, usage, cost, isWhole: true }))
    },

    /** Counts a finished tool call, on the day of its end. */
    addToolCall: (call: Omit<ToolCallUse, 'date'>): void => rows.addToolCall({
      ...call,
      date: today(),
      tool: toolName.test(call.tool) ? call.tool : otherTools,
      durationS: Number.isFinite(call.durationS) ? Math.max(0, call.durationS) : 0
    }),

    /** Counts a finished run of a scheduled job. */
    addJobRun: (run: Omit<JobRunUse, 'date'>): void => rows.addJobRun({ ...run, date: today() })
  }
}

export type UsageLog = ReturnType<typeof createUsageLog>
