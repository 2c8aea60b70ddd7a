import { type Wire } from '../service/api.js'

type BudgetScope = 'turn' | 'session' | 'day'

/** The use of one budget. `soft`: the warning limit is exceeded; `hard`: the limit is exceeded at which turns wait. */
export interface BudgetLine {
  readonly scope: BudgetScope
  readonly measure: 'usd' | 'tokens'
  readonly used: number
  /** The next limit, or the last one exceeded. */
  readonly limit: number
  readonly state: 'below' | 'soft' | 'hard'
}

const scopes = ['turn', 'session', 'day'] as const
const measures = ['usd', 'tokens'] as const

/** Returns the budgets that apply to a chat, and their use. If a person has allowed more than a hard limit, the larger amount counts. */
export function budgetLines ({ limits, turn, session, day }: Pick<Wire<'Budgets'>, 'limits' | 'turn' | 'session' | 'day'>): BudgetLine[] {
  const uses = { turn, session, day }
  return scopes.flatMap((scope) => measures.flatMap((measure): BudgetLine[] => {
    const use = uses[scope]
    if (use === null) return []
    const soft = limits[scope][`soft_${measure}`]
    const allowed = measure === 'usd' ? use.allowed_usd : use.allowed_tokens
    const isLifted = use.lifted.includes(`hard_${measure}`)
    const set = limits[scope][`hard_${measure}`]
    const hard = set === null || isLifted ? null : Math.max(set, allowed ?? 0)
    const used = use[measure]
    if (hard !== null && used >= hard) return [{ scope, measure, used, limit: hard, state: 'hard' }]
    if (soft !== null && used >= soft) return [{ scope, measure, used, limit: hard ?? soft, state: 'soft' }]
    const next = soft ?? hard
    return next === null ? [] : [{ scope, measure, used, limit: next, state: 'below' }]
  }))
}

/** Returns the budget in the worst state; null if all are below their limits. */
export function worstBudget (lines: readonly BudgetLine[]): BudgetLine | null {
  return lines.find(({ state }) => state === 'hard') ?? lines.find(({ state }) => state === 'soft') ?? null
}
