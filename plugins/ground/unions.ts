import { type Ajv } from 'ajv'
import { isRecord } from '../../services/ground/fields.js'

type Schema = Record<string, unknown>
/** What a value of a schema looks like at its top level. */
export interface Look {
  /** undefined: any type. */
  types?: string[]
  /** undefined: any value. */
  values?: unknown[]
  /** For an object: the values that each name may have; null: any. */
  properties?: Record<string, unknown[] | null>
  required?: string[]
  /** Whether only the names of `properties` are allowed. */
  isClosed?: boolean
}

/**
 * Creates a validator that recognises the member of a union by a value's type, names and listed values. A serializer requests a validator
 * by the reference of the member. Full validators would have to be compiled for each member that a value is compared with, which takes a
 * second of processor time for an answer with the sixty kinds of the audit log. The tests check answers against their full schemas.
 */
export function createUnionValidator (ajv: Ajv) {
  return {
    getSchemaValidator (reference: string): (value: unknown) => boolean {
      const looks = looksOf(schemaAt(ajv, reference))
      return (value) => looks.some((look) => matches(look, value))
    }
  }
}

/** Returns every form that values of a schema can have; a union has several. */
export function looksOf (schema: unknown): Look[] {
  if (!isRecord(schema)) return [{}]
  if (Array.isArray(schema.anyOf)) return schema.anyOf.flatMap(looksOf)
  const values = valuesOf(schema)
  if (values !== null) return [{ values }]
  // The serializer adds `object` to `string`, for objects that `toJSON` turns into a string.
  const named = ([schema.type ?? []].flat() as string[]).filter((type) => type !== 'object' || schema.fjs_type === undefined)
  const types = named.length === 0 ? {} : { types: named }
  if (!isRecord(schema.properties)) return [types]
  return [{
    ...types,
    properties: Object.fromEntries(Object.entries(schema.properties).map(([name, property]) => [name, valuesOf(property)])),
    required: Array.isArray(schema.required) ? schema.required as string[] : [],
    isClosed: schema.additionalProperties === false
  }]
}

function matches ({ types, values, properties, required = [], isClosed }: Look, value: unknown): boolean {
  if (values !== undefined && !values.includes(value)) return false
  if (types !== undefined && !types.some((type) => isOfType(type, value))) return false
  if (properties === undefined || !isRecord(value)) return true
  if (required.some((name) => value[name] === undefined)) return false
  return Object.entries(value).every(([name, each]) => {
    if (each === undefined) return true
    const allowed = Object.hasOwn(properties, name) ? properties[name] : undefined
    return allowed === undefined ? isClosed !== true : allowed === null || allowed.includes(each)
  })
}

/** Returns the values that a schema lists; null if it lists none. */
function valuesOf (schema: unknown): unknown[] | null {
  if (!isRecord(schema)) return null
  if ('const' in schema) return [schema.const]
  return Array.isArray(schema.enum) ? schema.enum : null
}

function isOfType (type: string, value: unknown): boolean {
  switch (type) {
    case 'null': return value === null
    case 'array': return Array.isArray(value)
    case 'object': return isRecord(value)
    case 'integer':
    case 'number': return typeof value === 'number' || typeof value === 'bigint'
    case 'boolean': return typeof value === 'boolean'
    default: return typeof value === 'string'
  }
}

/** Returns a schema by its reference. Throws if there is none, which a change in the serializer could cause. */
function schemaAt (ajv: Ajv, reference: string): unknown {
  const [id = '', pointer = ''] = reference.split('#')
  const names = pointer.split('/').slice(1).map((name) => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'))
  const found = names.reduce<unknown>((schema, name) => (schema as Schema | undefined)?.[name], ajv.schemas[id]?.schema)
  if (found === undefined) throw new Error(`There is no schema ${reference}`)
  return found
}
