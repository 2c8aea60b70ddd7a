import { type feedFrames } from '../../../schemas/feed.js'
import { type CheckResult } from '../../agent/index.js'
import { type Clock } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { framesOf, type EventBroker } from '../../ground/events/index.js'
import { type Log } from '../../ground/log.js'
import { type Workers } from '../../ground/workers/index.js'
import { type Checkpoints } from '../../workspace/checkpoints/index.js'
import { type Territory } from '../../workspace/files/index.js'
import { type AuditPort } from '../audit/index.js'
import { type Account, type Budgets, type Limits } from '../budgets/index.js'
import { type Chat, type TurnPlan } from '../chat/index.js'
import { type ModelChooser } from '../models/index.js'
import { type Sessions } from '../sessions/index.js'
import { type SmallTasks } from '../small-tasks/index.js'
import { createAttemptRows, type AttemptRow, type AttemptRows, type AttemptsRow } from './rows.js'

export interface AttemptsOptions {
  db: Database
  clock: Clock
  events: EventBroker
  audit: AuditPort
  sessions: Sessions
  chat: Chat
  budgets: Pick<Budgets, 'state'>
  smallTasks: SmallTasks
  chooser: Pick<ModelChooser, 'choose'>
  checkpoints: Pick<Checkpoints, 'refuseWhileWorking'>
  workers: Workers
  territory: (folder: string) => Territory
  /** Copies what a session may do without asking to another session; called inside a transaction. */
  copyGrants: (from: string, to: string) => void
  /** Whether a session has asked a person something. */
  isAsking: (sessionId: string) => boolean
  /** Runs the command of a check in a folder of a profile. Never rejects. */
  runCheck: (profile: string, check: { command: string, seconds: number, folder: string, signal: AbortSignal }) => Promise<CheckResult>
  log: Log
}

/** What all parts of the area use. */
export interface Context extends AttemptsOptions {
  rows: AttemptRows
  /** Tells every device that attempts have changed; called inside the transaction of the change. */
  changed: (attemptsId: string) => void
}

const frame = framesOf<typeof feedFrames>()

export function contextOf (options: AttemptsOptions): Context {
  const { db, events } = options
  const rows = createAttemptRows(db)
  return {
    ...options,
    rows,
    changed (attemptsId) {
      const version = rows.raise(attemptsId)
      if (version === undefined) return
      db.afterCommit(() => events.publish({ kind: 'notice', id: 'all' }, () => frame('attempts_changed', { attempts_id: attemptsId, version })))
    }
  }
}

const limitsOf = ({ limits }: Pick<AttemptsRow, 'limits'>): Limits | undefined =>
  limits === null ? undefined : JSON.parse(limits) as Limits

/** The one budget of all attempts at a task. */
export function budgetOf (row: AttemptsRow): NonNullable<TurnPlan['budget']> {
  const limits = limitsOf(row)
  return { scope: 'attempts', id: row.id, ...(limits === undefined ? {} : { limits }) }
}

/** Returns the account that pays for what is done besides the turns. */
export function accountOf (row: AttemptsRow, { sessionId }: Pick<AttemptRow, 'sessionId'>): Account {
  const { id, limits } = budgetOf(row)
  return { profile: row.profile, session: sessionId, attempts: { id, ...(limits === undefined ? {} : { limits }) } }
}
