import { Type, type Static, type TSchema } from '@sinclair/typebox'

// The protocol is declared once: messages are held against forms, and their types are made from these.

export const text = Type.String()
export const brief = Type.String({ maxLength: 500 })
export const count = Type.Integer({ minimum: 0 })
export const nullable = <Form extends TSchema>(form: Form) => Type.Union([form, Type.Null()])
export const oneOf = <const Words extends readonly string[]>(...words: Words) =>
  Type.Unsafe<Words[number]>(Type.Union(words.map((word) => Type.Literal(word))))
/** Held against no more than `form`; what else it says is looked at by whoever uses it, or was made by this service. */
export const loosely = <T>(form: TSchema = Type.Unknown()) => Type.Unsafe<T>(form)
/** Arguments of a call. */
export const args = loosely<Record<string, unknown>>(Type.Object({}))

/** Any of some messages, by the name of each under `Key`. */
export type AnyOf<Key extends string, Forms extends Record<string, TSchema>> = {
  [Name in keyof Forms & string]: { [K in Key]: Name } & Static<Forms[Name]>
}[keyof Forms & string]
