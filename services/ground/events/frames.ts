import { type Static, type TSchema } from '@sinclair/typebox'
import { jsonText } from '../json.js'

/** A frame about to be appended. `data` is finished JSON text, made once and sent as it is to every reader. */
export interface NewFrame {
  event: string
  data: string
  /** What stands in its place where nothing is masked; it never leaves the service, unless the frame hands back what somebody typed. */
  plain?: string
}

/** A frame in its topic's order. `seq` counts from 1 without a hole. */
export interface Frame extends NewFrame { seq: number }

/** What an area declares of its frames (`schemas/`): the data of each, by the name of its event. */
export type DeclaredFrames = Record<string, TSchema>

/** Makes the frames of one declaration, and no others: `const frame = framesOf<typeof chatFrames>()`. */
export function framesOf<Declared extends DeclaredFrames> () {
  return <Event extends keyof Declared & string>(event: Event, data: Static<Declared[Event]>): NewFrame => ({ event, data: jsonText(data) })
}

/** Reads the data of frames that {@link framesOf} has made of the same declaration. */
export function frameReader<Declared extends DeclaredFrames> () {
  return <Event extends keyof Declared & string>(_event: Event, data: Buffer | string): Static<Declared[Event]> =>
    JSON.parse(data.toString())
}

/** The bytes on the wire (HTML Living Standard, "Server-sent events"); `id` is left out for frames no one can resume from. */
export function encodeFrame ({ event, data }: NewFrame, id?: string): Buffer {
  return Buffer.from(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`)
}
