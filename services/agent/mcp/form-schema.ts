import { isRecord } from '../../ground/fields.js'
import { fittingValue, formFormats, type Form, type FormField, type FormOption } from '../../ground/form.js'
import { visibleProse } from '../../ground/text/visible.js'
import { oneLine } from '../tools/wording.js'
import { displayText } from './definitions.js'

/** Thrown when a form cannot be shown. The message tells its sender why. */
export class NotShown extends Error {}

type Schema = Readonly<Record<string, unknown>>

const mostFields = 60
const mostOptions = 200
/** Limit for all texts of a form together: a card is stored, sent and shown as a whole, since nothing a person agrees to may be cut. */
const mostChars = 64 * 1024
const longest = { name: 100, option: 200, default: 4_000 }

/** Reads the form that a server sends with a question. Throws NotShown for a form that no card can show. */
export function readForm (message: string, schema: unknown): Form {
  const { properties, required } = mapping(schema) ?? {}
  const entries = Object.entries(properties === undefined ? {} : mapping(properties) ?? refuse('its fields are not readable'))
  if (entries.length > mostFields) refuse(`it has ${entries.length} fields, and ${mostFields} is the most`)
  const needed = new Set(Array.isArray(required) ? required : [])
  const form = { message: visibleProse(message), fields: entries.map(([name, field]) => readField(name, field, needed.has(name))) }
  if (JSON.stringify(form).length > mostChars) refuse('it is too long')
  const missing = [...needed].find((name) => !entries.some(([known]) => known === name))
  if (missing !== undefined) refuse(`it requires a field that it does not have: "${displayText(String(missing), 80)}"`)
  return form
}

function readField (name: string, raw: unknown, required: boolean): FormField {
  const label = displayText(name, 80)
  const no = (why: string): never => refuse(`field "${label}" ${why}`)
  const schema = mapping(raw) ?? no('is no field')
  if (name === '' || name === '__proto__' || !isShowable(name, longest.name)) no('has a name that cannot be shown')
  const { title, description } = schema
  const common = {
    name, title: titleOf(title, name), description: typeof description === 'string' ? visibleProse(description) : '', required
  }
  const field = { ...common, ...(schema['type'] === 'array' ? severalOf(schema, no) : oneOf(schema, no)) }
  if (field.min !== undefined && field.max !== undefined && field.min > field.max) no('takes no value at all')
  const value = fittingValue(field, schema['default'])
  const hasDefault = value !== undefined && (typeof value !== 'string' || isShowable(value, longest.default))
  return hasDefault ? { ...field, default: value } : field
}

type Kind = Pick<FormField, 'type' | 'options' | 'format' | 'min' | 'max'>

function severalOf (schema: Schema, no: (why: string) => never): Kind {
  const options = optionsOf(mapping(schema['items']) ?? {}, no)
  if (options === undefined) return no('is a list of what cannot be chosen')
  return { type: 'array', options, ...bounds(schema, 'minItems', 'maxItems') }
}

function oneOf (schema: Schema, no: (why: string) => never): Kind {
  const options = optionsOf(schema, no)
  const type = schema['type'] ?? (options === undefined ? undefined : 'string')
  if (options !== undefined) return type === 'string' ? { type, options } : no('offers choices that are no texts')
  if (type === 'boolean') return { type }
  if (type === 'number' || type === 'integer') return { type, ...bounds(schema, 'minimum', 'maximum') }
  if (type !== 'string') return no(`is of the type ${displayText(JSON.stringify(type) ?? 'unknown', 80)}`)
  const format = formFormats.find((known) => known === schema['format'])
  return { type, ...(format === undefined ? {} : { format }), ...bounds(schema, 'minLength', 'maxLength') }
}

/** Reads `enum`, with the `enumNames` of older servers, or `oneOf`/`anyOf` with titles; undefined if there are no choices. */
function optionsOf (schema: Schema, no: (why: string) => never): FormOption[] | undefined {
  const { enum: plain, enumNames: names } = schema
  const titled = schema['oneOf'] ?? schema['anyOf']
  if (plain === undefined && titled === undefined) return undefined
  const listed: unknown = plain ?? titled
  if (!Array.isArray(listed) || listed.length === 0) return no('offers nothing to choose')
  if (listed.length > mostOptions) no(`offers ${listed.length} choices, and ${mostOptions} is the most`)
  const options = listed.map((option, at) => {
    const { const: value, title } = plain === undefined
      ? mapping(option) ?? {}
      : { const: option, title: Array.isArray(names) ? names[at] : undefined }
    // A choice is sent back unchanged, so one that cannot be shown unchanged must not be offered.
    if (typeof value !== 'string' || !isShowable(value, longest.option)) {
      return no('offers a choice that is no text, or that cannot be shown')
    }
    return { value, title: titleOf(title, value) }
  })
  return new Set(options.map(({ value }) => value)).size === options.length ? options : no('offers the same choice twice')
}

function bounds (schema: Schema, least: string, most: string): { min?: number, max?: number } {
  const number = (key: string): number | undefined =>
    typeof schema[key] === 'number' && Number.isFinite(schema[key]) ? schema[key] : undefined
  const [min, max] = [number(least), number(most)]
  return { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) }
}

/** Returns a title on one line; `otherwise` if it is empty. */
function titleOf (title: unknown, otherwise: string): string {
  const line = typeof title === 'string' ? oneLine(visibleProse(title), Infinity) : ''
  return line === '' ? otherwise : line
}

const isShowable = (text: string, max: number): boolean => text.length <= max && displayText(text, max) === text

const mapping = (value: unknown): Schema | undefined => isRecord(value) ? value : undefined

function refuse (why: string): never {
  throw new NotShown(`This client cannot show the form: ${why}.`)
}
