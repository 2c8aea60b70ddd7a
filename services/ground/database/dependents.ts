import { type Database } from './database.js'

/** How many rows are deleted at once; each may have a few of its own. */
const rowsAtOnce = 100

/**
 * Returns a function that deletes some of the rows that would go with a row of `table`, in a transaction of the caller's, until it returns
 * false: a single statement that deletes thousands of rows blocks everything else. The newest of each table stay, and go with the row.
 */
export function createDependents ({ sqlite }: Pick<Database, 'sqlite'>, table: string): (id: string) => boolean {
  const referring = sqlite.prepare<[string], { name: string, column: string }>(
    `select tables.name, keys."from" as "column" from pragma_table_list as tables join pragma_foreign_key_list(tables.name) as keys
     where keys."table" = ? and keys.on_delete = 'CASCADE' and tables.schema = 'main'`)
  const removalFrom = ({ name, column }: { name: string, column: string }) => sqlite.prepare<{ id: string }>(
    `delete from ${name} where rowid in (select rowid from ${name} where ${column} = @id order by rowid limit ${rowsAtOnce})
     and exists (select 1 from ${name} where ${column} = @id limit 1 offset ${rowsAtOnce})`)
  let removals: Array<ReturnType<typeof removalFrom>> | undefined
  return (id) => {
    removals ??= referring.all(table).map(removalFrom)
    return removals.some((removal) => removal.run({ id }).changes > 0)
  }
}
