import { type BudgetAsk, type BudgetOffer, type StepUsage } from '../../agent/protocol.js'
import { epochSeconds } from '../../ground/clock.js'
import { type Database } from '../../ground/database/index.js'
import { dayOf } from '../../ground/day.js'
import { priceOf, type Cost } from '../../providers/index.js'
import { Conflict } from '../../ground/errors.js'
import { type CallKind, type UsageLog } from '../usage/index.js'
import { hasLimits, type Scope } from './limits.js'
import { exhausted, grantKey, type Excess } from './policy.js'
import { createBudgetRows, type BudgetKey } from './rows.js'
import { createSpending, type Spent } from './spending.js'
import { createBudgetSums, type Account, type BudgetState, type BudgetSumsOptions } from './sums.js'
import * as wording from './wording.js'

/** A model and what it costs. */
export interface PricedModel { ref: { provider: string, id: string }, cost: Cost | null }

export interface BudgetsOptions extends Omit<BudgetSumsOptions, 'rows'> { db: Database, usageLog: Pick<UsageLog, 'addCall'> }

/** Long enough for whoever looks back at a month. */
const keptS = 40 * 24 * 3600

/**
 * Budgets of turns, conversations, jobs and days: adds up what is used, and says when a limit is reached. Each sum is a row of
 * its own, so that neither costs more than a few looks by key, however long the past is.
 */
export function createBudgets ({ db, clock, usageLog, ...options }: BudgetsOptions) {
  const rows = createBudgetRows(db)
  const sums = createBudgetSums({ rows, clock, ...options })
  const spend = createSpending({ rows, sums, clock })

  /** The hard limits that are used up. What is on its way to the database is counted. */
  function excessOf (account: Account): Excess[] {
    if (!hasLimits(sums.limitsOf(account))) return []
    db.catchUp()
    return exhausted(sums.standings(account))
  }

  return {
    /** What holds in a profile, and what of its config.yaml does not, in words. */
    rules: sums.rulesOf,

    /** The sentence for a person where some of a profile's limits do not count. */
    broken (profile: string): string | null {
      const { problems } = sums.rulesOf(profile)
      return problems.length === 0 ? null : wording.broken(problems)
    },

    /** Whether anything limits an account. */
    holds: (account: Account): boolean => hasLimits(sums.limitsOf(account)),

    spend,

    /** What a person is asked before a turn may call a model again; null: it may. */
    ask (account: Account): BudgetAsk | null {
      const excess = excessOf(account)
      if (excess.length === 0) return null
      const ids = new Map(sums.keysOf(account).map(({ scope, id }) => [scope, id]))
      const usedUp = wording.usedUp(excess)
      return {
        command: usedUp,
        description: wording.permits(excess),
        patternKeys: excess.map(({ scope, measure }) => grantKey(scope, measure)),
        offers: excess.map(({ scope, measure, used, limit, upTo }) => ({ scope, id: ids.get(scope)!, measure, used, limit, upTo })),
        message: usedUp,
        hint: wording.hint(excess),
        // Several turns would ask the same, and nobody watches all of them.
        ...(excess.some(({ scope }) => scope === 'attempts') && { isFinal: true })
      }
    },

    /** A person has allowed more, once; inside the transaction that keeps the answer. */
    allow (offers: readonly BudgetOffer[]): void {
      const nowS = epochSeconds(clock)
      for (const { scope, id, measure, upTo } of offers) {
        const key: BudgetKey = { scope, id }
        // Counted by now, unless all of it lay before there were sums.
        sums.begin(key, profileIn(key), nowS)
        rows.allow(key, measure, upTo, nowS)
      }
    },

    /** Whether something that is done for an account beside its model calls is to be left, as nothing may be used any more. */
    isUsedUp: (account: Account): boolean => excessOf(account).length > 0,

    /** Throws Conflict, in words, where nothing may be used any more for what a person has asked for beside the turns. */
    assertLeft (account: Account): void {
      const excess = excessOf(account)
      if (excess.length > 0) throw new Conflict(`${wording.usedUp(excess)} ${wording.remedy(excess)}`, 'budget_used_up')
    },

    /** What counts a small model task, at the price of its model, as soon as it is known what it has used. */
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

    /** How the budgets of an account stand, limited or not. */
    state (account: Account): Partial<Record<Scope, BudgetState>> {
      db.catchUp()
      return sums.states(account)
    },

    /** Today. */
    today: () => dayOf(clock.now()),

    /** Sessions are gone: what they have used stays in what their days have. */
    forget: async (sessionIds: readonly string[]): Promise<void> =>
      await db.durably(() => { for (const id of sessionIds) rows.removeSession(id) }),

    /** Forgets turns and days that nobody looks back at. */
    sweep: async (): Promise<void> => await db.durably(() => rows.sweep(epochSeconds(clock) - keptS))
  }
}

export type Budgets = ReturnType<typeof createBudgets>

/** Ids of days begin with their profile, whose name has no blank in it. */
const profileIn = ({ scope, id }: BudgetKey): string => scope === 'day' ? id.slice(0, id.indexOf(' ')) : ''
