import { type BudgetAsk, type BudgetOffer, type StepUsage } from '../agent/protocol.js'
import { epochSeconds, type Clock } from '../ground/clock.js'
import { type Database } from '../ground/database/index.js'
import { priceOf, type Cost } from '../providers/index.js'
import { dayOf } from './day.js'
import { hasLimits, readBudgets, scopes, type BudgetLimits, type Limits, type Scope } from './limits.js'
import { exhausted, grantKey, limitsMoney, notices, type Excess, type Standing, type Use } from './policy.js'
import { createBudgetRows, type BudgetKey, type BudgetRow } from './rows.js'
import * as wording from './wording.js'

/** Whose budgets something is used of. */
export interface Account {
  profile: string
  /** The stream of the turn that a person, or a schedule, has begun: of a sub-agent the one it works for. */
  turn?: string
  /** The conversation that shows its prompts: of a question on the side, or of a task beside it, the one it belongs to. */
  session?: string
  /** A scheduled job, and limits of its own, which stand in the place of the profile's. */
  job?: { id: string, limits?: Limits }
}

/** A model call that was made. `cost` in US dollars; null: the price of `model` is unknown. */
export interface Spent { usage: StepUsage, cost: number | null, model: string | null }

/** A model and what it costs. */
export interface PricedModel { ref: { id: string }, cost: Cost | null }

/** How one budget stands, for people. */
export interface BudgetState extends Use { limits: Limits, allowed: BudgetRow['upTo'], lifted: string[] }

export interface BudgetsOptions {
  db: Database
  clock: Clock
  /** The config.yaml of a profile; throws when there is none. */
  config: (profile: string) => Readonly<Record<string, unknown>>
  /** What is allowed for the rest of a session. */
  sessionGrants: (sessionId: string) => string[]
}

/** Long enough for whoever looks back at a month. */
const keptS = 40 * 24 * 3600
const nothing: BudgetRow = { tokens: 0, usd: 0, unpriced: null, told: [], upTo: { usd: null, tokens: null } }

/**
 * Budgets of turns, conversations, jobs and days: adds up what is used, and says when a limit is reached. Each sum is a row of
 * its own, so that neither costs more than a few looks by key, however long the past is.
 */
