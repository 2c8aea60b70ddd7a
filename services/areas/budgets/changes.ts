import { Invalid } from '../../ground/errors.js'
import { isOneOf } from '../../ground/one-of.js'
import { limitNames, readLimit, scopes, type LimitName, type BudgetScope } from './limits.js'

/** A limit to set, or to remove (null). */
export interface LimitChange { path: ['budgets', BudgetScope, LimitName], value: number | null }

/**
 * Splits a client's request into changes of single limits, so that clients that change different ones do not undo each other's changes.
 * Throws Invalid, naming the key.
 */
export function changesOf (wanted: Readonly<Record<string, unknown>>): LimitChange[] {
  return Object.entries(wanted).flatMap(([scope, limits]): LimitChange[] => {
    if (!isOneOf(scopes, scope)) throw new Invalid(`${short(scope)}: not known; there are ${scopes.join(', ')}`)
    if (limits === null) return limitNames.map((name) => ({ path: ['budgets', scope, name], value: null }))
    if (typeof limits !== 'object' || Array.isArray(limits)) throw new Invalid(`${scope}: must be an object of limits, or null`)
    return Object.entries(limits).map(([name, value]): LimitChange => {
      if (!isOneOf(limitNames, name)) throw new Invalid(`${scope}.${short(name)}: not known; there are ${limitNames.join(', ')}`)
      const limit = value === null ? null : readLimit(name, value)
      if (typeof limit === 'object' && limit !== null) throw new Invalid(`${scope}.${name}: must be ${limit.mustBe}, or null`)
      return { path: ['budgets', scope, name], value: limit }
    })
  })
}

const short = (key: string): string => key.length > 40 ? `${key.slice(0, 40)}…` : key
