import { Type, type Static } from '@sinclair/typebox'
import type Sqlite from 'better-sqlite3'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { asset } from '../assets.js'
import { createValues } from './values.js'

/** The progress of a migration that takes more than one transaction, in `settings` while it is under way. */
const progressKey = 'migration'
const MigrationProgress = Type.Object({
  /** The migration, identified by the moment it was made. */
  when: Type.Number(),
  /** How many of its statements are done. */
  done: Type.Number(),
  /** The last rowid that the next statement has been run for. */
  cursor: Type.Number()
})
type MigrationProgress = Static<typeof MigrationProgress>

/** `-- portions: <table>` before a statement: it is run repeatedly, each time for `rowid > :after and rowid <= :upto` of the table. */
const portioned = /^-- portions: (\w+)$/m
const rowsAtOnce = 500

/** The definition that drizzle-kit uses. */
const createList = 'CREATE TABLE IF NOT EXISTS "__drizzle_migrations" (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at numeric)'

/** Whether a migration was begun and not finished. Requires the table `settings`. */
export const isMidway = (sqlite: Sqlite.Database): boolean => createValues(sqlite).get(progressKey) !== undefined

/**
 * Migrates a database to the version of this program. Each migration is one transaction. One that changes many rows is a transaction per
 * portion, which also stores the cursor, so that the next start continues there however this one ends. It counts as applied from its
 * beginning, because an older program must not work with half of it. Yields the progress, 0 to 1, between transactions.
 */
export function * migrating (sqlite: Sqlite.Database, folder = asset('drizzle')): Generator<number> {
  sqlite.exec(createList)
  const values = createValues(sqlite)
  const last = Number(sqlite.prepare('select max(created_at) from __drizzle_migrations').pluck().get() ?? 0)
  const begun = last === 0 ? undefined : values.read(progressKey, MigrationProgress)
  const pending = readMigrationFiles({ migrationsFolder: folder }).filter(({ folderMillis }) =>
    folderMillis > last || folderMillis === begun?.when)
  for (const [index, { sql, hash, folderMillis: when }] of pending.entries()) {
    const begin = (): void => { sqlite.prepare('insert into __drizzle_migrations (hash, created_at) values (?, ?)').run(hash, when) }
    for (const share of migration(sqlite, sql, begun?.when === when
      ? begun
      : { when, done: 0, cursor: 0 }, begin)) yield (index + share) / pending.length
    yield (index + 1) / pending.length
  }
}

function * migration (sqlite: Sqlite.Database, statements: string[], from: MigrationProgress, begin: () => void): Generator<number> {
  const values = createValues(sqlite)
  const note = (done: number, cursor: number): void => {
    if (done < statements.length) {
      values.set(progressKey, { ...from, done, cursor } satisfies MigrationProgress, Math.floor(Date.now() / 1000))
    } else if (statements.some((statement) => portioned.test(statement))) {
      values.remove(progressKey)
    }
  }
  let { done, cursor } = from
  let isNew = done === 0 && cursor === 0
  while (done < statements.length) {
    const table = portioned.exec(statements[done] ?? '')?.[1]
    const upto = table === undefined ? null : nextRow(sqlite, table, cursor)
    sqlite.transaction(() => {
      if (isNew) begin()
      isNew = false
      if (table === undefined) {
        do sqlite.exec(statements[done] ?? '')
        while (++done < statements.length && !portioned.test(statements[done] ?? ''))
      } else if (upto === null) {
        [done, cursor] = [done + 1, 0]
      } else {
        sqlite.prepare(statements[done] ?? '').run({ after: cursor, upto })
        cursor = upto
      }
      note(done, cursor)
    }).immediate()
    yield table === undefined || upto === null ? done / statements.length : (done + upto / lastRow(sqlite, table)) / statements.length
  }
}

/** Returns the last rowid of the portion after a row; null if there are no more rows. */
function nextRow (sqlite: Sqlite.Database, table: string, after: number): number | null {
  return sqlite.prepare<[number], number | null>(
    `select max(rowid) from (select rowid from "${table}" where rowid > ? order by rowid limit ${rowsAtOnce})`
  ).pluck().get(after) ?? null
}

const lastRow = (sqlite: Sqlite.Database, table: string): number =>
  Number(sqlite.prepare(`select max(rowid) from "${table}"`).pluck().get())
