import { type BudgetAsk, type BudgetOffer, type StepUsage } from '../../agent/protocol.js'
import { epochSeconds } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { dayOf } from '../../ground/time/day.js'
import { priceOf, type Cost } from '../../providers/index.js'
import { Conflict } from '../../ground/errors.js'
import { present } from '../../ground/present.js'
import { type CallKind, type UsageLog } from '../usage/index.js'
import { hasLimits, type BudgetScope } from './limits.js'
import { exhausted, grantKey, type Excess } from './policy.js'
import { createBudgetRows, type BudgetKey } from './rows.js'
import { createSpending, type Spent } from './spending.js'
import { createBudgetSums, type Account, type BudgetState, type BudgetSumsOptions } from './sums.js'
import * as wording from './wording.js'

/** A model and its price. */
export interface PricedModel { ref: { provider: string, id: string }, cost: Cost | null }

export interface BudgetsOptions extends Omit<BudgetSumsOptions, 'rows'> { db: Database, usageLog: Pick<UsageLog, 'addCall'> }

/** Long enough to look back at a month. */
const keptS = 40 * 24 * 3600

/**
 * Budgets of turns, conversations, jobs and days: adds up what is used, and tells when a limit is reached. Each sum is a row of its own, so
 * both cost only a few lookups by key, however much has been used before.
 */
export function createBudgets ({ db, clock, usageLog, ...options }: BudgetsOptions) {
  const rows = createBudgetRows(db)
  const sums = createBudgetSums({ rows, clock, ...options })
  const spend = createSpending({ rows, sums, clock })

  /** Returns the hard limits that are used up. Includes what is queued for the database. */
  function excessOf (account: Account): Excess[] {
    if (!hasLimits(sums.limitsOf(account))) return []
    db.catchUp()
    return exhausted(sums.standings(account))
  }

  return {
    /** The limits of a profile, and the invalid parts of its `budgets` section, as sentences. */
    rules: sums.rulesOf,

    /** Returns the sentence for a person if some of a profile's limits are invalid; null if none are. */
    broken (profile: string): string | null {
      const { problems } = sums.rulesOf(profile)
      return problems.length === 0 ? null : wording.broken(problems)
    },

    /** Whether an account has any limit. */
    holds: (account: Account): boolean => hasLimits(sums.limitsOf(account)),

    spend,

    /** Returns what a person is asked before a turn may call a model again; null if it may. */
    ask (account: Account): BudgetAsk | null {
      const excess = excessOf(account)
      if (excess.length === 0) return null
      const ids = new Map(sums.keysOf(account).map(({ scope, id }) => [scope, id]))
      const usedUp = wording.usedUp(excess)
      return {
        command: usedUp,
        description: wording.permits(excess),
        patternKeys: excess.map(({ scope, measure }) => grantKey(scope, measure)),
        offers: excess.map(({ scope, measure, used, limit, upTo }) => ({ scope, id: present(ids.get(scope), 'the id of a budget'), measure, used, limit, upTo })),
        message: usedUp,
        hint: wording.hint(excess),
        // Several turns would ask the same, and no person watches all of them.
        ...(excess.some(({ scope }) => scope === 'attempts') && { isFinal: true })
      }
    },

    /** A person has allowed more, once. Called inside the transaction that stores the answer. */
    allow (offers: readonly BudgetOffer[]): void {
      const nowS = epochSeconds(clock)
      for (const { scope, id, measure, upTo } of offers) {
        const key: BudgetKey = { scope, id }
        // The sum usually exists by now, unless all of the use is older than the sums.
        sums.begin(key, profileIn(key), nowS)
        rows.allow(key, measure, upTo, nowS)
      }
    },

    /** Whether work for an account besides its turns must be skipped, because a hard limit is used up. */
    isUsedUp: (account: Account): boolean => excessOf(account).length > 0,

    /** Throws Conflict with a sentence if a hard limit is used up, for work that a person has asked for besides the turns. */
    assertLeft (account: Account): void {
      const excess = excessOf(account)
      if (excess.length > 0) throw new Conflict(`${wording.usedUp(excess)} ${wording.remedy(excess)}`, 'budget_used_up')
    },

    /** Returns a function that counts a small model task at the price of its model, called as soon as its use is known. */
    counting (kind: CallKind, account: Account, { ref, cost }: PricedModel): (usage: StepUsage) => void {
      return (usage) => {
        const spent: Spent = { usage, cost: priceOf(usage, { cost }), model: ref.id }
        const { profile, session = null, job, turn = null } = account
        db.enqueue({
          write: () => {
            spend(account, spent, false)
            usageLog.addCall({
              kind, profile, sessionId: session, jobId: job?.id ?? null, turnId: turn, provider: ref.provider, model: ref.id, usage,
              cost: spent.cost
            })
          }
        })
      }
    },

    /** Returns the state of an account's budgets, limited or not. */
    state (account: Account): Partial<Record<BudgetScope, BudgetState>> {
      db.catchUp()
      return sums.states(account)
    },

    /** Returns the current day. */
    today: () => dayOf(clock.now()),

    /** Called when sessions have been deleted: what they have used stays counted in their days. */
    forget: async (sessionIds: readonly string[]): Promise<void> =>
      await db.durably(() => { for (const id of sessionIds) rows.removeSession(id) }),

    /** Deletes the sums of old turns and days. */
    sweep: async (): Promise<void> => await db.durably(() => rows.sweep(epochSeconds(clock) - keptS))
  }
}

export type Budgets = ReturnType<typeof createBudgets>

/** Ids of days begin with their profile, whose name contains no blank. */
const profileIn = ({ scope, id }: BudgetKey): string => scope === 'day' ? id.slice(0, id.indexOf(' ')) : ''
