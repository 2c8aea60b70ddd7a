import { isDeepStrictEqual } from 'node:util'
import { storedSettings } from '../../../schemas/settings.js'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { createValues, type Database } from '../../ground/database/index.js'
import { Listeners } from '../../ground/listeners.js'
import { type Log } from '../../ground/log.js'
import { isKeyOf } from '../../ground/one-of.js'
import { type AuditPort } from '../audit/index.js'
import { Acceptance, assertFits, problemWith, type Vet } from './acceptance.js'
import { schemaOf, speechKeys, type SettingValues, type SpeechKey } from './known.js'

export interface SettingsEvents {
  /** The settings are stored and in force. */
  changed (keys: string[]): void
}

export interface SettingsOptions {
  db: Database
  clock: Clock
  audit: AuditPort
  /** What an empty text stands for. */
  fallbacks: Partial<SettingValues>
  log: Log
}

/** Settings of this instance: rows that are read once and cached in memory, because only this process writes them. */
export function createSettings ({ db, clock, audit, fallbacks, log }: SettingsOptions) {
  const stored = createValues(db.sqlite)
  const listeners = new Listeners<SettingsEvents>((event, error) =>
    log('a listener failed after a setting changed', { event, reason: String(error) }))
  const values = Object.fromEntries(Object.entries(storedSettings).map(([key, schema]) => [key, schema.default])) as SettingValues
  const saved = new Set<string>()
  for (const { key, value } of stored.all()) {
    const schema = schemaOf(key)
    if (schema === undefined || problemWith(schema, value) !== null) continue
    Object.assign(values, { [key]: value })
    saved.add(key)
  }
  hold([])
  const acceptance = new Acceptance({ values, saved, fallbacks })

  /** Applies values; an empty text means the fallback. */
  function hold (made: Array<[string, unknown]>): void {
    Object.assign(values, Object.fromEntries(made))
    for (const [key] of made) saved.add(key)
    for (const [key, value] of Object.entries(
      fallbacks
    )) if (isKeyOf(values, key) && values[key] === '') Object.assign(values, { [key]: value })
  }

  /**
   * Returns a function that stores the known ones of `changes` inside a write of the caller's; null if there is nothing to store. Throws
   * Invalid, naming a value that does not fit.
   */
  async function prepare (changes: Record<string, unknown>): Promise<(() => void) | null> {
    const made = await acceptance.of(changes)
    if (made.length === 0) return null
    return () => {
      const updatedAt = epochSeconds(clock)
      const whole = made.map(([key, value]): [string, unknown] => [key, acceptance.merged(key, value)])
      for (const [key, value] of whole) assertFits(key, value)
      for (const [key, value] of whole) stored.set(key, value, updatedAt)
      record(whole)
      db.afterCommit(() => {
        hold(whole)
        listeners.emit('changed', whole.map(([key]) => key))
      })
    }
  }

  function record (made: Array<[string, unknown]>): void {
    const changes = made.map(([key, value]) => ({ key, from: values[key as keyof SettingValues] as unknown, to: value }))
      .filter(({ from, to }) => !isDeepStrictEqual(from, to))
      .map(({ key, from, to }) => ({ key, from: JSON.stringify(from), to: JSON.stringify(to) }))
    if (changes.length > 0) audit.record('settings.changed', { changes })
  }

  return {
    on: listeners.on,
    values: (): Readonly<SettingValues> => values,
    /** Returns the language that was chosen for all clients; undefined if none was. */
    savedLanguage: (): string | undefined => saved.has('language') ? values.language : undefined,
    /** Returns the keys that have been saved; all others have defaults. */
    savedKeys: (): string[] => [...saved],
    /** Returns the settings of speech that have been saved, even with default values. */
    savedSpeechKeys: (): SpeechKey[] => speechKeys.filter((key) => saved.has(key)),

    prepare,

    /** Adds a check beyond the schema, by the part of the service that uses the setting. */
    vet (key: keyof SettingValues, vet: Vet): void { acceptance.vets.set(key, vet) },

    /** Stores the known ones of `changes`; unknown keys are ignored. Throws Invalid, naming a value that does not fit. */
    async change (changes: Record<string, unknown>): Promise<void> {
      const write = await prepare(changes)
      if (write !== null) await db.durably(write)
    }
  }
}

export type Settings = ReturnType<typeof createSettings>
