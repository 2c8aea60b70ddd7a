import { type StepUsage } from '../../agent/protocol.js'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { scopes } from './limits.js'
import { limitsMoney, notices, type Use } from './policy.js'
import { type BudgetKey, type BudgetRow, type BudgetRows } from './rows.js'
import { type Account, type BudgetSums } from './sums.js'
import * as wording from './wording.js'

/** A model call that was made. `cost` in US dollars; null if the price of `model` is unknown. */
export interface Spent { usage: StepUsage, cost: number | null, model: string | null }

/** The sum of a budget after an addition. */
interface SpentOf { key: BudgetKey, sum: BudgetRow }

/** Adds up what is used, and reports when a soft limit is reached. */
export function createSpending ({ rows, sums, clock }: { rows: BudgetRows, sums: BudgetSums, clock: Clock }) {
  /** Returns the sentences to report now, and marks them as reported. `unpriced`: a model whose price is unknown. */
  function tellOnce (account: Account, spent: SpentOf[], unpriced: string | null): string[] {
    const limits = sums.limitsOf(account)
    const said: string[] = []
    for (const { key, sum: { told, ...use } } of spent) {
      const due = notices({ scope: key.scope, limits: limits[key.scope], use, told })
      if (due.length > 0) rows.tell(key, [...told, ...due.map(({ name }) => name)])
      said.push(...due.map((notice) => wording.notice(notice, use)))
    }
    const keys = spent.map(({ key }) => key)
    const conversation = keys.find(({ scope }) => scope === 'session')
    const isMoneyLimited = scopes.some((scope) => keys.some((key) => key.scope === scope) && limitsMoney(limits[scope]))
    if (unpriced === null || conversation === undefined || !isMoneyLimited) return said
    const { told } = sums.found(conversation, account.profile)
    if (told.includes(`price ${unpriced}`)) return said
    rows.tell(conversation, [...told, `price ${unpriced}`])
    return [...said, wording.withoutPrice(unpriced)]
  }

  /**
   * Adds a model call to each of its budgets; called inside a transaction, before the turn's own usage is stored. Returns what to tell a
   * person, once for each limit and budget. `isHeard`: whether a person will see it.
   */
  return function spend (account: Account, { usage, cost, model }: Spent, isHeard: boolean): string[] {
    const nowS = epochSeconds(clock)
    const unpriced = cost === null ? model ?? 'a model without a name' : null
    const use: Use = { tokens: usage.inputTokens + usage.outputTokens, usd: cost ?? 0, unpriced }
    const spent = sums.keysOf(account).map((key) => ({ key, sum: sums.add(key, account.profile, use, nowS) }))
    return isHeard ? tellOnce(account, spent, unpriced) : []
  }
}
