import { oneRow, type Database } from '../../ground/database/index.js'

/** A public key for signing in; the private key never leaves its authenticator. */
export interface Passkey {
  /** base64url, as in WebAuthn. */
  id: string
  /** The host name that it signs for. */
  rpId: string
  /** COSE key, base64url. */
  publicKey: string
  signCount: number
  label: string
  /** Epoch seconds. */
  createdAt: number
  lastUsedAt: number | null
}

/**
 * The statements on the table of passkeys, and all passkeys in memory, because every request checks whether there is one. Writes run inside
 * a write of the caller's.
 */
export function createPasskeyRows (db: Database) {
  const select = db.sqlite.prepare<[], Passkey>(
    'select id, rp_id as rpId, public_key as publicKey, sign_count as signCount, label, created_at as createdAt, last_used_at as lastUsedAt from passkeys order by created_at, id')
  const insert = db.sqlite.prepare<[Passkey]>(
    'insert or ignore into passkeys (id, rp_id, public_key, sign_count, label, created_at, last_used_at) values (@id, @rpId, @publicKey, @signCount, @label, @createdAt, @lastUsedAt)')
  const rename = db.sqlite.prepare<[string, string]>('update passkeys set label = ? where id = ?')
  const use = db.sqlite.prepare<[number, number, string, number]>(
    'update passkeys set sign_count = ?, last_used_at = ? where id = ? and sign_count = ?'
  )
  const remove = db.sqlite.prepare<[string]>('delete from passkeys where id = ?')
  const removeAll = db.sqlite.prepare('delete from passkeys')
  const count = db.sqlite.prepare<[], number>('select count(*) from passkeys').pluck()
  let known = read()

  function read (): Map<string, Passkey> {
    return new Map(select.all().map((passkey) => [passkey.id, passkey]))
  }

  /** Returns whether a statement has changed something; the copy in memory is updated once that is committed. */
  function changed ({ changes }: { changes: number }): boolean {
    if (changes > 0) db.afterCommit(() => { known = read() })
    return changes > 0
  }

  return {
    /** Committed passkeys only. */
    get: (id: string): Passkey | undefined => known.get(id),
    all: (): Passkey[] => [...known.values()],
    get size (): number { return known.size },
    /** The number that an open write sees. */
    count: (): number => oneRow(count),
    /** Returns false if it exists already. */
    insert: (passkey: Passkey): boolean => changed(insert.run(passkey)),
    /** Returns false if it no longer exists. */
    rename: (id: string, label: string): boolean => changed(rename.run(label, id)),
    /** Stores a sign-in. Returns false if the passkey no longer exists, or was used again after `from` was read. */
    use: (id: string, { from, to, atS }: { from: number, to: number, atS: number }): boolean => changed(use.run(to, atS, id, from)),
    /** Returns false if it no longer exists. */
    remove: (id: string): boolean => changed(remove.run(id)),
    removeAll: (): void => { changed(removeAll.run()) }
  }
}
export type PasskeyRows = ReturnType<typeof createPasskeyRows>
