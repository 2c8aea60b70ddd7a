import { interpreters, sessionOnly, shells } from './programs.js'

/** Keys that may be granted for a session but not for ever. */
export const sessionOnlyKeys: ReadonlySet<string> = new Set([...sessionOnly, ...shells, ...interpreters.keys()].map((program) => `cmd:${program}`))

/** Programs written on the command line: each one is another program. */
export const inlineKeys = /^cmd:(?:\S+ (?:-[a-zA-Z]|--eval)$|(?:deno|bun) (?:eval|-e|run)$|find -delete$)/
