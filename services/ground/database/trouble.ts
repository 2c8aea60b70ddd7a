import { codeOf } from '../errors.js'

/** Why nothing can be stored: no room, another program's lock, a read-only file or file system, or another failure of the disk. */
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

/** Returns the code of an SQLite or system error, also if it is wrapped in another error (as drizzle does); empty if there is none. */
export function wrappedCode (error: unknown): string {
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    const code = codeOf(inner)
    if (code !== undefined) return code
  }
  return ''
}

/** Returns the disk trouble that an SQLite error reports; null if the error is about the write itself (a constraint, a fence). */
export function troubleOf (error: unknown): TroubleKind | null {
  const code = wrappedCode(error)
  return kinds.find(([codes]) => codes.test(code))?.[1] ?? null
}

/** Whether an SQLite error comes from the state of the disk: full, unreadable, locked. */
export const isDiskTrouble = (error: unknown): boolean => troubleOf(error) !== null

/** Whether an SQLite error says that the row to which a new one belongs is gone. */
export const isOrphan = (error: unknown): boolean => wrappedCode(error) === 'SQLITE_CONSTRAINT_FOREIGNKEY'

/** Whether an SQLite error says that the stored data can no longer be read. */
export function isDamage (error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB)/.test(wrappedCode(error))
}
