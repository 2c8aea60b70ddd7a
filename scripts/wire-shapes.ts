// Describes the values of the document's schemas, for the writers of types. Supports only what documents of this service contain; anything
// else is refused, because a type that omits it would be silently wrong.

export interface Schema {
  $ref?: string
  type?: string | readonly string[]
  enum?: readonly unknown[]
  const?: unknown
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
  properties?: Readonly<Record<string, Schema>>
  patternProperties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  minProperties?: number
  maxProperties?: number
  description?: string
  default?: unknown
}

export type Content = Readonly<Record<string, { schema?: Schema }>>
export interface Parameter { name: string, in: string, required?: boolean, description?: string, schema?: Schema }
export interface Answer { $ref?: string, description?: string, content?: Content }

export interface Operation {
  operationId?: string
  summary?: string
  description?: string
  security?: readonly object[]
  'x-token-scope'?: string
  parameters?: readonly Parameter[]
  requestBody?: { required?: boolean, description?: string, content: Content }
  responses: Readonly<Record<string, Answer>>
}

export interface InterfaceDocument {
  info: { version: string }
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  components?: { schemas?: Readonly<Record<string, Schema>>, responses?: Readonly<Record<string, Answer>> }
}

const simpleTypes = ['string', 'integer', 'number', 'boolean', 'null'] as const

/** The form of a value: one of several, whose parts are schemas again; `others`: the values of keys that are not in `properties`. */
export type Shape =
  | { is: 'anything' }
  | { is: typeof simpleTypes[number] }
  | { is: 'named', name: string }
  | { is: 'literal', values: readonly unknown[] }
  | { is: 'union', parts: readonly Schema[] }
  | { is: 'list', items: Schema }
  | { is: 'object', properties: Readonly<Record<string, Schema>> | null, required: readonly string[], others: Schema | null }

/** Each of these keywords alone determines the value. */
const alone = ['$ref', 'enum', 'anyOf'] as const
const ofObjects = ['properties', 'required', 'additionalProperties']
/** Keywords that types leave out: limits of texts, numbers and lists, and words for people. */
const beside = [
  'title', 'description', 'default', 'format', 'contentMediaType', 'pattern', 'minLength', 'maxLength', 'minimum', 'maximum', 'exclusiveMinimum',
  'minItems', 'maxItems', 'minProperties', 'maxProperties', 'not'
]
const known = ['type', ...alone, ...ofObjects, 'items', ...beside]

/**
 * Returns the form of a schema's values. `at` says where the schema is, for errors. Throws an Error for a keyword, a combination of
 * keywords or a type that no document of this service has had.
 */
export function shapeOf (schema: Schema, at: string): Shape {
  if (typeof schema !== 'object') throw new Error(`${at}: ${JSON.stringify(schema)} is not known here`)
  onlyKnown(schema, known, at)
  const deciding = alone.find((key) => schema[key] !== undefined)
  if (deciding !== undefined) onlyKnown(schema, [deciding, ...beside, ...(deciding === 'enum' ? ['type'] : [])], `${at}: beside ${deciding}`)
  if (schema.$ref !== undefined) return { is: 'named', name: nameOf(schema.$ref, '#/components/schemas/', at) }
  if (schema.enum !== undefined) return { is: 'literal', values: schema.enum }
  if (schema.anyOf !== undefined) return { is: 'union', parts: schema.anyOf }

  const { type, properties, required = [], additionalProperties = properties === undefined, items = {} } = schema
  if (typeof type === 'object') return { is: 'union', parts: type.map((one) => ({ ...schema, type: one })) }
  if (type === undefined) {
    onlyKnown(schema, beside, `${at}: without a type`)
    return { is: 'anything' }
  }
  if (type === 'array') return { is: 'list', items }
  if (type === 'object') {
    // JSON Schema allows keys that are not in `properties`, unless `additionalProperties` says otherwise; clients cannot rely on them.
    const others = additionalProperties === true ? {} : additionalProperties
    return { is: 'object', properties: properties ?? null, required, others: others === false ? null : others }
  }
  const simple = simpleTypes.find((one) => one === type)
  if (simple === undefined) throw new Error(`${at}: the type ${type} is not known here`)
  return { is: simple }
}

/** Returns the last part of a reference. Throws an Error for a reference that does not begin with `prefix`. */
export function nameOf (ref: string, prefix: string, at: string): string {
  if (!ref.startsWith(prefix)) throw new Error(`${at}: the reference ${ref} is not known here`)
  return ref.slice(prefix.length)
}

/** Throws an Error if an object has an unknown key. */
export function onlyKnown (object: object, keys: readonly string[], at: string): void {
  const strange = Object.keys(object).find((key) => !keys.includes(key))
  if (strange !== undefined) throw new Error(`${at}: ${strange} is not known here`)
}
