import { type TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { Invalid } from '../../ground/errors.js'
import { fieldsOf, isRecord } from '../../ground/fields.js'
import { isKeyOf } from '../../ground/one-of.js'
import { asSaved, refuseMasks } from '../../ground/redaction/index.js'
import { normalised, schemaOf, speechKeys, type SettingValues } from './known.js'

/** Returns the form in which a value is stored. Throws Invalid for an impossible one. */
export type Vet = (value: unknown) => Promise<unknown>

export interface AcceptanceOptions {
  /** The values in force. */
  values: SettingValues
  /** Keys of settings that have been saved. */
  saved: ReadonlySet<string>
  fallbacks: Partial<SettingValues>
}

/** Decides which of a client's changes are stored, and in what form. */
export class Acceptance {
  readonly vets = new Map<string, Vet>()

  constructor (readonly options: AcceptanceOptions) {}

  /** Returns the known ones of `changes`, with current names. Throws Invalid, naming a value that does not fit. */
  async of (changes: Record<string, unknown>): Promise<Array<[string, unknown]>> {
    const { fallbacks } = this.options
    const said = Object.entries(changes).map(([key, value]) => normalised(key, value)).filter(([key, value]) =>
      schemaOf(key) !== undefined && value !== null)
    const known = said.map(([key, value]): [string, unknown] => [key, this.#asKept(key, value)])
    for (const [key, value] of known) assertFits(key, this.merged(key, value))
    const made = await Promise.all(
      known.map(async ([key, value]): Promise<[string, unknown]> => [key, value === '' ? value : await this.#vetted(key, value)])
    )
    // A client that repeats the value in force has chosen nothing, as clients do that save everything they show: a later change of the
    // environment, or of a default, then still takes effect.
    return made.filter(([key, value]) =>
      value !== this.#current(key) || !(Object.hasOwn(fallbacks, key) || (made.length > 1 && this.#isUnsaid(key))))
  }

  /** Merges a change of an object into its current value. */
  merged (key: string, value: unknown): unknown {
    return isRecord(value) && schemaOf(key) !== undefined ? { ...fieldsOf(this.#current(key)), ...value } : value
  }

  #current (key: string): unknown {
    const { values } = this.options
    return isKeyOf(values, key) ? values[key] : undefined
  }

  /** Restores masked values, so that no mask is stored in place of what a client was not shown. Throws Invalid. */
  #asKept (key: string, value: unknown): unknown {
    const before = this.#current(key)
    if (typeof value === 'string') return asSaved(key, value, typeof before === 'string' ? before : null)
    if (typeof value === 'object' && value !== null) refuseMasks(key, JSON.stringify(value), JSON.stringify(before ?? null))
    return value
  }

  /** Whether nobody has set this key. Not for speech: clients are told which of its settings were saved, even with default values. */
  #isUnsaid (key: string): boolean {
    return !this.options.saved.has(key) && !speechKeys.some((one) => one === key)
  }

  async #vetted (key: string, value: unknown): Promise<unknown> {
    try {
      return await (this.vets.get(key)?.(value) ?? value)
    } catch (error) {
      throw error instanceof Invalid ? new Invalid(`${key}: ${error.message}`) : error
    }
  }
}

/** Throws Invalid, naming the key. */
export function assertFits (key: string, value: unknown): void {
  const schema = schemaOf(key)
  const problem = schema === undefined ? null : problemWith(schema, value)
  if (problem !== null) throw new Invalid(`${key}: ${problem}`)
}

/** Returns why a value does not fit, in words; null if it does. */
export function problemWith (schema: TSchema, value: unknown): string | null {
  const values: unknown = schema['enum']
  if (Array.isArray(values)) return values.includes(value) ? null : `one of ${values.join(', ')}`
  const message = Value.Errors(schema, value).First()?.message
  // Only the first letter is changed, because a pattern in the message must stay as it is.
  return message === undefined ? null : `${message.charAt(0).toLowerCase()}${message.slice(1)}`
}
