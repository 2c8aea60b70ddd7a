import Sqlite from 'better-sqlite3'
import { explainingErrors, identify, oneRow, UnusableDatabase } from '../../ground/database/index.js'

/** The contents of an intact database. */
export interface Contents { version: number, rows: Record<string, number> }

const patienceMs = 60_000

/** Opens a copy, which no process writes to. */
export function openForReading (file: string): Sqlite.Database {
  return explainingErrors(file, () => new Sqlite(file, { readonly: true, fileMustExist: true, timeout: patienceMs }))
}

/**
 * Opens a database for reading, while a service may be writing to it. If none is, the files that this creates next to it are removed at the
 * end.
 */
export function openLive (file: string): Sqlite.Database {
  return explainingErrors(file, () => new Sqlite(file, { fileMustExist: true, timeout: patienceMs }))
}

/** Checks every page and counts the rows of every table. Throws UnusableDatabase for a database that is damaged, foreign or newer. */
export function examine (sqlite: Sqlite.Database, file: string): Contents {
  return explainingErrors(file, () => {
    const { version } = identify(sqlite, file)
    if (version === 0) throw new UnusableDatabase(`${file} is an empty database.`)
    const verdict = sqlite.pragma('integrity_check(1)', { simple: true })
    if (verdict !== 'ok') throw new UnusableDatabase(`${file} is damaged (${String(verdict).split('\n').slice(-1)[0]}).`)
    return { version, rows: countRows(sqlite) }
  })
}

/** Counts rows by table, without SQLite's own tables and those in which a full-text index keeps its data. */
export function countRows (sqlite: Sqlite.Database): Record<string, number> {
  const names = sqlite.prepare<[], string>(
    "select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite\\_%' escape '\\' order by name"
  ).pluck().all()
  return Object.fromEntries(names.map((name) => [name, oneRow(sqlite.prepare<[], number>(`select count(*) from "${name}"`).pluck())]))
}

/** Checks the structure of every page, in a fraction of the time of a full check. Returns null if it is sound. */
export function quickCheck (file: string): string | null {
  const sqlite = openLive(file)
  try {
    const verdict = explainingErrors(file, () => sqlite.pragma('quick_check(1)', { simple: true }))
    return verdict === 'ok' ? null : String(verdict)
  } finally {
    sqlite.close()
  }
}
