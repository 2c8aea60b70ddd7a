import { encodedFrames, type Subscription } from '../../ground/events/index.js'
import { markOf, numberToCursor } from './cursor.js'

interface FollowedTurn {
  streamId: string
  mark: string
  /** `"session_id":…,"stream_id":…`, as JSON. */
  whose: string
  /**
   * Whether the reader has named the turn. A turn that it has not named leaves the cursor with its last frame, so that cursors do not grow
   * forever.
   */
  isNamed: boolean
  position: number
  /** null once all of it has been read. */
  subscription: Subscription | null
}

/** The least amount that is read from a turn at a time, however many there are. */
const leastShareBytes = 4_096
const tail = Buffer.from('}\n\n')

/**
 * The turns that one reader follows, each with its own position in its journal. They are read in rotation, so that none waits for another.
 */
export class FollowedTurns {
  #turns: FollowedTurn[] = []
  readonly #readable = new Set<FollowedTurn>()

  constructor (private readonly wake: () => void) {}

  has (streamId: string): boolean {
    return this.#turns.some((turn) => turn.streamId === streamId)
  }

  add ({ streamId, sessionId, isNamed }: { streamId: string, sessionId: string, isNamed: boolean }, subscription: Subscription): void {
    const whose = `"session_id":${JSON.stringify(sessionId)},"stream_id":${JSON.stringify(streamId)}`
    const turn = { streamId, mark: markOf(streamId), whose, isNamed, position: subscription.position, subscription }
    this.#turns.push(turn)
    this.#readable.add(turn)
    subscription.onReadable(() => {
      this.#readable.add(turn)
      this.wake()
    })
  }

  /** The part of the cursor with the position of each turn. */
  get cursor (): string {
    return this.#turns.map(partOf).join('')
  }

  /** Reads frames of turns in wire form; `operator` is the first part of their cursors. */
  read (maxBytes: number, operator: string): Buffer[] {
    const chunks: Buffer[] = []
    for (let bytes = 0; this.#readable.size > 0 && bytes < maxBytes;) {
      const share = Math.max(leastShareBytes, Math.floor(maxBytes / this.#readable.size))
      const [turn] = this.#readable
      if (turn === undefined) break
      // Deleting and adding it again moves it to the end of the rotation.
      this.#readable.delete(turn)
      const taken = this.#take(turn, share, operator)
      if (taken.length > 0) this.#readable.add(turn)
      for (const chunk of taken) bytes += chunk.length
      chunks.push(...taken)
    }
    return chunks
  }

  close (): void {
    for (const { subscription } of this.#turns) subscription?.close()
    this.#readable.clear()
  }

  #take (turn: FollowedTurn, maxBytes: number, operator: string): Buffer[] {
    const { subscription, whose } = turn
    if (subscription === null) return []
    const index = this.#turns.indexOf(turn)
    const before = operator + this.#turns.slice(0, index).map(partOf).join('')
    const after = this.#turns.slice(index + 1).map(partOf).join('')
    const taken: Buffer[] = []
    for (const chunk of subscription.read(maxBytes)) {
      for (const { id, event, data } of encodedFrames(chunk)) {
        turn.position = Number(id.slice(id.lastIndexOf(':') + 1))
        const head = `id: ${before}${partOf(turn)}${after}\nevent: turn\ndata: {${whose},"id":${JSON.stringify(id)},"event":${JSON.stringify(event)},"data":`
        taken.push(Buffer.concat([Buffer.from(head), data, tail]))
      }
    }
    if (subscription.ended) {
      subscription.close()
      turn.subscription = null
      if (!turn.isNamed) this.#turns = this.#turns.filter((other) => other !== turn)
    }
    return taken
  }
}

/**
 * Returns '' for a turn that the reader has not named and of which it has read nothing: it may not have been told of that turn, and must
 * not get its frames if the turn is over when it reconnects.
 */
const partOf = ({ mark, position, isNamed }: FollowedTurn): string => (
  isNamed || position > 0 ? `.${mark}${numberToCursor(position)}` : ''
)
