import { type TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { isDeepStrictEqual } from 'node:util'
import { storedSettings } from '../../../schemas/settings.js'
import { epochSeconds, type Clock } from '../../ground/clock.js'
import { createValues, type Database } from '../../ground/database/index.js'
import { Invalid } from '../../ground/errors.js'
import { fieldsOf, isRecord } from '../../ground/fields.js'
import { Listeners } from '../../ground/listeners.js'
import { isKeyOf } from '../../ground/one-of.js'
import { asSaved, refuseMasks } from '../../ground/redaction/index.js'
import { type AuditPort } from '../audit/index.js'
import { normalised, schemaOf, speechKeys, type SettingValues, type SpeechKey } from './known.js'

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

/** What a value becomes before it is stored. Throws Invalid for one that cannot be. */
type Vet = (value: unknown) => Promise<unknown>

/** Settings of this instance: rows, read once and kept in memory, as this process is the only one that writes them. */
export function createSettings ({ db, clock, audit, fallbacks, log }: SettingsOptions) {
  const vets = new Map<string, Vet>()
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

  /** An empty text is the wish for what holds otherwise. */
  function hold (made: Array<[string, unknown]>): void {
    Object.assign(values, Object.fromEntries(made))
    for (const [key] of made) saved.add(key)
    for (const [key, value] of Object.entries(
      fallbacks
    )) if (isKeyOf(values, key) && values[key] === '') Object.assign(values, { [key]: value })
  }

  /** What of `changes` is known, in the words of today. Throws Invalid that names a value that does not fit. */
  async function accepted (changes: Record<string, unknown>): Promise<Array<[string, unknown]>> {
    const said = Object.entries(changes).map(([key, value]) => normalised(key, value)).filter(([key, value]) =>
      schemaOf(key) !== undefined && value !== null)
    const known = said.map(([key, value]): [string, unknown] => [key, asKept(key, value)])
    for (const [key, value] of known) assertFits(key, merged(key, value))
    const made = await Promise.all(
      known.map(async ([key, value]): Promise<[string, unknown]> => [key, value === '' ? value : await vetted(key, value)])
    )
    // Who repeats what holds has chosen nothing, as clients do that save all they show: a change of the
    // environment, or of a default, still counts.
    return made.filter(([key, value]) =>
      value !== (isKeyOf(values, key) ? values[key] : undefined) || !(Object.hasOwn(fallbacks, key) || (made.length > 1 && isUnsaid(key))))
  }

  /** No mask is kept in the place of what a client was not shown. Throws Invalid. */
  function asKept (key: string, value: unknown): unknown {
    const before = isKeyOf(values, key) ? values[key] : undefined
    if (typeof value === 'string') return asSaved(key, value, typeof before === 'string' ? before : null)
    if (typeof value === 'object' && value !== null) refuseMasks(key, JSON.stringify(value), JSON.stringify(before ?? null))
    return value
  }

  /** Nobody has said what it is to be. Of speech clients are told what was saved, be it the defaults. */
  const isUnsaid = (key: string): boolean => !saved.has(key) && !speechKeys.some((one) => one === key)

  /** A change of an object says what of it is another. */
  function merged (key: string, value: unknown): unknown {
    return isRecord(value) && isKeyOf(values, key) ? { ...fieldsOf(values[key]), ...value } : value
  }

  async function vetted (key: string, value: unknown): Promise<unknown> {
    try {
      return await (vets.get(key)?.(value) ?? value)
    } catch (error) {
      throw error instanceof Invalid ? new Invalid(`${key}: ${error.message}`) : error
    }
  }

  /**
   * What stores as much of `changes` as is known, inside a write of the caller's; null when there is nothing to store. Throws
   * Invalid that names a value that does not fit.
   */
  async function prepare (changes: Record<string, unknown>): Promise<(() => void) | null> {
    const made = await accepted(changes)
    if (made.length === 0) return null
    return () => {
      const updatedAt = epochSeconds(clock)
      const whole = made.map(([key, value]): [string, unknown] => [key, merged(key, value)])
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
    vet (key: keyof SettingValues, vet: Vet): void { vets.set(key, vet) },

    /** Stores what is known of `changes`; unknown keys are ignored. Throws Invalid that names a value that does not fit. */
    async change (changes: Record<string, unknown>): Promise<void> {
      const write = await prepare(changes)
      if (write !== null) await db.durably(write)
    }
  }
}

export type Settings = ReturnType<typeof createSettings>

function assertFits (key: string, value: unknown): void {
  const problem = problemWith(schemaOf(key)!, value)
  if (problem !== null) throw new Invalid(`${key}: ${problem}`)
}

/** Why a value does not fit, in words; null when it does. */
function problemWith (schema: TSchema, value: unknown): string | null {
  const values: unknown = schema['enum']
  if (Array.isArray(values)) return values.includes(value) ? null : `one of ${values.join(', ')}`
  const message = Value.Errors(schema, value).First()?.message
  // A pattern in it stays as it is.
  return message === undefined ? null : `${message.charAt(0).toLowerCase()}${message.slice(1)}`
}
