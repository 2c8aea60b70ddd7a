import { isDeepStrictEqual } from 'node:util'
import { storedSettings } from '../../../schemas/settings.js'
import { epochSeconds, type Clock } from '../../ground/clock.js'
import { createValues, type Database } from '../../ground/database/index.js'
import { Listeners } from '../../ground/listeners.js'
import { isKeyOf } from '../../ground/one-of.js'
import { type AuditPort } from '../audit/index.js'
import { Acceptance, assertFits, problemWith, type Vet } from './acceptance.js'
import { schemaOf, speechKeys, type SettingValues, type SpeechKey } from './known.js'

export interface SettingsEvents {
  /** They are stored and hold. */
  changed (keys: string[]): void
}

export interface SettingsOptions {
  db: Database
  clock: Clock
  audit: AuditPort
  /** What holds in the place of an empty text. */
  fallbacks: Partial<SettingValues>
  log: (message: string, details: Record<string, unknown>) => void
}

/** Settings of this instance: rows, read once and kept in memory, as this process is the only one that writes them. */
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

  /** An empty text is the wish for what holds otherwise. */
  function hold (made: Array<[string, unknown]>): void {
    Object.assign(values, Object.fromEntries(made))
    for (const [key] of made) saved.add(key)
    for (const [key, value] of Object.entries(
      fallbacks
    )) if (isKeyOf(values, key) && values[key] === '') Object.assign(values, { [key]: value })
  }

  /**
   * What stores as much of `changes` as is known, inside a write of the caller's; null when there is nothing to store. Throws
   * Invalid that names a value that does not fit.
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
    /** The language that somebody has chosen for all clients. */
    savedLanguage: (): string | undefined => saved.has('language') ? values.language : undefined,
    /** Those that somebody has said something of; all others are defaults. */
    savedKeys: (): string[] => [...saved],
    /** The settings of speech that somebody has saved, be it their defaults. */
    savedSpeechKeys: (): SpeechKey[] => speechKeys.filter((key) => saved.has(key)),

    prepare,

    /** Who acts on a setting says what it may be, beyond its schema. */
    vet (key: keyof SettingValues, vet: Vet): void { acceptance.vets.set(key, vet) },

    /** Stores what is known of `changes`; unknown keys are ignored. Throws Invalid that names a value that does not fit. */
    async change (changes: Record<string, unknown>): Promise<void> {
      const write = await prepare(changes)
      if (write !== null) await db.durably(write)
    }
  }
}

export type Settings = ReturnType<typeof createSettings>
