import { matches } from './tables/patterns.js'
import { scopeOf } from './scopes.js'

/**
 * True when `key` is among what has been granted, by its name or by a pattern (`cmd:npm *`, `net:*.example.org`). What
 * may be granted only once is never covered. A pattern that begins with `*` would grant anything and counts for nothing.
 */
export function isGranted (key: string, grants: ReadonlySet<string>): boolean {
  if (scopeOf([key]) === 'once') return false
  if (grants.has(key)) return true
  for (const grant of grants) {
    if (grant.includes('*') && !grant.trimStart().startsWith('*') && matches(grant, key)) return true
  }
  return false
}

/** The first of `rules` that denies `key`. A rule for a program (`cmd:git push`) holds for its special forms as well. */
export function denialOf (key: string, rules: readonly string[]): string | undefined {
  return rules.find((rule) => matches(rule, key) || (rule.startsWith('cmd:') && key.startsWith(`${rule} `)))
}
