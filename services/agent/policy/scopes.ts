import { dangerKeys, isRemovalKey } from './tables/dangers.js'
import { openEnded, sessionOnly } from './tables/programs.js'
import { interpreters, packageRunners, shells } from './tables/wrappers.js'

/** How long a key may be granted for. */
export type GrantScope = 'once' | 'session' | 'always'

/** Keys that may be granted for a session, but not for ever. */
const sessionOnlyKeys: ReadonlySet<string> = new Set([...sessionOnly, ...shells, ...interpreters.keys()].map((program) => `cmd:${program}`))

/** Returns whether a key covers almost anything, however it is started: `docker exec`, `ansible` followed by any word, `npx tsx`. */
function isOpenEnded (key: string): boolean {
  if (!key.startsWith('cmd:')) return false
  const command = key.slice('cmd:'.length)
  const words = command.split(' ')
  const [program = '', first = ''] = words
  return words.some((_, index) => openEnded.has(words.slice(0, index + 1).join(' '))) ||
    (packageRunners.has(program) && (openEnded.has(first) || interpreters.has(first) || shells.has(first)))
}

/** Calls whose program code is on the command line, so that each call is another program. */
const inlineKeys: ReadonlySet<string> = new Set([...[...interpreters].flatMap(([program, options]) =>
  options.map((option) => `cmd:${program} ${option}`)),
'cmd:deno eval', 'cmd:deno run', 'cmd:bun eval', 'cmd:bun -e', 'cmd:bun run', 'cmd:find -delete'])

/** A command in the sandbox has left something that git would run outside the sandbox. */
export const plantedKey = 'git:planted'

/** A skill is saved: every later conversation may follow what it says. */
export const skillsKey = 'write:skills'

/** A document of the memory is changed: every later conversation receives it. */
export const memoryKey = 'write:memory'

/** A scheduled job is created or changed: it runs when nobody is watching. */
export const schedulesKey = 'write:schedules'

/** A tool of an MCP server has changed since it was allowed. */
export const changedToolKey = 'mcp:changed'

/** Keys that an earlier grant never covers: permission is asked for each call. */
const onceKeys = /^(?:shell:opaque|net:unknown|git:planted|write:skills|write:schedules|mcp:changed)$|:protected$|^mcp:[^:]+:sampling\/create$/

/** Returns the widest scope that all the keys allow together. */
export function scopeOf (keys: readonly string[]): GrantScope {
  if (keys.some((key) => onceKeys.test(key))) return 'once'
  return keys.some((key) => key.endsWith(':outside') || sessionOnlyKeys.has(key) || isOpenEnded(key) || dangerKeys.has(key) ||
    inlineKeys.has(key) || isRemovalKey(key))
    ? 'session'
    : 'always'
}
