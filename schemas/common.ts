import { Type, type TSchema } from '@sinclair/typebox'

export const Nullable = <T extends TSchema>(schema: T, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description })

export const Seconds = (description = 'epoch seconds') => Type.Number({ description })

/** A required identifier: an empty one counts as missing. */
export const Id = (description: string) => Type.String({ minLength: 1, maxLength: 200, description })

/** Query flags are 1, true, yes or on; everything else is off. */
export const Flag = (description: string) => Type.Optional(Type.String({ description: `${description} (1, true, yes, on)` }))
export const isOn = (flag: string | undefined): boolean => flag !== undefined && /^(1|true|yes|on)$/i.test(flag)

export const ErrorBody = Type.Object({
  error: Type.String({ description: 'what went wrong, for a person' }),
  code: Type.Optional(Type.String({ description: 'what a client can act on' }))
}, { additionalProperties: true, description: 'Every failure has this body' })

/** The error answers of a route, for its `response`. */
export const errors = (...statuses: number[]) => Object.fromEntries(statuses.map((status) => [status, ErrorBody])) as Record<number, typeof ErrorBody>

export const Ok = Type.Object({ ok: Type.Boolean() })
export const SessionQuery = Type.Object({ session_id: Id('session') })
export const SessionBody = Type.Object({ session_id: Id('session') })

/** An open event stream, for the document only: the body is Server-Sent Events. */
export const EventStream = Type.String({ description: 'text/event-stream' })
