import { type Question } from '../core/conversation/prompts.js'

export type FormField = NonNullable<Question['form']>['fields'][number]
/** What stands in a field: the text of it, the place of an option in the list, whether it is on, or what is chosen. */
export type Typed = string | boolean | string[]
type Value = string | number | boolean | string[]

/** What stands in the fields at first: their defaults. */
export const startOf = (fields: readonly FormField[]): Record<string, Typed> =>
  Object.fromEntries(fields.map((field) => [field.name, startValue(field)]))

function startValue ({ type, default: usual, options, format }: FormField): Typed {
  if (type === 'array') return Array.isArray(usual) ? usual : []
  // Without a default it is a list with nothing chosen: a switch would say no already.
  if (type === 'boolean') return typeof usual === 'boolean' ? usual : ''
  if (usual === undefined) return ''
  if (options !== undefined) return String(options.findIndex(({ value }) => value === usual))
  return format === 'date-time' ? localTime(String(usual)) : String(usual)
}

/** The values that are answered; fields that are left empty are left out. */
export function valuesOf (fields: readonly FormField[], typed: Readonly<Record<string, Typed>>): Record<string, Value> {
  return Object.fromEntries(fields.flatMap((field) => {
    const value = valueOf(field, typed[field.name])
    return value === undefined ? [] : [[field.name, value]]
  }))
}

function valueOf ({ type, options, format, min, required }: FormField, typed: Typed | undefined): Value | undefined {
  // Nothing chosen is an answer where that may be so; what takes at least one is left out.
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

/** What is wrong with a field before it is sent; what else may be is for the service to say. */
export function wrongWith (field: FormField, typed: Typed | undefined): 'required' | 'unfit' | null {
  const value = valueOf(field, typed)
  if (value === undefined) return field.required ? 'required' : null
  const size = typeof value === 'number'
    ? value
    : Array.isArray(value) ? value.length : typeof value === 'string' && field.options === undefined ? [...value].length : null
  if (typeof value === 'number' && (!Number.isFinite(value) || (field.type === 'integer' && !Number.isInteger(value)))) return 'unfit'
  return size !== null && (size < (field.min ?? -Infinity) || size > (field.max ?? Infinity)) ? 'unfit' : null
}

/** As an input for date and time has it, in the time of this device. */
function localTime (text: string): string {
  const at = new Date(text)
  return Number.isNaN(at.getTime()) ? '' : new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}
