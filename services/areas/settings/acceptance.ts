import { type TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { Invalid } from '../../ground/errors.js'
import { fieldsOf, isRecord } from '../../ground/fields.js'
import { isKeyOf } from '../../ground/one-of.js'
import { asSaved, refuseMasks } from '../../ground/redaction/index.js'
import { normalised, schemaOf, speechKeys, type SettingValues } from './known.js'

/** Returns what a value becomes before it is stored. Throws Invalid for one that cannot be. */
export type Vet = (value: unknown) => Promise<unknown>

export interface AcceptanceOptions {
  /** What holds now. */
  values: SettingValues
  /** Keys of which somebody has said what they are to be. */
  saved: ReadonlySet<string>
  fallbacks: Partial<SettingValues>
}

/** Decides which of the changes that a client sends are stored, and as what. */
export class Acceptance {
  readonly vets = new Map<string, Vet>()

  constructor (readonly options: AcceptanceOptions) {}

  /** Returns what of `changes` is known, in the words of today. Throws Invalid that names a value that does not fit. */
  async of (changes: Record<string, unknown>): Promise<Array<[string, unknown]>> {
    const { fallbacks } = this.options
    const said = Object.entries(changes).map(([key, value]) => normalised(key, value)).filter(([key, value]) =>
      schemaOf(key) !== undefined && value !== null)
    const known = said.map(([key, value]): [string, unknown] => [key, this.#asKept(key, value)])
    for (const [key, value] of known) assertFits(key, this.merged(key, value))
    const made = await Promise.all(
      known.map(async ([key, value]): Promise<[string, unknown]> => [key, value === '' ? value : await this.#vetted(key, value)])
    )
    // Who repeats what holds has chosen nothing, as clients do that save all they show: a change of the
    // environment, or of a default, still counts.
    return made.filter(([key, value]) =>
      value !== this.#current(key) || !(Object.hasOwn(fallbacks, key) || (made.length > 1 && this.#isUnsaid(key))))
  }

  /** A change of an object says what of it is another. */
  merged (key: string, value: unknown): unknown {
    return isRecord(value) && schemaOf(key) !== undefined ? { ...fieldsOf(this.#current(key)), ...value } : value
  }

  #current (key: string): unknown {
    const { values } = this.options
    return isKeyOf(values, key) ? values[key] : undefined
  }

  /** No mask is kept in the place of what a client was not shown. Throws Invalid. */
  #asKept (key: string, value: unknown): unknown {
    const before = this.#current(key)
    if (typeof value === 'string') return asSaved(key, value, typeof before === 'string' ? before : null)
    if (typeof value === 'object' && value !== null) refuseMasks(key, JSON.stringify(value), JSON.stringify(before ?? null))
    return value
  }

  /** Nobody has said what it is to be. Of speech clients are told what was saved, be it the defaults. */
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

/** Throws Invalid that names the key. */
export function assertFits (key: string, value: unknown): void {
  const schema = schemaOf(key)
  const problem = schema === undefined ? null : problemWith(schema, value)
  if (problem !== null) throw new Invalid(`${key}: ${problem}`)
}

/** Returns why a value does not fit, in words; null when it does. */
export function problemWith (schema: TSchema, value: unknown): string | null {
  const values: unknown = schema['enum']
  if (Array.isArray(values)) return values.includes(value) ? null : `one of ${values.join(', ')}`
  const message = Value.Errors(schema, value).First()?.message
  // A pattern in it stays as it is.
  return message === undefined ? null : `${message.charAt(0).toLowerCase()}${message.slice(1)}`
}
