import { type Database } from '../database/index.js'
import { encodeFrame, type Frame, type NewFrame } from './frames.js'
import { type Journal, type StoredFrames } from './journal.js'
import { LiveTopic, type Entry, type Reader } from './topic.js'

/** A reader of a stream. One that may type gets typed texts unmasked. */
export interface StreamOnlooker { mayType: boolean }

/** A subject of subscriptions. Chat streams are journaled; topics of the other kinds begin with a snapshot instead. */
export interface Topic {
  kind: 'chat' | 'approvals' | 'questions' | 'sessions' | 'session' | 'folder' | 'settings' | 'profile' | 'memory' | 'home' | 'hosts' | 'notice' | 'feed'
  id: string
}

/**
 * One reader of one topic. It holds a position and no queue: frames that it has not read yet are in the topic's short tail or in the
 * journal, so a slow reader costs no memory and resumes where it was.
 */
export interface Subscription {
  /** Returns the next encoded frames: at least one if there is one, then as many as fit `maxBytes`. */
  read (maxBytes: number): Buffer[]
  /** Whether the topic has ended and all of it was read. */
  readonly ended: boolean
  /** Seq of the last frame that was read. */
  readonly position: number
  /** Sets the function that is called whenever there may be more to read. */
  onReadable (listener: () => void): void
  close (): void
}

export interface EventBroker {
  /**
   * Commits frames to a chat stream's journal and then sends them to its readers. `write` runs inside the transaction of the group commit
   * and returns the frames, so that rows and frames are stored together or not at all; it may run twice. `refused` is called if the write
   * is rejected (StaleGeneration). `runSeq` is the number of the last event of the stream's run that is stored with it.
   */
  commit (streamId: string, generation: number, write: () => NewFrame[], refused?: (error: Error) => void, runSeq?: number): void
  /** Sends a frame to the readers of a topic without a journal. `make` is called only if there is a reader. */
  publish (topic: Topic, make: () => NewFrame): void
  /**
   * Reads a chat stream after `position`: the stored frames, then new ones, each exactly once. Returns null if the stream's frames are not
   * available.
   */
  subscribe (streamId: string, position: number, reader?: StreamOnlooker): Subscription | null
  /** Reads the snapshot first, then published frames, both from the same instant. A reader that falls behind gets a new snapshot. */
  watch (topic: Topic, snapshot: () => NewFrame): Subscription
  /** Whether the topic has a reader. */
  isWatched (topic: Topic): boolean
  /** Returns how many topics and subscriptions exist, for tests and metrics. */
  size (): { topics: number, subscriptions: number }
}

export function createBroker (options: { db: Database, journal: Journal }): EventBroker {
  return new Broker(options)
}

class Broker implements EventBroker {
  readonly #db: Database
  readonly #journal: Journal
  readonly #topics = new Map<string, LiveTopic>()
  #subscriptions = 0

  constructor ({ db, journal }: { db: Database, journal: Journal }) {
    this.#db = db
    this.#journal = journal
  }

