import { type Static, type TSchema } from '@sinclair/typebox'
import { jsonText } from '../text/json.js'

/** A frame about to be appended. `data` is finished JSON text, made once and sent unchanged to every reader. */
export interface NewFrame {
  event: string
  data: string
  /** The same data without masking. It never leaves the service, unless the frame hands back what a person typed. */
  plain?: string
}

/** A numbered frame of a topic. `seq` counts from 1 without gaps. */
export interface Frame extends NewFrame { seq: number }

/** The frames that an area declares (`schemas/`): the schema of each frame's data, by the name of its event. */
export type DeclaredFrames = Record<string, TSchema>

/** Returns a function that makes only the frames of one declaration: `const frame = framesOf<typeof chatFrames>()`. */
export function framesOf<Declared extends DeclaredFrames> () {
  return <Event extends keyof Declared & string>(event: Event, data: Static<Declared[Event]>): NewFrame => ({ event, data: jsonText(data) })
}

/** Returns a function that reads the data of frames that {@link framesOf} made from the same declaration. */
export function frameReader<Declared extends DeclaredFrames> () {
  return <Event extends keyof Declared & string>(_event: Event, data: Buffer | string): Static<Declared[Event]> =>
    JSON.parse(data.toString())
}

/** Returns the bytes on the wire (HTML Living Standard, "Server-sent events"). Frames from which no client can resume have no `id`. */
export function encodeFrame ({ event, data }: NewFrame, id?: string): Buffer {
  return Buffer.from(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`)
}
