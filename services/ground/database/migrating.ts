import { Type, type Static } from '@sinclair/typebox'
import type Sqlite from 'better-sqlite3'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { asset } from '../assets.js'
import { createValues } from './values.js'

/** How far a migration is that does not fit one transaction; in `settings` for as long as it is under way. */
const progressKey = 'migration'
const Begun = Type.Object({
  /** The migration, by the moment it was made. */
  when: Type.Number(),
  /** How many of its statements are done. */
  done: Type.Number(),
  /** Up to which rowid the next one is. */
  cursor: Type.Number()
})
type Begun = Static<typeof Begun>

/** `-- portions: <table>` in front of a statement: it is run for `rowid > :after and rowid <= :upto` of the table, again and again. */
const portioned = /^-- portions: (\w+)$/m
const rowsAtOnce = 500

/** As drizzle-kit knows it. */
const createList = 'CREATE TABLE IF NOT EXISTS "__drizzle_migrations" (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at numeric)'

/** Whether a migration was begun and not ended. The table `settings` has to be there. */
export const isMidway = (sqlite: Sqlite.Database): boolean => createValues(sqlite).get(progressKey) !== undefined

/**
 * Brings a database to the version of this program. Each migration is a transaction; one that goes through many rows is one for each
 * portion of them, with its place noted in the same transaction, so that the next start goes on there whatever ends this one. It counts as
 * had from its beginning on: an older program must not work with half of it. Yields between two transactions how much is done, 0 to 1.
 */
export function * migrating (sqlite: Sqlite.Database, folder = asset('drizzle')): Generator<number> {
  sqlite.exec(createList)
  const values = createValues(sqlite)
  const last = Number(sqlite.prepare('select max(created_at) from __drizzle_migrations').pluck().get() ?? 0)
  const begun = last === 0 ? undefined : values.read(progressKey, Begun)
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

function * migration (sqlite: Sqlite.Database, statements: string[], from: Begun, begin: () => void): Generator<number> {
  const values = createValues(sqlite)
  const note = (done: number, cursor: number): void => {
    if (done < statements.length) values.set(progressKey, { ...from, done, cursor } satisfies Begun, Math.floor(Date.now() / 1000))
    else if (statements.some((statement) => portioned.test(statement))) values.remove(progressKey)
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

/** The end of the portion behind a row; null: there is none. */
function nextRow (sqlite: Sqlite.Database, table: string, after: number): number | null {
  return sqlite.prepare<[number], number | null>(
    `select max(rowid) from (select rowid from "${table}" where rowid > ? order by rowid limit ${rowsAtOnce})`
  ).pluck().get(after) ?? null
}

const lastRow = (sqlite: Sqlite.Database, table: string): number =>
  Number(sqlite.prepare(`select max(rowid) from "${table}"`).pluck().get())
