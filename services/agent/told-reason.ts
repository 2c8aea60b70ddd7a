import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { inEnglish, reasonCodes, type Reason } from '../../reasons/index.js'

/** A run may be on another machine, so its codes are looked at before anything is made of them. */
const said = {
  code: Type.Union(reasonCodes.map((code) => Type.Literal(code))),
  params: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]))
}
const detail = Type.Object(said, { additionalProperties: false })
export const reasonForm = Type.Object({ ...said, details: Type.Optional(Type.Array(detail)) })

/** What a warning says, by its code. Absent where a version that this one does not know has said it. */
export function reasonOf ({ message, reason }: { message: string, reason?: Reason | undefined }): { reason?: Static<typeof reasonForm> } {
  return Value.Check(reasonForm, reason) && inEnglish(reason) === message ? { reason } : {}
}

/** A sentence of the service, with its code. */
export const toldBy = ({ code, params }: Reason) => ({ message: inEnglish({ code, params }), reason: { code, params } })
