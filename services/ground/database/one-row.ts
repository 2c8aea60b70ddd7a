import type Sqlite from 'better-sqlite3'

/** Returns the row of a statement that always has one: a count, or the result of a change to an existing row. Throws if there is none. */
export function oneRow<Values extends unknown[], Row> (statement: Sqlite.Statement<Values, Row>, ...values: Values): Row {
  const row = statement.get(...values)
  if (row === undefined) throw new Error(`No row: ${statement.source}`)
  return row
}