  commit (streamId: string, generation: number, write: () => NewFrame[], refused?: (error: Error) => void, runSeq?: number): void {
    let stored: StoredFrames = { frames: [], ended: false }
    this.#db.enqueue({
      write: () => {
        // Also called without frames, because the journal refuses rows of an old generation.
        stored = this.#journal.append(streamId, generation, write(), runSeq)
      },
      committed: () => {
        const topic = this.#topics.get(keyOf({ kind: 'chat', id: streamId }))
        if (topic === undefined) return
        topic.ended = stored.ended
        topic.deliver(stored.frames.map((frame) => entryOf(streamId, frame)))
      },
      refused
    })
  }

  publish (topic: Topic, make: () => NewFrame): void {
    const live = this.#topics.get(keyOf(topic))
    live?.deliver([{ seq: live.lastSeq + 1, bytes: encodeFrame(make()) }])
  }

  subscribe (streamId: string, position: number, { mayType }: StreamOnlooker = { mayType: false }): Subscription | null {
    const head = this.#journal.head(streamId)
    if (head === null) return null
    const topic = this.#open({ kind: 'chat', id: streamId }, head.lastSeq, head.ended)
    const stored = (after: number, maxBytes: number) =>
      this.#journal.read(streamId, after, maxBytes).map((frame) => entryOf(streamId, frame))
    return this.#enter(topic, (leave) =>
      new StreamReader(topic, leave, position > head.lastSeq ? 0 : Math.max(0, position), { stored, mayType }))
  }

  watch (topic: Topic, snapshot: () => NewFrame): Subscription {
    this.#db.catchUp()
    const live = this.#open(topic, 0, false)
    return this.#enter(live, (leave) => new SnapshotReader(live, leave, snapshot))
  }

  isWatched (topic: Topic): boolean {
    return this.#topics.has(keyOf(topic))
  }

  size (): { topics: number, subscriptions: number } {
    return { topics: this.#topics.size, subscriptions: this.#subscriptions }
  }

  #open (topic: Topic, lastSeq: number, ended: boolean): LiveTopic {
    const key = keyOf(topic)
    const live = this.#topics.get(key) ?? new LiveTopic(key, lastSeq, ended)
    this.#topics.set(key, live)
    return live
  }

  #enter<Kind extends Reader> (topic: LiveTopic, make: (leave: (reader: Reader) => void) => Kind): Kind {
    const reader = make((leaving) => {
      if (!topic.readers.delete(leaving)) return
      this.#subscriptions--
      if (topic.readers.size === 0) this.#topics.delete(topic.key)
    })
    topic.readers.add(reader)
    this.#subscriptions++
    return reader
  }
}

/** Reads a chat stream from its tail if that reaches back far enough, otherwise from the journal. */
class StreamReader implements Subscription, Reader {
  #listener = (): void => {}

  constructor (
    private readonly topic: LiveTopic, private readonly leave: (reader: Reader) => void,
    public position: number, private readonly options: StreamOnlooker & { stored: (after: number, maxBytes: number) => Entry[] }
  ) {}

  read (maxBytes: number): Buffer[] {
    if (this.position >= this.topic.lastSeq) return []
    const entries = this.topic.read(this.position, maxBytes) ?? this.options.stored(this.position, maxBytes)
    this.position = entries.at(-1)?.seq ?? this.topic.lastSeq
    return entries.map(({ bytes, typed = bytes }) => this.options.mayType ? typed : bytes)
  }

  get ended (): boolean { return this.topic.ended && this.position >= this.topic.lastSeq }

  wake (): void { this.#listener() }
  onReadable (listener: () => void): void { this.#listener = listener }
  close (): void { this.leave(this) }
}

/** Reads a topic without a journal: a snapshot, and a new one each time it has fallen behind. */
class SnapshotReader implements Subscription, Reader {
  readonly ended = false
  position = -1
  #listener = (): void => {}

  constructor (
    private readonly topic: LiveTopic, private readonly leave: (reader: Reader) => void, private readonly snapshot: () => NewFrame
  ) {}

  read (maxBytes: number): Buffer[] {
    if (this.position === this.topic.lastSeq) return []
    const entries = this.position === -1 ? null : this.topic.read(this.position, maxBytes)
    if (entries === null) {
      this.position = this.topic.lastSeq
      return [encodeFrame(this.snapshot())]
    }
    this.position = entries.at(-1)?.seq ?? this.position
    return entries.map((entry) => entry.bytes)
  }

  wake (): void { this.#listener() }
  onReadable (listener: () => void): void { this.#listener = listener }
  close (): void { this.leave(this) }
}

const keyOf = ({ kind, id }: Topic): string => `${kind}:${id}`

function entryOf (streamId: string, { seq, event, data, plain }: Frame): Entry {
  const id = `${streamId}:${seq}`
  return {
    seq, bytes: encodeFrame({ event, data }, id), ...(plain === undefined ? {} : { typed: encodeFrame({ event, data: plain }, id) })
  }
}
