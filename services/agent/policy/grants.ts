import { matches } from './tables/patterns.js'
import { scopeOf } from './scopes.js'

/**
 * Returns whether `key` has been granted, by its name or by a pattern (`cmd:npm *`, `net:*.example.org`). Keys that may be granted only
 * once are never covered. A pattern that begins with `*` would grant anything, and is ignored.
 */
export function isGranted (key: string, grants: ReadonlySet<string>): boolean {
  if (scopeOf([key]) === 'once') return false
  if (grants.has(key)) return true
  for (const grant of grants) {
    if (grant.includes('*') && !grant.trimStart().startsWith('*') && matches(grant, key)) return true
  }
  return false
}

/** Returns the first of `rules` that denies `key`. A rule for a program (`cmd:git push`) also applies to its special forms. */
export function denialOf (key: string, rules: readonly string[]): string | undefined {
  return rules.find((rule) => matches(rule, key) || (rule.startsWith('cmd:') && key.startsWith(`${rule} `)))
}
