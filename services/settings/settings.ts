import { type TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { epochSeconds, type Clock } from '../ground/clock.js'
import { createValues, type Database } from '../ground/database/index.js'
import { Invalid } from '../ground/errors.js'
import { Listeners, type Heard } from '../ground/listeners.js'
import { knownSettings, normalised, schemaOf, type SettingValues } from './known.js'

export interface SettingsEvents {
  /** They are stored and hold. */
  changed (keys: string[]): void
}

/** Settings of this instance: rows, read once and kept in memory, as this process is the only one that writes them. */
export function createSettings ({ db, clock, log }: { db: Database, clock: Clock, log: (message: string, details: Record<string, unknown>) => void }) {
  const stored = createValues(db.sqlite)
  const listeners = new Listeners<SettingsEvents>((event, error) => log('what follows from a setting went wrong', { event, reason: String(error) }))
  const values = Object.fromEntries(Object.entries(knownSettings).map(([key, schema]) => [key, schema.default])) as SettingValues
  for (const { key, value } of stored.all()) {
    const schema = schemaOf(key)
    if (schema !== undefined && problemWith(schema, value) === null) Object.assign(values, { [key]: value })
  }

  /** What of `changes` is known, in the words of today. Throws Invalid that names a value that does not fit. */
  function accepted (changes: Record<string, unknown>): Array<[string, unknown]> {
    const known = Object.entries(changes).map(([key, value]) => normalised(key, value)).filter(([key, value]) => schemaOf(key) !== undefined && value !== null)
    for (const [key, value] of known) {
      const problem = problemWith(schemaOf(key)!, value)
      if (problem !== null) throw new Invalid(`${key}: ${problem}`)
    }
    return known
  }

  /**
   * What stores as much of `changes` as is known, inside a write of the caller's; null when there is nothing to store. Throws
   * Invalid that names a value that does not fit.
   */
  function prepare (changes: Record<string, unknown>): (() => void) | null {
    const made = accepted(changes)
    if (made.length === 0) return null
    return () => {
      const updatedAt = epochSeconds(clock)
      for (const [key, value] of made) stored.set(key, value, updatedAt)
      db.afterCommit(() => {
        Object.assign(values, Object.fromEntries(made))
        listeners.emit('changed', made.map(([key]) => key))
      })
    }
  }

  return {
    on: listeners.on.bind(listeners) as Heard<SettingsEvents>['on'],
    values: (): Readonly<SettingValues> => values,

    prepare,

    /** Stores what is known of `changes`; unknown keys are ignored. Throws Invalid that names a value that does not fit. */
    async change (changes: Record<string, unknown>): Promise<void> {
      const write = prepare(changes)
      if (write !== null) await db.durably(write)
    }
  }
}

export type Settings = ReturnType<typeof createSettings>

/** Why a value does not fit, in words; null when it does. */
function problemWith (schema: TSchema, value: unknown): string | null {
  const values: unknown = schema['enum']
  if (Array.isArray(values)) return values.includes(value) ? null : `one of ${values.join(', ')}`
  return Value.Errors(schema, value).First()?.message.toLowerCase() ?? null
}
