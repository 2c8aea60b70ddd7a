import { Type, type Static, type TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { fieldsOf } from '../ground/fields.js'
import { isKeyOf } from '../ground/one-of.js'

// The protocol is declared once: messages are checked against forms, and their types are derived from these.

export const text = Type.String()
export const brief = Type.String({ maxLength: 500 })
export const count = Type.Integer({ minimum: 0 })
export const nullable = <Form extends TSchema>(form: Form) => Type.Union([form, Type.Null()])
export const oneOf = <const Words extends readonly string[]>(...words: Words) =>
  Type.Unsafe<Words[number]>(Type.Union(words.map((word) => Type.Literal(word))))
/** A value that is only checked against `form`; its user checks the rest, or this service has made it. */
export const loosely = <T>(form: TSchema = Type.Unknown()) => Type.Unsafe<T>(form)
/** Arguments of a call. */
export const args = loosely<Record<string, unknown>>(Type.Object({}))

/** The union of some messages, each with its name under `Key`. */
export type AnyOf<Key extends string, Forms extends Record<string, TSchema>> = {
  [Name in keyof Forms & string]: { [K in Key]: Name } & Static<Forms[Name]>
}[keyof Forms & string]

/** Whether a value is one of these messages: its name under `key` is one of theirs, and it has the form of that name. */
export function isOneOf<Key extends string, Forms extends Record<string, TSchema>> (
  key: Key, forms: Forms, value: unknown
): value is AnyOf<Key, Forms> {
  const name = fieldsOf(value)[key]
  return isKeyOf(forms, name) && Value.Check(forms[name], value)
}
