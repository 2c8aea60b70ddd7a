import { codeOf } from '../errors.js'

/**
 * Why nothing can be stored: no room, another program's lock, a file system or file that is read-only, or a disk that
 * fails in another way.
 */
export type TroubleKind = 'full' | 'locked' | 'readonly' | 'failing'

export interface Trouble {
  kind: TroubleKind
  /** When it began, by performance.now(). */
  sinceMs: number
}

const kinds: Array<[codes: RegExp, kind: TroubleKind]> = [
  [/^SQLITE_(BUSY|LOCKED)/, 'locked'],
  [/^SQLITE_(FULL|IOERR_SHMSIZE)/, 'full'],
  [/^SQLITE_READONLY/, 'readonly'],
  [/^SQLITE_(IOERR|NOMEM|CANTOPEN)/, 'failing']
]

/** Code of an error of SQLite's or of the system's, also where it was wrapped into another one (as drizzle does); empty without one. */
export function wrappedCode (error: unknown): string {
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    const code = codeOf(inner)
    if (code !== undefined) return code
  }
  return ''
}

/** What an error of SQLite's says of the disk; null when it is about the write itself (a constraint, a fence). */
export function troubleOf (error: unknown): TroubleKind | null {
  const code = wrappedCode(error)
  return kinds.find(([codes]) => codes.test(code))?.[1] ?? null
}

/** Whether an error of SQLite's comes from the state of the disk: full, unreadable, locked. */
export const isDiskTrouble = (error: unknown): boolean => troubleOf(error) !== null

/** Whether an error of SQLite's says that what is stored cannot be read any more. */
export function isDamage (error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB)/.test(wrappedCode(error))
}
