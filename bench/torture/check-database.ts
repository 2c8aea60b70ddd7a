import Sqlite from 'better-sqlite3'
import { type Tally } from './tally.js'

/** Checks that a database is intact, and that no query finds a row. `queries`: what their rows would be, and the SQL. */
export function checkDatabase (
  { databaseFile, tally }: { databaseFile: string, tally: Tally }, queries: Readonly<Record<string, string>>
): void {
  const db = new Sqlite(databaseFile, { readonly: true })
  try {
    const integrity = db.pragma('integrity_check', { simple: true })
    if (integrity !== 'ok') tally.wrong(`integrity_check: ${String(integrity)}`)
    if ((db.pragma('foreign_key_check') as unknown[]).length > 0) tally.wrong('foreign_key_check finds rows')
    for (const [what, query] of Object.entries(queries)) {
      tally.checked()
      const rows = db.prepare(query).all()
      if (rows.length > 0) tally.wrong(`${what}: ${JSON.stringify(rows.slice(0, 5))}`)
    }
  } finally {
    db.close()
  }
}
