import { type Subscription } from '../../ground/events/index.js'
import { keepNewest } from '../../ground/keep-newest.js'

interface Mark { position: number, open: Set<Subscription> }

const clientsPerStream = 64

/**
 * How far each client has been sent each live stream. A client that comes back without a cursor has kept what it was
 * sent and must not be sent it again; one that comes for the first time gets the stream from its beginning.
 */
export function createReaderMarks () {
  const streams = new Map<string, Map<string, Mark>>()

  return {
    /** Seq after which this client's plain attach begins. */
    position (streamId: string, client: string): number {
      const mark = streams.get(streamId)?.get(client)
      if (mark === undefined) return 0
      return Math.max(mark.position, ...[...mark.open].map((subscription) => subscription.position))
    },

    /** Follows a subscription; call the returned function when it is over, saying whether the stream still lives. */
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
