import { Type, type Static, type TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { epochSeconds, type Clock } from '../ground/clock.js'
import { createValues, type Database } from '../ground/database/index.js'
import { Invalid } from '../ground/errors.js'
import { Listeners, type Heard } from '../ground/listeners.js'

/** What a person can set for the whole instance, with what holds until then. */
const known = {
  /** Credentials are masked wherever texts leave the service. */
  api_redact_enabled: Type.Boolean({ default: true }),
  pinned_sessions_limit: Type.Integer({ minimum: 1, maximum: 99, default: 3 }),
  /** Conversations of other front ends of this machine are listed. */
  show_cli_sessions: Type.Boolean({ default: true }),
  show_claude_code_sessions: Type.Boolean({ default: true })
} satisfies Record<string, TSchema>

export type SettingValues = { [Key in keyof typeof known]: Static<(typeof known)[Key]> }

export interface SettingsEvents {
  /** They are stored and hold. */
  changed (keys: string[]): void
}

/** Settings of this instance: rows, read once and kept in memory, as this process is the only one that writes them. */
export function createSettings ({ db, clock, log }: { db: Database, clock: Clock, log: (message: string, details: Record<string, unknown>) => void }) {
  const stored = createValues(db.sqlite)
  const listeners = new Listeners<SettingsEvents>((event, error) => log('what follows from a setting went wrong', { event, reason: String(error) }))
  const values = Object.fromEntries(Object.entries(known).map(([key, schema]) => [key, schema.default])) as SettingValues
  for (const { key, value } of stored.all()) {
    const schema = (known as Record<string, TSchema>)[key]
    if (schema !== undefined && Value.Check(schema, value)) Object.assign(values, { [key]: value })
  }

  return {
    on: listeners.on.bind(listeners) as Heard<SettingsEvents>['on'],
    values: (): Readonly<SettingValues> => values,

    /** Stores what is known of `changes`; unknown keys are ignored. Throws Invalid that names a value that does not fit. */
    async change (changes: Record<string, unknown>): Promise<void> {
      const accepted = Object.entries(changes).filter(([key, value]) => Object.hasOwn(known, key) && value !== null)
      for (const [key, value] of accepted) {
        const error = Value.Errors((known as Record<string, TSchema>)[key]!, value).First()
        if (error !== undefined) throw new Invalid(`${key}: ${error.message.toLowerCase()}`)
      }
      if (accepted.length === 0) return
      const updatedAt = epochSeconds(clock)
      await db.durably(() => {
        for (const [key, value] of accepted) stored.set(key, value, updatedAt)
      })
      Object.assign(values, Object.fromEntries(accepted))
      listeners.emit('changed', accepted.map(([key]) => key))
    }
  }
}

export type Settings = ReturnType<typeof createSettings>
