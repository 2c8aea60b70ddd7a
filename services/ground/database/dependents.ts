import { createPace } from '../concurrency/pace.js'
import { type Database } from './database.js'

/** How many rows are deleted at once; each may have a few of its own. */
const rowsAtOnce = 100
/** How long a portion may block the event loop, approximately. */
const portionMs = 4

/**
 * Returns a function that deletes the rows that would go with a row of `table`, a few at a time: the single statement that deletes that row
 * would block everything else for as long as it takes to delete thousands of others. A few of each table stay, and go with the row.
 */
export function createDependents (
  { sqlite, transaction }: Pick<Database, 'sqlite' | 'transaction'>, table: string
): (id: string) => Promise<void> {
  const pause = createPace(0)
  const referring = sqlite.prepare<[string], { name: string, column: string }>(
    `select tables.name, keys."from" as "column" from pragma_table_list as tables join pragma_foreign_key_list(tables.name) as keys
     where keys."table" = ? and keys.on_delete = 'CASCADE' and tables.schema = 'main'`)
  const removalFrom = ({ name, column }: { name: string, column: string }) => sqlite.prepare<{ id: string }>(
    `delete from ${name} where rowid in (select rowid from ${name} where ${column} = @id limit ${rowsAtOnce})
     and exists (select 1 from ${name} where ${column} = @id limit 1 offset ${rowsAtOnce})`)
  let removals: Array<ReturnType<typeof removalFrom>> | undefined
  return async (id) => {
    removals ??= referring.all(table).map(removalFrom)
    for (const removal of removals) while (transaction(() => portion(removal, id))) await pause()
  }

  /** Returns whether any rows may be left. */
  function portion (removal: ReturnType<typeof removalFrom>, id: string): boolean {
    const untilMs = performance.now() + portionMs
    let isLeft: boolean
    do isLeft = removal.run({ id }).changes > 0
    while (isLeft && performance.now() < untilMs)
    return isLeft
  }
}
