import { type Clock } from '../../ground/time/clock.js'
import { present } from '../../ground/present.js'
import { dayOf } from '../../ground/time/day.js'
import { tried } from '../../ground/tried.js'
import { readBudgets, type BudgetLimits, type Limits, type BudgetScope } from './limits.js'
import { grantKey, type Standing, type Use } from './policy.js'
import { type BudgetKey, type BudgetRow, type BudgetRows } from './rows.js'

/** Whose budgets pay for something. */
export interface Account {
  profile: string
  /** The stream of the turn that a person or a schedule has begun; for a sub-agent, that of the turn it works for. */
  turn?: string
  /** The conversation that shows its prompts; for a side question or a background task, the one it belongs to. */
  session?: string
  /** Attempts at a task, which share one budget, and their own limits, which replace the profile's. */
  attempts?: { id: string, limits?: Limits }
  /** A scheduled job, and its own limits, which replace the profile's. */
  job?: { id: string, limits?: Limits }
}

/** The state of a budget, for people. */
export interface BudgetState extends Use { limits: Limits, allowed: BudgetRow['upTo'], lifted: string[] }

export interface BudgetSumsOptions {
  rows: BudgetRows
  clock: Clock
  /** Returns the config.yaml of a profile; throws if the profile does not exist. */
  config: (profile: string) => Readonly<Record<string, unknown>>
  /** Returns what is allowed for the rest of a session. */
  sessionGrants: (sessionId: string) => string[]
}

const nothing: BudgetRow = { tokens: 0, usd: 0, unpriced: null, told: [], upTo: { usd: null, tokens: null } }

/** The budgets of an account, their limits, and what has been used of each. */
export function createBudgetSums ({ rows, clock, config, sessionGrants }: BudgetSumsOptions) {
  /** Never throws: the profile may be gone, but what its last turn has used is still counted. */
  function rulesOf (profile: string): { limits: BudgetLimits, problems: string[] } {
    return tried(() => readBudgets(config(profile)), readBudgets({}))
  }

  function limitsOf ({ profile, attempts, job }: Account): BudgetLimits {
    const { limits } = rulesOf(profile)
    return { ...limits, ...(attempts?.limits && { attempts: attempts.limits }), ...(job?.limits && { job: job.limits }) }
  }

  function keysOf ({ profile, turn, session, attempts, job }: Account): BudgetKey[] {
    const { date } = dayOf(clock.now())
    return [
      ...(turn === undefined ? [] : [{ scope: 'turn' as const, id: turn }]),
      ...(session === undefined ? [] : [{ scope: 'session' as const, id: session }]),
      ...(attempts === undefined ? [] : [{ scope: 'attempts' as const, id: attempts.id }]),
      ...(job === undefined ? [] : [{ scope: 'job' as const, id: `${profile} ${date} ${job.id}` }]),
      { scope: 'day', id: `${profile} ${date}` }
    ]
  }

  /** Returns the use from before the sum was begun: turns, attempts and jobs begin with nothing. */
  function before ({ scope, id }: BudgetKey, profile: string): Use {
    if (scope === 'session') return rows.usedInSession(id)
    return scope === 'day' ? rows.usedSince(dayOf(clock.now()).startS, profile) : nothing
  }

  /** Returns the state of a budget, whether or not its sum has been begun. */
  const found = (key: BudgetKey, profile: string): BudgetRow => rows.find(key) ?? { ...nothing, ...before(key, profile) }
  const grantsOf = ({ session }: Account): string[] => session === undefined ? [] : sessionGrants(session)

  return {
    rulesOf,
    limitsOf,
    keysOf,
    found,

    /** Begins the sum of a budget that has none; called inside a transaction. */
    begin (key: BudgetKey, profile: string, nowS: number): void {
      if (rows.find(key) === undefined) rows.begin(key, before(key, profile), nowS)
    },

    /** Adds use to the sum of a budget, which it begins if there is none; called inside a transaction. Returns the sum. */
    add (key: BudgetKey, profile: string, use: Use, nowS: number): BudgetRow {
      const added = rows.add(key, use, nowS)
      if (added !== undefined) return added
      rows.begin(key, before(key, profile), nowS)
      return present(rows.add(key, use, nowS), 'the sum of a budget')
    },

    /** Returns the limited budgets of an account. */
    standings (account: Account): Standing[] {
      const limits = limitsOf(account)
      const lifted = new Set(grantsOf(account))
      return keysOf(account).filter(({ scope }) => Object.keys(limits[scope]).length > 0).map((key) => {
        const { told, upTo, ...use } = found(key, account.profile)
        return {
          scope: key.scope, limits: limits[key.scope], use, told, upTo, isLifted: (measure) => lifted.has(grantKey(key.scope, measure))
        }
      })
    },

    /** Returns all budgets of an account, limited or not. */
    states (account: Account): Partial<Record<BudgetScope, BudgetState>> {
      const limits = limitsOf(account)
      const lifted = grantsOf(account)
      return Object.fromEntries(keysOf(account).map((key) => {
        const { upTo: allowed, tokens, usd, unpriced } = found(key, account.profile)
        const measures = (['usd', 'tokens'] as const).filter((measure) => lifted.includes(grantKey(key.scope, measure)))
        return [key.scope, {
          tokens, usd, unpriced, limits: limits[key.scope], allowed, lifted: measures.map((measure) => `hard_${measure}`)
        }]
      }))
    }
  }
}

export type BudgetSums = ReturnType<typeof createBudgetSums>
