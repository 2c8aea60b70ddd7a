import { measures, type Limits, type LimitName, type Measure, type Scope } from './limits.js'

/** What has been used of a budget. */
export interface Use {
  tokens: number
  /** US dollars, as far as prices are known. */
  usd: number
  /** A model of which something was used and whose price is not known. */
  unpriced: string | null
}

/** How a budget stands. */
export interface Standing {
  scope: Scope
  limits: Limits
  use: Use
  /** Up to where people have allowed it beyond its hard limit. */
  upTo: Record<Measure, number | null>
  /** What a person was told about: names of soft limits, and of models without a price. */
  told: readonly string[]
  /** Somebody has lifted this limit for the conversation. */
  isLifted: (measure: Measure) => boolean
}

/** A hard limit that is used up. */
export interface Excess {
  scope: Scope
  measure: Measure
  used: number
  /** What is in force: the limit, or more where a person has allowed it. */
  limit: number
  /** Up to where one more yes allows it: as much again as the limit itself, from where it stands now. */
  upTo: number
  unpriced: string | null
}

export const grantKey = (scope: Scope, measure: Measure): string => `budget:${scope}:${measure}`

/** The hard limits that nothing may be used beyond any more. Pure. */
export function exhausted (standings: readonly Standing[]): Excess[] {
  return standings.flatMap(({ scope, limits, use, upTo, isLifted }) => measures.flatMap((measure): Excess[] => {
    const given = limits[`hard_${measure}`]
    if (given === undefined || isLifted(measure)) return []
    const limit = Math.max(given, upTo[measure] ?? 0)
    const used = use[measure]
    return used < limit ? [] : [{ scope, measure, used, limit, upTo: used + given, unpriced: measure === 'usd' ? use.unpriced : null }]
  }))
}

/** A soft limit that is reached. */
export interface Notice { scope: Scope, name: LimitName, value: number }

/** The soft limits that are reached and that nobody was told about yet. Pure. */
export function notices ({ scope, limits, use, told }: Pick<Standing, 'scope' | 'limits' | 'use' | 'told'>): Notice[] {
  return measures.flatMap((measure): Notice[] => {
    const name = `soft_${measure}` as const
    const value = limits[name]
    return value === undefined || use[measure] < value || told.includes(name) ? [] : [{ scope, name, value }]
  })
}

export const limitsMoney = (limits: Limits): boolean => limits.soft_usd !== undefined || limits.hard_usd !== undefined
