import { Invalid } from './errors.js'

export type FormValue = string | number | boolean | string[]
export type FormValues = Record<string, FormValue>
export const formFormats = ['email', 'uri', 'date', 'date-time'] as const

/** One option of a field; `value` is sent as the answer. */
export interface FormOption { value: string, title: string }

export interface FormField {
  name: string
  type: 'string' | 'number' | 'integer' | 'boolean' | 'array'
  title: string
  description: string
  required: boolean
  /** The options: an answer is one of them, or several for an array. An array always has options. */
  options?: FormOption[]
  default?: FormValue
  format?: typeof formFormats[number]
  /** Bounds of a number, of the length of a text in characters, or of the number of options chosen. */
  min?: number
  max?: number
}

/** Questions to a person, as fields that are filled in together. */
export interface Form { message: string, fields: FormField[] }

/** Whether `given` stands for `value`: a person who chooses from what is shown means the value that was offered. */
export type Means = (value: string, given: string) => boolean

export const isDecline = (text: string): boolean => /^\s*decline\s*$/i.test(text)

/**
 * Returns the values of an answer, checked against the form. A text is the value of the only field, or has a line `name: value` for each
 * field; fields without a line keep their defaults. Throws Invalid, which names the field.
 */
export function formValues (
  { fields }: Form, response: string | Record<string, unknown>, means: Means = (value, given) => value === given
): FormValues {
  const given = typeof response === 'string' ? valuesOfText(fields, response, means) : new Map(Object.entries(response))
  const known = new Set(fields.map(({ name }) => name))
  for (const name of given.keys()) if (!known.has(name)) throw new Invalid(`The form has no field "${name.slice(0, 100)}"`)
  return Object.fromEntries(fields.flatMap((field) => {
    const value = given.get(field.name)
    if (value === undefined || value === null) {
      if (field.required) throw new Invalid(`"${field.name}" is required`)
      return []
    }
    const fitting = fittingValue(field, value, means)
    if (fitting === undefined) throw new Invalid(`"${field.name}" must be ${expected(field)}`)
    return [[field.name, fitting]]
  }))
}

/** Returns the value in the field's type, or undefined if it does not fit. */
export function fittingValue (field: FormField, value: unknown, means: Means = (one, other) => one === other): FormValue | undefined {
  const { type, options, format, min = -Infinity, max = Infinity } = field
  const within = (number: number): boolean => number >= min && number <= max
  const chosen = (given: unknown): string | undefined => typeof given === 'string'
    ? (options?.find((option) => option.value === given) ?? options?.find((option) => means(option.value, given)))?.value
    : undefined
  if (type === 'boolean') return typeof value === 'boolean' ? value : undefined
  if (type === 'array') {
    if (!Array.isArray(value)) return undefined
    const all = value.map(chosen)
    const texts = all.filter((text) => text !== undefined)
    return texts.length === all.length && new Set(texts).size === texts.length && within(texts.length) ? texts : undefined
  }
  if (type === 'string') {
    if (options !== undefined) return chosen(value)
    return typeof value === 'string' && within([...value].length) && (format === undefined || formatChecks[format](value))
      ? value
      : undefined
  }
  return typeof value === 'number' && Number.isFinite(value) && (type === 'number' || Number.isInteger(value)) && within(value)
    ? value
    : undefined
}

/** Returns what a field accepts, in words that follow "must be". */
export function expected ({ type, options, format, min, max }: FormField): string {
  const bounds = (unit: string): string => {
    if (min !== undefined && max !== undefined) return min === max ? ` ${min}${unit}` : ` ${min} to ${max}${unit}`
    return min !== undefined ? ` at least ${min}${unit}` : max !== undefined ? ` at most ${max}${unit}` : ''
  }
  if (type === 'boolean') return 'yes or no'
  const named = (options ?? []).map(({ value, title }) => title === value ? value : `${value} (${title})`)
  const listed = named.slice(0, 20).join(', ') + (named.length > 20 ? ` and ${named.length - 20} more` : '')
  if (type === 'array') return `${min === undefined && max === undefined ? 'any' : bounds('').trim()} of: ${listed}`
  if (options !== undefined) return `one of: ${listed}`
  if (type === 'string') {
    const kind = format === undefined ? 'a text' : formatWords[format]
    return min === undefined && max === undefined ? kind : `${kind} of${bounds(' characters')}`
  }
  return `${type === 'integer' ? 'a whole number' : 'a number'}${min !== undefined && max !== undefined ? ' from' : ''}${bounds('')}`
}

const formatWords = {
  email: 'an email address', uri: 'an address such as https://example.org', date: 'a date such as 2026-11-23',
  'date-time': 'a date and time such as 2026-11-23T18:30:00Z'
}

const formatChecks: Record<typeof formFormats[number], (text: string) => boolean> = {
  email: (text) => text.length <= 254 && /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)*$/.test(text),
  uri: (text) => /^[a-z][a-z\d+.-]*:\S+$/i.test(text) && URL.canParse(text),
  date: isDate,
  'date-time': (text) => {
    const [, day = '', hour, minute, second] = /^(\d{4}-\d\d-\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/i.exec(text) ?? []
    return isDate(day) && Number(hour) < 24 && Number(minute) < 60 && Number(second) <= 60
  }
}

function isDate (text: string): boolean {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(`${text}T00:00:00Z`) : null
  return at !== null && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text)
}

function valuesOfText (fields: readonly FormField[], text: string, means: Means): Map<string, unknown> {
  const [only, ...others] = fields
  const given = new Map<string, unknown>()
  const take = (field: FormField, words: string): void => { if (words !== '') given.set(field.name, typedValue(field, words, means)) }
  if (only !== undefined && others.length === 0) {
    take(only, text.trim())
    return given
  }
  const begins = (line: string, label: string): boolean => line.toLowerCase().startsWith(`${label.toLowerCase()}:`)
  for (const line of text.split(/\r?\n/).map((one) => one.trim()).filter((one) => one !== '')) {
    // One field may have the name of another as its title.
    const field = fields.find(({ name }) => begins(line, name)) ?? fields.find(({ title }) => begins(line, title))
    if (field === undefined) {
      throw new Invalid(`This form has several fields. Answer with a line "name: value" for each of ${fields.map(({ name }) => name).join(', ')}, or with an object of their values`)
    }
    take(field, line.slice((begins(line, field.name) ? field.name : field.title).length + 1).trim())
  }
  for (const field of fields) if (field.default !== undefined && !given.has(field.name)) given.set(field.name, field.default)
  return given
}

/** Returns the typed text as a value of the field's type if it can be read as one. */
function typedValue ({ type, options = [] }: FormField, text: string, means: Means): unknown {
  const option = (words: string): string | undefined =>
    (options.find(({ value }) => value === words) ?? options.find(({ value, title }) => title === words || means(value, words)) ??
      options.find(({ value, title }) => [value, title].some((label) => label.toLowerCase() === words.toLowerCase())))?.value
  if (type === 'boolean') return /^(?:yes|true|是)$/i.test(text) ? true : /^(?:no|false|否)$/i.test(text) ? false : text
  if (type === 'array') {
    return option(text) !== undefined
      ? [option(text)]
      : text.split(/[,，、\n]/).map((word) => word.trim()).filter((word) => word !== '').map((word) => option(word) ?? word)
  }
  if (type === 'string') return options.length > 0 ? option(text) ?? text : text
  return Number(text)
}
