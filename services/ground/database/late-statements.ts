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

/** What makes SQLite plan again by the values: an order, groups, duplicates that are left out, an extreme, or more than one table. */
const looksAtValues = /\b(?:order by|group by|distinct|join|union|over|min ?\(|max ?\()/i

/**
 * Returns the statement in a form that is compiled once. SQLite 3.54 compiles such a statement anew each time that it runs, if a column
 * equals a bare parameter: the value could make another plan better. That takes longer than to find a few rows. SQLite does not look into
 * expressions, so a plus prevents it. The plus has one more effect: no partial index is used whose condition only the value would meet. So
 * such a condition is written out, as in `state = 'pending'`.
 */
export function compiledOnce (text: string): string {
  return looksAtValues.test(text) ? text.replaceAll(/(?<![<>!=])= ?(?=\?|[:@]\w)/g, '= +') : text
}
