import { type Question } from '../core/conversation/prompts.js'

export type FormField = NonNullable<Question['form']>['fields'][number]
/** The state of a field: its text, the index of an option, whether it is on, or the chosen options. */
export type Typed = string | boolean | string[]
type Value = string | number | boolean | string[]

/** Returns the initial state of the fields: their defaults. */
export const startOf = (fields: readonly FormField[]): Record<string, Typed> =>
  Object.fromEntries(fields.map((field) => [field.name, startValue(field)]))

function startValue ({ type, default: usual, options, format }: FormField): Typed {
  if (type === 'array') return Array.isArray(usual) ? usual : []
  // Without a default, a boolean is a list with nothing chosen, because a switch would already mean no.
  if (type === 'boolean') return typeof usual === 'boolean' ? usual : ''
  if (usual === undefined) return ''
  if (options !== undefined) return String(options.findIndex(({ value }) => value === usual))
  return format === 'date-time' ? localTime(String(usual)) : String(usual)
}

/** Returns the values of the answer, without fields that were left empty. */
export function valuesOf (fields: readonly FormField[], typed: Readonly<Record<string, Typed>>): Record<string, Value> {
  return Object.fromEntries(fields.flatMap((field) => {
    const value = valueOf(field, typed[field.name])
    return value === undefined ? [] : [[field.name, value]]
  }))
}

function valueOf ({ type, options, format, min, required }: FormField, typed: Typed | undefined): Value | undefined {
  // An empty selection is an answer if that is allowed; if at least one option is needed, the field is omitted.
  if (Array.isArray(typed)) return typed.length === 0 && !required && (min ?? 0) > 0 ? undefined : typed
  if (typeof typed === 'boolean' || typed === undefined) return typed
  if (typed.trim() === '') return undefined
  if (type === 'boolean') return typed === 'yes'
  if (options !== undefined) return options[Number(typed)]?.value
  if (type !== 'string') return Number(typed)
  if (format === undefined) return typed
  if (format !== 'date-time') return typed.trim()
  const at = new Date(typed)
  return Number.isNaN(at.getTime()) ? typed : at.toISOString()
}

/** Checks a field before the form is sent; the service checks everything else. */
export function wrongWith (field: FormField, typed: Typed | undefined): 'required' | 'unfit' | null {
  const value = valueOf(field, typed)
  if (value === undefined) return field.required ? 'required' : null
  const size = typeof value === 'number'
    ? value
    : Array.isArray(value) ? value.length : typeof value === 'string' && field.options === undefined ? [...value].length : null
  if (typeof value === 'number' && (!Number.isFinite(value) || (field.type === 'integer' && !Number.isInteger(value)))) return 'unfit'
  return size !== null && (size < (field.min ?? -Infinity) || size > (field.max ?? Infinity)) ? 'unfit' : null
}

/** Formats a time for an input of date and time, in this device's time zone. */
function localTime (text: string): string {
  const at = new Date(text)
  return Number.isNaN(at.getTime()) ? '' : new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}
