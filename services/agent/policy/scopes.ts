import { dangerKeys, isRemovalKey } from './tables/dangers.js'
import { openEnded, sessionOnly } from './tables/programs.js'
import { interpreters, packageRunners, shells } from './tables/wrappers.js'

/** For how long something may be granted. */
export type Scope = 'once' | 'session' | 'always'

/** Keys that may be granted for a session but not for ever. */
const sessionOnlyKeys: ReadonlySet<string> = new Set([...sessionOnly, ...shells, ...interpreters.keys()].map((program) => `cmd:${program}`))

/** What a key names may be almost anything, whichever way it is started: `docker exec`, `ansible` with any word behind it, `npx tsx`. */
function isOpenEnded (key: string): boolean {
  if (!key.startsWith('cmd:')) return false
  const command = key.slice('cmd:'.length)
  const words = command.split(' ')
  const [program = '', first = ''] = words
  return words.some((_, index) => openEnded.has(words.slice(0, index + 1).join(' '))) ||
    (packageRunners.has(program) && (openEnded.has(first) || interpreters.has(first) || shells.has(first)))
}

/** Programs written on the command line: each one is another program. */
const inlineKeys: ReadonlySet<string> = new Set([...[...interpreters].flatMap(([program, options]) =>
  options.map((option) => `cmd:${program} ${option}`)),
'cmd:deno eval', 'cmd:deno run', 'cmd:bun eval', 'cmd:bun -e', 'cmd:bun run', 'cmd:find -delete'])

/** A command in the sandbox has left something that git would run outside of it. */
export const plantedKey = 'git:planted'

/** A skill is saved: every later conversation may follow what it says. */
export const skillsKey = 'write:skills'

/** A document of the memory is changed: every later conversation is told of it. */
export const memoryKey = 'write:memory'

/** A scheduled job is made or changed: it runs when nobody looks. */
export const schedulesKey = 'write:schedules'

/** A tool of an MCP server is not what it was when it was allowed. */
export const changedToolKey = 'mcp:changed'

/** Never covered by an earlier grant: each call is another one. */
const onceKeys = /^(?:shell:opaque|net:unknown|git:planted|write:skills|write:schedules|mcp:changed)$|:protected$|^mcp:[^:]+:sampling\/create$/

/** The widest grant that all the keys together allow. */
export function scopeOf (keys: readonly string[]): Scope {
  if (keys.some((key) => onceKeys.test(key))) return 'once'
  return keys.some((key) => key.endsWith(':outside') || sessionOnlyKeys.has(key) || isOpenEnded(key) || dangerKeys.has(key) ||
    inlineKeys.has(key) || isRemovalKey(key))
    ? 'session'
    : 'always'
}
