import Sqlite from 'better-sqlite3'
import { explained, identify, oneRow, UnusableDatabase } from '../../ground/database/index.js'

/** What a whole database holds. */
export interface Contents { version: number, rows: Record<string, number> }

const patienceMs = 60_000

/** Opens a copy, to which nobody writes. */
export function openForReading (file: string): Sqlite.Database {
  return explained(file, () => new Sqlite(file, { readonly: true, fileMustExist: true, timeout: patienceMs }))
}

/**
 * Opens a database that a service may be writing to, in order to read. Where none runs, what this makes beside it is tidied up at the end.
 */
export function openLive (file: string): Sqlite.Database {
  return explained(file, () => new Sqlite(file, { fileMustExist: true, timeout: patienceMs }))
}

/** Looks at every page and counts the rows of every table. Throws UnusableDatabase for what is damaged, foreign or newer. */
export function examine (sqlite: Sqlite.Database, file: string): Contents {
  return explained(file, () => {
    const { version } = identify(sqlite, file)
    if (version === 0) throw new UnusableDatabase(`${file} is an empty database.`)
    const verdict = sqlite.pragma('integrity_check(1)', { simple: true })
    if (verdict !== 'ok') throw new UnusableDatabase(`${file} is damaged (${String(verdict).split('\n').slice(-1)[0]}).`)
    return { version, rows: countRows(sqlite) }
  })
}

/** Rows by table; the tables that an index keeps for itself are left out. */
export function countRows (sqlite: Sqlite.Database): Record<string, number> {
  const names = sqlite.prepare<[], string>(
    "select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite\\_%' escape '\\' order by name"
  ).pluck().all()
  return Object.fromEntries(names.map((name) => [name, oneRow(sqlite.prepare<[], number>(`select count(*) from "${name}"`).pluck())]))
}

/** Looks at the structure of every page, which takes a fraction of a whole check. Null: it is sound. */
export function quickCheck (file: string): string | null {
  const sqlite = openLive(file)
  try {
    const verdict = explained(file, () => sqlite.pragma('quick_check(1)', { simple: true }))
    return verdict === 'ok' ? null : String(verdict)
  } finally {
    sqlite.close()
  }
}
