import { Type, type ObjectOptions, type Static, type TProperties, type TSchema } from '@sinclair/typebox'

/**
 * An object in an answer or a frame: fields that it does not name are never sent. A `title` makes it a component of the
 * document, under that name.
 */
export const Closed = <P extends TProperties>(properties: P, options: ObjectOptions = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options })

/** An object whose keys others define: a tool, a model, another program. */
export const Anything = (description: string) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, description })

export const OneOf = <const T extends readonly string[]>(values: T, description?: string) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...(description === undefined ? {} : { description }) })

/** Returns the schema or null: `type: [T, 'null']` if T is a single type; a component keeps its name beside null. */
export function Nullable<T extends TSchema> (schema: T, description?: string) {
  const more = description === undefined ? {} : { description }
  if (typeof schema.type !== 'string' || schema.title !== undefined || schema.const !== undefined) {
    return Type.Unsafe<Static<T> | null>({ anyOf: [schema, { type: 'null' }], ...more })
  }
  const values = schema.enum === undefined ? {} : { enum: [...schema.enum, null] }
  return Type.Unsafe<Static<T> | null>({ ...Object.fromEntries(Object.entries(schema)), type: [schema.type, 'null'], ...values, ...more })
}
