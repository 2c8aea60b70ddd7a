import { Ajv, type ValidateFunction } from 'ajv'
import { isRecord } from '../../ground/fields.js'
import { tried } from '../../ground/tried.js'

type Json = Record<string, unknown>

/** The names of arguments that providers accept. */
const argumentName = /^[A-Za-z0-9_.-]{1,64}$/
const types = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'])
const deepest = 12
const longestText = 1_000
const mostEntries = 300
/** A schema that is longer is not shown to a model. */
const longestSchema = 32_768

const numbers = [
  'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength', 'minItems', 'maxItems'
]
const alternatives = ['anyOf', 'oneOf', 'allOf'] as const

/** Why a tool cannot be offered, as the end of the sentence "It was left out: …". */
export class Unusable extends Error {}

/**
 * Returns the schema of a tool's arguments in a form that every provider accepts: an object at the top, known keywords only, bounded
 * in depth and length. What is left out makes the schema wider, never narrower. Throws Unusable.
 *
 * @param show makes texts safe to show
 */
export function argumentsSchema (raw: unknown, show: (text: string, max: number) => string): Json {
  if (!isRecord(raw)) throw new Unusable('it does not say what its arguments are')
  const schema = normalised(raw, 0, show)
  // Providers refuse alternatives at the top level.
  for (const name of alternatives) delete schema[name]
  const result: Json = { ...schema, type: 'object', properties: isRecord(schema['properties']) ? schema['properties'] : {} }
  delete result['$ref']
  delete result['enum']
  const defs = ['$defs', 'definitions'].flatMap((name) => isRecord(raw[name]) ? [[name, children(raw[name], 1, show)] as const] : [])
  const whole = { ...result, ...Object.fromEntries(defs) }
  if (JSON.stringify(whole).length > longestSchema) throw new Unusable('the description of its arguments is too long')
  return whole
}

function normalised (schema: Json, depth: number, show: (text: string, max: number) => string): Json {
  if (depth > deepest) return {}
  const known: Json = {}
  const {
    type, description, title, properties, required, items, enum: choices, const: only, additionalProperties, $ref: reference,
    default: preset
  } = schema
  // A reference outside of the schema would have to be fetched.
  if (typeof reference === 'string') {
    if (/^#\/(?:\$defs|definitions)\/[A-Za-z0-9_.-]+$/.test(reference)) known['$ref'] = reference
    else return {}
  }
  const kinds = [type].flat().filter((kind) => typeof kind === 'string' && types.has(kind))
  if (kinds.length > 0) known['type'] = Array.isArray(type) ? kinds : kinds[0]
  if (typeof description === 'string') known['description'] = show(description, longestText)
  else if (typeof title === 'string') known['description'] = show(title, longestText)
  if (Array.isArray(choices) && choices.length > 0 && choices.length <= mostEntries && choices.every(isPlain)) known['enum'] = choices
  if (isPlain(only)) known['enum'] = [only]
  if (isPlain(preset)) known['default'] = preset
  for (const name of numbers) if (Number.isFinite(schema[name])) known[name] = schema[name]
  if (isRecord(properties)) {
    if (Object.keys(properties).some((name) => !argumentName.test(name))) {
      throw new Unusable('an argument has a name that models do not take')
    }
    known['properties'] = children(properties, depth + 1, show)
    const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string' && Object.hasOwn(properties, name)) : []
    if (names.length > 0) known['required'] = [...new Set(names)]
  }
  if (isRecord(items)) known['items'] = normalised(items, depth + 1, show)
  else if (kinds.includes('array')) known['items'] = {}
  if (typeof additionalProperties === 'boolean') known['additionalProperties'] = additionalProperties
  else if (isRecord(additionalProperties)) known['additionalProperties'] = normalised(additionalProperties, depth + 1, show)
  for (const name of alternatives) {
    const list = schema[name]
    if (Array.isArray(list) && list.length > 0 && list.length <= 50) {
      known[name] = list.map((item) => isRecord(item) ? normalised(item, depth + 1, show) : {})
    }
  }
  return known
}

function children (schemas: Json, depth: number, show: (text: string, max: number) => string): Json {
  const entries = Object.entries(schemas)
  if (entries.length > mostEntries) throw new Unusable('it has too many arguments')
  return Object.fromEntries(entries.map(([name, child]) => [name, isRecord(child) ? normalised(child, depth, show) : {}]))
}

const isPlain = (value: unknown): boolean =>
  value === null || (typeof value === 'string' ? value.length <= longestText : typeof value === 'number' || typeof value === 'boolean')

/** Returns what does not fit, in words by which the model can correct it; undefined if everything fits. */
export type ArgumentCheck = (args: unknown) => string | undefined

/**
 * Checks arguments against a schema of `argumentsSchema`, which contains no patterns: an untrusted one could take forever to match.
 * With a schema that cannot be compiled nothing is checked, since the server checks too.
 */
export function createArgumentCheck (schema: Json): ArgumentCheck {
  let validate: ValidateFunction | null | undefined
  return (args) => {
    if (validate === undefined) validate = compiled(schema)
    if (validate === null || validate(args)) return undefined
    const [error] = validate.errors ?? []
    if (error === undefined) return undefined
    const where = error.instancePath === '' ? 'the arguments' : `"${error.instancePath.slice(1).replaceAll('/', '.')}"`
    return `The call does not fit the tool: ${where} ${error.message ?? 'is not as it should be'}. Correct the arguments and call it again.`
  }
}

/**
 * Checks a value against the parts of a schema that `argumentsSchema` keeps. Every value fits a schema that has none of them, or that
 * cannot be compiled. The check returns what is wrong, as the end of a sentence that begins with the value; null if it fits.
 */
export function createSchemaCheck (schema: Json): (value: unknown) => string | null {
  let validate: ValidateFunction | null = null
  try {
    validate = compiled(argumentsSchema(schema, (text) => text))
  } catch (error) {
    if (!(error instanceof Unusable)) throw error
  }
  return (value) => {
    if (validate === null || validate(value)) return null
    const [error] = validate.errors ?? []
    const where = error === undefined || error.instancePath === '' ? '' : ` at "${error.instancePath.slice(1).replaceAll('/', '.')}"`
    return `does not fit the schema${where}: it ${error?.message ?? 'is not as it should be'}`
  }
}

const compiled = (schema: Json): ValidateFunction | null =>
  tried(() => new Ajv({ strict: false, logger: false, validateFormats: false }).compile(schema), null)
