import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { inEnglish, reasonCodes, type Reason } from '../../reasons/index.js'

/** A run may be on another machine, so its codes are validated before use. */
const said = {
  code: Type.Union(reasonCodes.map((code) => Type.Literal(code))),
  params: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]))
}
const detail = Type.Object(said, { additionalProperties: false })
export const reasonForm = Type.Object({ ...said, details: Type.Optional(Type.Array(detail)) })

/** Returns a warning's reason. Missing if its code is unknown, or does not give the same sentence. */
export function reasonOf ({ message, reason }: { message: string, reason?: Reason | undefined }): { reason?: Static<typeof reasonForm> } {
  return Value.Check(reasonForm, reason) && inEnglish(reason) === message ? { reason } : {}
}

/** Returns a reason as the message and the code of a warning. */
export const toldBy = ({ code, params }: Reason) => ({ message: inEnglish({ code, params }), reason: { code, params } })
