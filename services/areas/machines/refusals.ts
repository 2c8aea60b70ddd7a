import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { errorCodes } from '../../../schemas/error-codes.js'
import { Conflict, DomainError, Forbidden, Invalid, NotFound, RelayFailed, TooLarge, TooMany, Unavailable } from '../../ground/errors.js'
import { isKeyOf } from '../../ground/one-of.js'

/** Errors of another machine that are thrown here as the same kind. */
const kinds = { Conflict, Forbidden, Invalid, NotFound, RelayFailed, TooLarge, TooMany, Unavailable }

const form = Type.Object({
  kind: Type.String(),
  message: Type.String({ maxLength: 2_000 }),
  code: Type.Optional(Type.String()),
  details: Type.Optional(Type.Record(Type.String(), Type.Unknown()))
})

/** A domain error in the form in which it is sent. */
export type Refusal = Static<typeof form>

/** Returns null if the error is not a domain error: it is a fault, whose details are not sent. */
export function refusalOf (error: unknown): Refusal | null {
  if (!(error instanceof DomainError) || !Object.hasOwn(kinds, error.name)) return null
  const { name: kind, message, code, details } = error
  return { kind, message, ...(code === undefined ? {} : { code }), ...(Object.keys(details).length === 0 ? {} : { details }) }
}

/** Converts a machine's refusal into the error to throw here; null if it is not one. A code that is unknown here is left out. */
export function errorOf (refusal: unknown): DomainError | null {
  if (!Value.Check(form, refusal)) return null
  const { kind, message, code, details } = refusal
  if (!isKeyOf(kinds, kind)) return null
  return new kinds[kind](message, isKeyOf(errorCodes, code) ? code : undefined, details)
}
