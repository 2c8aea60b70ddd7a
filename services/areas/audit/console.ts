import type Sqlite from 'better-sqlite3'
import { userInfo } from 'node:os'
import { type AuditDetails, type AuditKind } from '../../../schemas/audit.js'
import { tried } from '../../ground/tried.js'
import { newEntry, type Actor } from './entries.js'
import { createAuditRows } from './rows.js'

const hasLog = "select count(*) from sqlite_schema where type = 'table' and name = 'audit'"

/**
 * Records an action of a program that was run on this machine, in a transaction of its own; a service may be using the database. Returns
 * false if the database is older than the audit log.
 */
export function recordFromConsole<Kind extends AuditKind> (
  sqlite: Sqlite.Database, nowS: number, kind: Kind, details: AuditDetails<Kind>
): boolean {
  if (sqlite.prepare<[], number>(hasLog).pluck().get() === 0) return false
  const rows = createAuditRows({ sqlite })
  sqlite.pragma('synchronous = FULL')
  sqlite.transaction(() => rows.append(newEntry(consoleActor(), nowS, kind, details))).immediate()
  return true
}

/** The person who runs a program on this machine, by user name. */
export const consoleActor = (): Actor => ({ kind: 'console', id: null, name: userName(), address: null })

function userName (): string | null {
  return tried(() => userInfo().username, null) // the user has no entry on this machine
}
