import { type Database } from '../../ground/database/index.js'

/** `credential` is the mark of what the session was opened with. Times in epoch seconds. */
export interface AuthSessionRow { credential: string, createdAt: number, expiresAt: number }
type ListedSession = AuthSessionRow & { tokenHash: string, userAgent: string | null }

/** The statements on the table of sign-ins. Writes return the number of rows, and run inside a write of the caller's. */
export function createAuthSessionRows ({ sqlite }: Pick<Database, 'sqlite'>) {
  const insert = sqlite.prepare<[ListedSession]>(
    'insert into auth_sessions (token_hash, password_fingerprint, created_at, expires_at, user_agent) values (@tokenHash, @credential, @createdAt, @expiresAt, @userAgent)')
  const find = sqlite.prepare<[string], AuthSessionRow>(
    'select password_fingerprint as credential, created_at as createdAt, expires_at as expiresAt from auth_sessions where token_hash = ?')
  const select = sqlite.prepare<[], ListedSession>(`select token_hash as tokenHash,
    password_fingerprint as credential, created_at as createdAt, expires_at as expiresAt, user_agent as userAgent
    from auth_sessions order by created_at desc, rowid desc`)
  const remove = sqlite.prepare<[string]>('delete from auth_sessions where token_hash = ?')
  const removeOthers = sqlite.prepare<[{ credential: string }]>(
    "delete from auth_sessions where password_fingerprint <> @credential and password_fingerprint not like @credential || '+%' and password_fingerprint not like '%+device:%'")
  const removeOfWay = sqlite.prepare<[string]>(
    "delete from auth_sessions where instr(password_fingerprint, '+') > 0 and substr(password_fingerprint, instr(password_fingerprint, '+') + 1) = ?")
  const removeExpired = sqlite.prepare<[number]>('delete from auth_sessions where expires_at <= ?')
  const removeSurplus = sqlite.prepare<[number]>(
    'delete from auth_sessions where token_hash in (select token_hash from auth_sessions order by created_at desc, rowid desc limit -1 offset ?)')

  return {
    find: (tokenHash: string): AuthSessionRow | undefined => find.get(tokenHash),
    /** The newest first. */
    all: (): ListedSession[] => select.all(),
    insert: (row: ListedSession): number => insert.run(row).changes,
    remove: (tokenHash: string): number => remove.run(tokenHash).changes,
    /** Removes sessions that were not opened under this password, except those of browsers that are devices. */
    removeOthers: (credential: string): number => removeOthers.run({ credential }).changes,
    /** Removes the sessions whose mark names this passkey or this device. */
    removeOfWay: (way: string): number => removeOfWay.run(way).changes,
    removeExpired: (nowS: number): number => removeExpired.run(nowS).changes,
    /** Removes the oldest beyond `most`. */
    removeSurplus: (most: number): number => removeSurplus.run(most).changes
  }
}
