import { type feedFrames } from '../../schemas/feed.js'
import { encodeFrame, framesOf, type Subscription } from '../ground/events/index.js'
import { feedTopic, nudge, type Change, type FeedRequest, type FeedSource } from './contract.js'
import { type Cursor, markOf, numberToCursor } from './cursor.js'
import { FollowedFolders } from './folders.js'
import { Frames } from './frames.js'
import { FollowedTurns } from './turns.js'

const frame = framesOf<typeof feedFrames>()

/** One connection: a place in the operator's topic, one in each turn it follows, and the folders it looks at. It holds no queue. */
export class FeedReader implements Subscription {
  readonly ended = false
  readonly #turns: FollowedTurns
  readonly #folders: FollowedFolders
  readonly #frames: Frames
  readonly #nudges: Subscription
  /** Null: what comes next is a snapshot. */
  #position: number | null
  #unknown: Buffer[] = []
  #listener = (): void => {}

  constructor (private readonly feed: FeedSource, { flags, limit, follow, folders }: FeedRequest, cursor: Cursor | null) {
    const { events, sessionOf, watchFolder } = feed.options
    const wake = (): void => this.#listener()
    this.#frames = new Frames(feed.options, flags, limit)
    this.#turns = new FollowedTurns(wake)
    this.#folders = new FollowedFolders(wake)
    this.#position = cursor !== null && cursor.epoch === feed.epoch && feed.changes.after(cursor.seq) !== null ? cursor.seq : null
    for (const { streamId, afterSeq } of new Map(follow.map((turn) => [turn.streamId, turn])).values()) {
      const sessionId = sessionOf(streamId)
      const subscription = sessionId === null ? null : events.subscribe(streamId, cursor?.turns.get(markOf(streamId)) ?? afterSeq)
      if (sessionId === null || subscription === null) this.#unknown.push(encodeFrame(frame('turn_unknown', { session_id: sessionId, stream_id: streamId, error: 'stream not found' })))
      else this.#turns.add(streamId, sessionId, subscription.position, subscription)
    }
    for (const folder of folders) this.#folders.add(folder, watchFolder(folder))
    // Read away: what it tells is that there is something to read.
    this.#nudges = events.watch(feedTopic, () => nudge)
    this.#nudges.onReadable(() => {
      this.#nudges.read(1)
      this.#listener()
    })
  }

  /** In the operator's topic; -1 before its snapshot. */
  get position (): number { return this.#position ?? -1 }

  read (maxBytes: number): Buffer[] {
    const chunks = this.#readChanges(maxBytes)
    if (this.#unknown.length > 0) chunks.push(...this.#unknown.splice(0))
    let bytes = 0
    for (const chunk of chunks) bytes += chunk.length
    if (bytes < maxBytes) chunks.push(...this.#turns.read(maxBytes - bytes, this.#cursor))
    chunks.push(...this.#folders.read(maxBytes))
    return chunks
  }

  onReadable (listener: () => void): void {
    this.#listener = listener
  }

  close (): void {
    this.#listener = () => {}
    this.#nudges.close()
    this.#turns.close()
    this.#folders.close()
  }

  get #cursor (): string {
    return `${this.feed.epoch}.${numberToCursor(this.#position ?? 0)}`
  }

  #readChanges (maxBytes: number): Buffer[] {
    const { changes } = this.feed
    const entries = this.#position === null ? null : changes.after(this.#position)
    if (entries === null) {
      this.#position = changes.lastSeq
      return [encodeFrame(this.#frames.snapshot(), this.#cursor + this.#turns.cursor)]
    }
    const last = new Map(entries.map((change, index) => [keyOf(change, index), index]))
    const chunks: Buffer[] = []
    let bytes = 0
    for (let index = 0; index < entries.length && bytes < maxBytes; index++) {
      this.#position!++
      // Told of later on, as it is then.
      if (last.get(keyOf(entries[index]!, index)) !== index) continue
      const made = this.#frames.of(entries[index]!)
      const chunk = encodeFrame(made, this.#cursor + this.#turns.cursor)
      chunks.push(chunk)
      bytes += chunk.length
    }
    return chunks
  }
}

/** Changes of the same thing have the same one. */
function keyOf (change: Change, index: number): string {
  switch (change.kind) {
    case 'session': return `session ${change.id}`
    case 'prompts': return `${change.of} ${change.id}`
    case 'profile': return `profile ${change.id}`
    case 'memory': return `memory ${change.profile} ${change.section}`
    case 'notice': return `notice ${index}`
    default: return change.kind
  }
}