export function createBudgets ({ db, clock, config, sessionGrants }: BudgetsOptions) {
  const rows = createBudgetRows(db)

  /** Never throws: the profile may be gone, and what its last turn has used is counted all the same. */
  function rulesOf (profile: string): { limits: BudgetLimits, problems: string[] } {
    try {
      return readBudgets(config(profile))
    } catch {
      return readBudgets({})
    }
  }

  function limitsOf ({ profile, job }: Account): BudgetLimits {
    const { limits } = rulesOf(profile)
    return job?.limits === undefined ? limits : { ...limits, job: job.limits }
  }

  function keysOf ({ profile, turn, session, job }: Account): BudgetKey[] {
    const { date } = dayOf(clock.now())
    return [
      ...(turn === undefined ? [] : [{ scope: 'turn' as const, id: turn }]),
      ...(session === undefined ? [] : [{ scope: 'session' as const, id: session }]),
      ...(job === undefined ? [] : [{ scope: 'job' as const, id: `${profile} ${date} ${job.id}` }]),
      { scope: 'day', id: `${profile} ${date}` }
    ]
  }

  /** What was used before the sum was begun: turns and jobs begin with nothing. */
  function before ({ scope, id }: BudgetKey, profile: string): Use {
    if (scope === 'session') return rows.usedInSession(id)
    return scope === 'day' ? rows.usedSince(dayOf(clock.now()).startS, profile) : nothing
  }

  function begin (key: BudgetKey, profile: string, nowS: number): void {
    if (rows.find(key) === undefined) rows.begin(key, before(key, profile), nowS)
  }

  const found = (key: BudgetKey, profile: string): BudgetRow => rows.find(key) ?? { ...nothing, ...before(key, profile) }

  function standings (account: Account): Standing[] {
    const limits = limitsOf(account)
    const lifted = new Set(account.session === undefined ? [] : sessionGrants(account.session))
    return keysOf(account).filter(({ scope }) => Object.keys(limits[scope]).length > 0).map((key) => {
      const { told, upTo, ...use } = found(key, account.profile)
      return { scope: key.scope, limits: limits[key.scope], use, told, upTo, isLifted: (measure) => lifted.has(grantKey(key.scope, measure)) }
    })
  }

  /** The sentences that are to be told now; from here on they have been. */
  function tellOnce (account: Account, keys: BudgetKey[], model: string | null): string[] {
    const limits = limitsOf(account)
    const said: string[] = []
    for (const key of keys) {
      const { told, ...use } = found(key, account.profile)
      const due = notices({ scope: key.scope, limits: limits[key.scope], use, told })
      if (due.length > 0) rows.tell(key, [...told, ...due.map(({ name }) => name)])
      said.push(...due.map((notice) => wording.notice(notice, use)))
    }
    const conversation = keys.find(({ scope }) => scope === 'session')
    if (model === null || conversation === undefined || !scopes.some((scope) => keys.some((key) => key.scope === scope) && limitsMoney(limits[scope]))) return said
    const { told } = found(conversation, account.profile)
    if (told.includes(`price ${model}`)) return said
    rows.tell(conversation, [...told, `price ${model}`])
    return [...said, wording.withoutPrice(model)]
  }

  /**
   * Adds a model call to every budget that it is of; inside a transaction, before the turn's own usage is stored. Returns
   * what a person is to be told, once for each limit and budget. `isHeard`: somebody who is told this learns of it.
   */
  function spend (account: Account, { usage, cost, model }: Spent, isHeard: boolean): string[] {
    const nowS = epochSeconds(clock)
    const unpriced = cost === null ? model ?? 'a model without a name' : null
    const use: Use = { tokens: usage.inputTokens + usage.outputTokens, usd: cost ?? 0, unpriced }
    const keys = keysOf(account)
    for (const key of keys) {
      begin(key, account.profile, nowS)
      rows.add(key, use, nowS)
    }
    return isHeard ? tellOnce(account, keys, unpriced) : []
  }

  /** The hard limits that are used up. What is on its way to the database is counted. */
  function excessOf (account: Account): Excess[] {
    if (!hasLimits(limitsOf(account))) return []
    db.catchUp()
    return exhausted(standings(account))
  }

  return {
    /** What holds in a profile, and what of its config.yaml does not, in words. */
    rules: rulesOf,

    /** The sentence for a person where some of a profile's limits do not count. */
    broken (profile: string): string | null {
      const { problems } = rulesOf(profile)
      return problems.length === 0 ? null : wording.broken(problems)
    },

    /** Whether anything limits an account. */
    holds: (account: Account): boolean => hasLimits(limitsOf(account)),

    spend,

    /** What a person is asked before a turn may call a model again; null: it may. */
    ask (account: Account): BudgetAsk | null {
      const excess = excessOf(account)
      if (excess.length === 0) return null
      const ids = new Map(keysOf(account).map(({ scope, id }) => [scope, id]))
      const usedUp = wording.usedUp(excess)
      return {
        command: usedUp,
        description: wording.permits(excess),
        patternKeys: excess.map(({ scope, measure }) => grantKey(scope, measure)),
        offers: excess.map(({ scope, measure, used, limit, upTo }) => ({ scope, id: ids.get(scope)!, measure, used, limit, upTo })),
        message: usedUp,
        hint: wording.hint(excess)
      }
    },

    /** A person has allowed more, once; inside the transaction that keeps the answer. */
    allow (offers: readonly BudgetOffer[]): void {
      const nowS = epochSeconds(clock)
      for (const { scope, id, measure, upTo } of offers) {
        const key: BudgetKey = { scope, id }
        // Counted by now, unless all of it lay before there were sums.
        begin(key, profileIn(key), nowS)
        rows.allow(key, measure, upTo, nowS)
      }
    },

    /** Whether something that is done for an account beside its model calls is to be left, as nothing may be used any more. */
    isUsedUp (account: Account): boolean {
      return excessOf(account).length > 0
    },

    /** What counts a small model task, at the price of its model, as soon as it is known what it has used. */
    counting (account: Account, { ref, cost }: PricedModel): (usage: StepUsage) => void {
      return (usage) => {
        const spent: Spent = { usage, cost: priceOf(usage, { cost }), model: ref.id }
        db.enqueue({ write: () => { spend(account, spent, false) } })
      }
    },

    /** How the budgets of an account stand, limited or not. */
    state (account: Account): Partial<Record<Scope, BudgetState>> {
      db.catchUp()
      const limits = limitsOf(account)
      const lifted = account.session === undefined ? [] : sessionGrants(account.session)
      return Object.fromEntries(keysOf(account).map((key) => {
        const { upTo: allowed, tokens, usd, unpriced } = found(key, account.profile)
        const keys = (['usd', 'tokens'] as const).filter((measure) => lifted.includes(grantKey(key.scope, measure)))
        return [key.scope, { tokens, usd, unpriced, limits: limits[key.scope], allowed, lifted: keys.map((measure) => `hard_${measure}`) }]
      }))
    },

    /** Today. */
    today: () => dayOf(clock.now()),

    /** Sessions are gone: what they have used stays in what their days have. */
    async forget (sessionIds: readonly string[]): Promise<void> {
      await db.durably(() => { for (const id of sessionIds) rows.removeSession(id) })
    },

    /** Forgets turns and days that nobody looks back at. */
    async sweep (): Promise<void> {
      await db.durably(() => rows.sweep(epochSeconds(clock) - keptS))
    }
  }
}

export type Budgets = ReturnType<typeof createBudgets>

/** Ids of days begin with their profile, whose name has no blank in it. */
const profileIn = ({ scope, id }: BudgetKey): string => scope === 'day' ? id.slice(0, id.indexOf(' ')) : ''
