import type Sqlite from 'better-sqlite3'

type Prepared = Sqlite.Statement<unknown[]>

/** A statement that is compiled when it is first run. It has only the methods that the service uses. */
class LateStatement {
  #made: Prepared | undefined
  readonly #settings: Array<(statement: Prepared) => void> = []

  constructor (private readonly make: () => Prepared) {}

  get (...values: unknown[]): unknown { return this.#statement.get(...values) }
  all (...values: unknown[]): unknown[] { return this.#statement.all(...values) }
  run (...values: unknown[]): unknown { return this.#statement.run(...values) }
  pluck (isOn = true): this { return this.#set('pluck', isOn) }
  raw (isOn = true): this { return this.#set('raw', isOn) }

  get #statement (): Prepared {
    if (this.#made === undefined) {
      this.#made = this.make()
      for (const set of this.#settings) set(this.#made)
    }
    return this.#made
  }

  #set (name: 'pluck' | 'raw', isOn: boolean): this {
    if (this.#made === undefined) this.#settings.push((statement) => statement[name](isOn))
    else this.#made[name](isOn)
    return this
  }
}

/**
 * Makes a connection compile its statements when they are first run: a service prepares hundreds of them at start, and those that never run
 * would cost time and memory. A mistake in a statement shows only when it runs; the tests run all of them.
 */
export function prepareLate (sqlite: Sqlite.Database): Sqlite.Database {
  const prepare = sqlite.prepare.bind(sqlite)
  return Object.assign(sqlite, { prepare: (text: string) => new LateStatement(() => prepare<unknown[]>(compiledOnce(text))) })
}

/** What makes SQLite look at values again: an order, groups, duplicates that are left out, an extreme, or more than one table. */
const looksAtValues = /\b(?:order by|group by|distinct|join|union|over|min ?\(|max ?\()/i

/**
 * Returns the statement in a form that is compiled once. SQLite 3.54 compiles a statement with an order, groups or an extreme anew each
 * time that it runs, if a column equals a bare parameter: the value could make another plan better (`sqlite3_prepare_v3`). That takes
 * longer than to find a few rows. It does not look into expressions, and a plus changes nothing else, but one: if the value would show that
 * a partial index has all of the rows, that index is not used. So its condition is written out, as in `state = 'pending'`.
 */
export function compiledOnce (text: string): string {
  return looksAtValues.test(text) ? text.replaceAll(/(?<![<>!=])= ?(?=\?|[:@]\w)/g, '= +') : text
}
