import { Type, type TSchema } from '@sinclair/typebox'
import { Closed, Nullable } from './shapes.js'

export { conflicts, errors, startConflicts } from './errors.js'
export { Anything, Closed, Nullable, OneOf } from './shapes.js'

/** The machine of a workspace. */
export const MachineName = () => Type.Optional(Type.String({ description: 'the machine of the workspace; absent: the machine of the service' }))

/** A field that a request may leave out or send as null. */
export const Maybe = <T extends TSchema>(schema: T) => Type.Optional(Nullable(schema))

/** Whole numbers with more digits than a JavaScript number can hold. */
export const Nanoseconds = (description: string) => Type.Unsafe<bigint>({ type: 'integer', description })

/** A number of things. */
export const Count = (description?: string) => Type.Integer({ minimum: 0, ...(description === undefined ? {} : { description }) })

export const Seconds = (description = 'epoch seconds') => Type.Number({ description })

/** A required identifier: an empty one counts as missing. */
export const Id = (description: string) => Type.String({ minLength: 1, maxLength: 200, description })

/** Refuses U+FFFD, which replaces invalid characters: two different ids could become the same one. */
export const clientIdRule = { maxLength: 128, pattern: '^[^\\uFFFD]*$' } as const

/** The id of a request, which the client sends again with a retry. */
export const ClientId = (of: 'session' | 'profile' = 'session') => Maybe(Type.String({
  ...clientIdRule, description: `id of the request, unique in its ${of}: repeating the request with it within a week returns the first answer; empty: none`
}))

/** A file of a message, in the forms that clients use. */
export const AttachmentInput = Type.Union([
  Type.String({ description: 'a bare file name' }),
  Type.Object({
    name: Maybe(Type.String()),
    filename: Maybe(Type.String()),
    path: Maybe(Type.String()),
    mime: Maybe(Type.String()),
    size: Maybe(Type.Integer()),
    is_image: Maybe(Type.Boolean())
  })
])

/** Query flags are 1, true, yes or on; everything else is off. */
export const Flag = (description: string) => Type.Optional(Type.String({ description: `${description} (1, true, yes, on)` }))
export const isOn = (flag: string | undefined): boolean => flag !== undefined && /^(1|true|yes|on)$/i.test(flag)
/** For flags that are on unless a query says otherwise; an empty one says nothing. */
export const isNotOff = (flag: string | undefined): boolean => flag === undefined || flag === '' || isOn(flag)

/** The body of a request without content: none, or an object whose keys are ignored. */
export const Nothing = Type.Union([Type.Object({}, { maxProperties: 16, description: 'an object whose keys are ignored' }), Type.Null()])

export const Ok = Closed({ ok: Type.Boolean() }, { title: 'Ok' })
export const SessionQuery = Type.Object({ session_id: Id('session') })
export const SessionBody = Type.Object({ session_id: Id('session') })

/** An answer with bytes. */
export const Bytes = (mediaType: string, description: string) => ({
  description,
  content: { [mediaType]: { schema: Type.String({ contentMediaType: mediaType === '*/*' ? 'application/octet-stream' : mediaType }) } }
})

/**
 * An answer of Server-Sent Events: one of these for each frame, where `data` is the JSON in its data line. The schema is for the document
 * and for the tests, which check every frame against it.
 */
export const EventStream = (
  title: string, frames: Record<string, TSchema>, description = 'Server-Sent Events, until either side ends them'
) => ({
  description,
  content: {
    'text/event-stream': {
      schema: Type.Unsafe<unknown>({
        title,
        anyOf: Object.entries(frames).map(([event, data]) => Closed({
          id: Type.Optional(Type.String({ description: 'where to resume; absent in frames that cannot be resumed from' })),
          event: Type.Literal(event),
          data
        }, { description: data.description ?? '' }))
      })
    }
  }
})
