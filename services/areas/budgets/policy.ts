import { measures, type Limits, type LimitName, type Measure, type BudgetScope } from './limits.js'

/** What has been used of a budget. */
export interface Use {
  tokens: number
  /** US dollars, as far as prices are known. */
  usd: number
  /** A model that was used and whose price is unknown; null if there is none. */
  unpriced: string | null
}

/** The state of a budget. */
export interface Standing {
  scope: BudgetScope
  limits: Limits
  use: Use
  /** The amount up to which a person has allowed it beyond its hard limit. */
  upTo: Record<Measure, number | null>
  /** What a person was told about: names of soft limits, and of models without a price. */
  told: readonly string[]
  /** Whether a person has lifted this limit for the conversation. */
  isLifted: (measure: Measure) => boolean
}

/** A hard limit that is used up. */
export interface Excess {
  scope: BudgetScope
  measure: Measure
  used: number
  /** The limit in force: the configured one, or more if a person has allowed it. */
  limit: number
  /** The amount up to which another permission allows it: the configured limit again, on top of the present use. */
  upTo: number
  unpriced: string | null
}

export const grantKey = (scope: BudgetScope, measure: Measure): string => `budget:${scope}:${measure}`

/** Returns the hard limits that are used up. Pure. */
export function exhausted (standings: readonly Standing[]): Excess[] {
  return standings.flatMap(({ scope, limits, use, upTo, isLifted }) => measures.flatMap((measure): Excess[] => {
    const given = limits[`hard_${measure}`]
    if (given === undefined || isLifted(measure)) return []
    const limit = Math.max(given, upTo[measure] ?? 0)
    const used = use[measure]
    return used < limit ? [] : [{ scope, measure, used, limit, upTo: used + given, unpriced: measure === 'usd' ? use.unpriced : null }]
  }))
}

/** A soft limit that has been reached. */
export interface Notice { scope: BudgetScope, name: LimitName, value: number }

/** Returns the soft limits that have been reached and not been reported yet. Pure. */
export function notices ({ scope, limits, use, told }: Pick<Standing, 'scope' | 'limits' | 'use' | 'told'>): Notice[] {
  return measures.flatMap((measure): Notice[] => {
    const name = `soft_${measure}` as const
    const value = limits[name]
    return value === undefined || use[measure] < value || told.includes(name) ? [] : [{ scope, name, value }]
  })
}

export const limitsMoney = (limits: Limits): boolean => limits.soft_usd !== undefined || limits.hard_usd !== undefined
