import type Sqlite from 'better-sqlite3'

/** The row of a statement that always has one: a count, or what a change returns of a row that is there. Throws where there is none. */
export function oneRow<Values extends unknown[], Row> (statement: Sqlite.Statement<Values, Row>, ...values: Values): Row {
  const row = statement.get(...values)
  if (row === undefined) throw new Error(`No row: ${statement.source}`)
  return row
}
