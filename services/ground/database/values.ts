import { type Static, type TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type Sqlite from 'better-sqlite3'

/**
 * Stores single JSON values that need no table of their own, each under a key that one area owns. Only this module writes the table
 * `settings`. Changes run inside the caller's transaction.
 */
export function createValues (sqlite: Sqlite.Database) {
  /** Compiled when first needed: a migration begins before the table is there. */
  let one: Sqlite.Statement<[string], string> | undefined
  function get (key: string): unknown {
    one ??= sqlite.prepare<[string], string>('select value from settings where key = ?').pluck()
    const text = one.get(key)
    return text === undefined ? undefined : JSON.parse(text)
  }

  return {
    get,

    /** Returns the value if it has this form; undefined if it does not exist or has another form. */
    read<Form extends TSchema> (key: string, form: Form): Static<Form> | undefined {
      const value = get(key)
      return Value.Check(form, value) ? value : undefined
    },

    /** Returns all values that are valid JSON. */
    all: (): Array<{ key: string, value: unknown }> =>
      sqlite.prepare<[], { key: string, value: string }>('select key, value from settings where json_valid(value)').all()
        .map(({ key, value }) => ({ key, value: JSON.parse(value) })),

    set (key: string, value: unknown, nowS: number): void {
      sqlite.prepare('insert or replace into settings (key, value, updated_at) values (?, ?, ?)').run(key, JSON.stringify(value), nowS)
    },

    remove (key: string): void {
      sqlite.prepare('delete from settings where key = ?').run(key)
    }
  }
}
