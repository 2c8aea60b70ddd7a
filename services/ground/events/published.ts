import { type EventBroker, type Topic } from './broker.js'
import { type NewFrame } from './frames.js'

/** Called for each published frame. `make` makes the frame once, however many listeners call it. */
type PublishedListener = (topic: Topic, make: () => NewFrame) => void

/** Everything that is published in topics without a journal, beside the readers of single topics. */
export interface Published {
  /** Adds a listener. Returns a function that removes it. */
  listen (listener: PublishedListener): () => void
}

export function withListeners<Broker extends EventBroker> (broker: Broker): Broker & Published {
  const listeners = new Set<PublishedListener>()
  const publish = broker.publish.bind(broker)
  return Object.assign(broker, {
    publish (topic: Topic, make: () => NewFrame): void {
      let made: NewFrame | undefined
      const once = (): NewFrame => {
        made ??= make()
        return made
      }
      publish(topic, once)
      for (const listener of listeners) listener(topic, once)
    },
    listen (listener: PublishedListener) {
      listeners.add(listener)
      return () => { listeners.delete(listener) }
    }
  })
}

/** A frame as it is sent. `data` is its JSON. */
export interface EncodedFrame { id: string, event: string, data: Buffer }

const letterI = 0x69

/** Parses one or more frames that `encodeFrame` made. `data` is a single line, so nothing in it looks like another field. */
export function * encodedFrames (bytes: Buffer): Generator<EncodedFrame> {
  for (let at = 0; at < bytes.length;) {
    const eventAt = bytes[at] === letterI ? bytes.indexOf('\nevent: ', at) + 1 : at
    const dataAt = bytes.indexOf('\ndata: ', eventAt) + 1
    const end = bytes.indexOf('\n\n', dataAt)
    yield {
      id: eventAt === at ? '' : bytes.toString('utf8', at + 'id: '.length, eventAt - 1),
      event: bytes.toString('utf8', eventAt + 'event: '.length, dataAt - 1),
      data: bytes.subarray(dataAt + 'data: '.length, end)
    }
    at = end + 2
  }
}
