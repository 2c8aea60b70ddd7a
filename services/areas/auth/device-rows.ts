import { oneRow, type Database } from '../../ground/database/index.js'
import { type TokenScope } from './scopes.js'

/** A script, an app or a browser that is let in with a scope of its own. Times in epoch seconds. */
export interface Device {
  id: string
  name: string
  scope: TokenScope
  /** SHA-256 (hex) of its token, which itself is not stored. Null: a browser, which has a session and no token. */
  tokenHash: string | null
  /** The device that created it; null: a person did. */
  madeBy: string | null
  createdAt: number
  /** Null: valid until it is revoked. */
  expiresAt: number | null
  lastUsedAt: number | null
}

/**
 * The statements on the table of devices, and all devices in memory, because every request with a token needs one. Writes run inside a
 * write of the caller's.
 */
export function createDeviceRows (db: Database) {
  const select = db.sqlite.prepare<[], Device>(
    'select id, name, scope, token_hash as tokenHash, made_by as madeBy, created_at as createdAt, expires_at as expiresAt, last_used_at as lastUsedAt from devices order by created_at, id')
  const insert = db.sqlite.prepare<[Device]>(
    'insert into devices (id, name, scope, token_hash, made_by, created_at, expires_at, last_used_at) values (@id, @name, @scope, @tokenHash, @madeBy, @createdAt, @expiresAt, @lastUsedAt)')
  const rename = db.sqlite.prepare<[string, string]>('update devices set name = ? where id = ?')
  const use = db.sqlite.prepare<[number, string]>('update devices set last_used_at = ? where id = ?')
  const count = db.sqlite.prepare<[], number>('select count(*) from devices').pluck()
  const remove = db.sqlite.prepare<[string]>('delete from devices where id = ?')
  let known = read()

  function read (): Map<string, Device> {
    return new Map(select.all().map((device) => [device.id, device]))
  }

  /** Returns whether a statement has changed something; the copy in memory is updated once that is committed. */
  function changed ({ changes }: { changes: number }): boolean {
    if (changes > 0) db.afterCommit(() => { known = read() })
    return changes > 0
  }

  return {
    /** Committed devices only. */
    get: (id: string): Device | undefined => known.get(id),
    all: (): Device[] => [...known.values()],
    /** All devices as an open write has left them. */
    stored: (): Device[] => select.all(),
    /** Counts them as an open write has left them. */
    count: (): number => oneRow(count),
    insert: (device: Device): boolean => changed(insert.run(device)),
    /** Returns false if it no longer exists. */
    rename: (id: string, name: string): boolean => changed(rename.run(name, id)),
    use: (id: string, atS: number): boolean => changed(use.run(atS, id)),
    /** Returns false if it no longer exists. */
    remove: (id: string): boolean => changed(remove.run(id))
  }
}
export type DeviceRows = ReturnType<typeof createDeviceRows>
