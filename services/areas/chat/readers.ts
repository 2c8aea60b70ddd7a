import { type Subscription } from '../../ground/events/index.js'
import { keepNewest } from '../../ground/keep-newest.js'

interface Mark { position: number, open: Set<Subscription> }

const clientsPerStream = 64

/**
 * Remembers how far each client has received each live stream. A client that reconnects without a cursor has kept what it received and must
 * not get it again; a new client gets the stream from its beginning.
 */
export function createReaderMarks () {
  const streams = new Map<string, Map<string, Mark>>()

  return {
    /** Returns the seq after which this client continues if it names none. */
    position (streamId: string, client: string): number {
      const mark = streams.get(streamId)?.get(client)
      if (mark === undefined) return 0
      return Math.max(mark.position, ...[...mark.open].map((subscription) => subscription.position))
    },

    /** Follows a subscription. Call the returned function when it is over, with whether the stream is still live. */
    follow (streamId: string, client: string, subscription: Subscription): (alive: boolean) => void {
      const marks = streams.get(streamId) ?? new Map<string, Mark>()
      streams.set(streamId, marks)
      const mark = marks.get(client) ?? { position: 0, open: new Set() }
      marks.set(client, mark)
      mark.open.add(subscription)
      keepNewest(marks, clientsPerStream)
      return (alive) => {
        mark.position = Math.max(mark.position, subscription.position)
        mark.open.delete(subscription)
        if (!alive) streams.delete(streamId)
      }
    },

    forget (streamId: string): void { streams.delete(streamId) },

    size: () => streams.size
  }
}
