/** A frame about to be appended. `data` is finished JSON text, made once and sent as it is to every reader. */
export interface NewFrame {
  event: string
  data: string
  /** What stands in its place where nothing is masked; it never leaves the service. */
  plain?: string
}

/** A frame in its topic's order. `seq` counts from 1 without a hole. */
export interface Frame extends NewFrame { seq: number }

export function frame (event: string, data: unknown): NewFrame {
  return { event, data: JSON.stringify(data) }
}

/** The bytes on the wire (HTML Living Standard, "Server-sent events"); `id` is left out for frames no one can resume from. */
export function encodeFrame ({ event, data }: NewFrame, id?: string): Buffer {
  return Buffer.from(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`)
}
