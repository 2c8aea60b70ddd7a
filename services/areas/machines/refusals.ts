import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { errorCodes } from '../../../schemas/error-codes.js'
import { Conflict, DomainError, Forbidden, Invalid, NotFound, RelayFailed, TooLarge, TooMany, Unavailable } from '../../ground/errors.js'
import { isKeyOf } from '../../ground/one-of.js'

/** What may go wrong on another machine and be the same here. */
const kinds = { Conflict, Forbidden, Invalid, NotFound, RelayFailed, TooLarge, TooMany, Unavailable }

const form = Type.Object({
  kind: Type.String(),
  message: Type.String({ maxLength: 2_000 }),
  code: Type.Optional(Type.String()),
  details: Type.Optional(Type.Record(Type.String(), Type.Unknown()))
})

/** A domain error as it travels. */
export type Refusal = Static<typeof form>

/** Null for what is no domain error: it is a fault, and not to be told. */
export function refusalOf (error: unknown): Refusal | null {
  if (!(error instanceof DomainError) || !Object.hasOwn(kinds, error.name)) return null
  const { name: kind, message, code, details } = error
  return { kind, message, ...(code === undefined ? {} : { code }), ...(Object.keys(details).length === 0 ? {} : { details }) }
}

/** The error that a machine has answered with, to be thrown here; null for what is none. A code that is not known here is left out. */
export function errorOf (refusal: unknown): DomainError | null {
  if (!Value.Check(form, refusal)) return null
  const { kind, message, code, details } = refusal
  if (!isKeyOf(kinds, kind)) return null
  return new kinds[kind](message, isKeyOf(errorCodes, code) ? code : undefined, details)
}
