import { type Database } from '../database/index.js'
import { encodeFrame, type NewFrame } from './frames.js'
import { type Journal, type StoredFrames } from './journal.js'

/** Something that is listened to. Chat streams are journaled; the other kinds begin with a snapshot instead. */
export interface Topic { kind: 'chat' | 'approvals' | 'questions' | 'sessions' | 'session' | 'folder' | 'settings' | 'notice' | 'feed', id: string }

/**
 * One reader of one topic. It holds a position and no queue: what it has not read yet stands in the topic's short
 * tail or in the journal, so a slow reader costs no memory and resumes where it was.
 */
export interface Subscription {
  /** The next encoded frames: at least one if there is one, then as many as fit `maxBytes`. */
  read (maxBytes: number): Buffer[]
  /** True when the topic has ended and everything of it was read. */
  readonly ended: boolean
  /** Seq of the last frame that was read. */
  readonly position: number
  /** Called whenever there may be more to read. */
  onReadable (listener: () => void): void
  close (): void
}

export interface EventBroker {
  /**
   * Commits frames to a chat stream's journal and then sends them to its readers. `write` runs inside the transaction
   * of the group commit and returns the frames, so that rows and frames are stored together or not at all; it may run
   * twice. `refused` hears of it when the write is turned down (StaleGeneration).
   */
  commit (streamId: string, generation: number, write: () => NewFrame[], refused?: (error: Error) => void): void
  /** Sends a frame to whoever listens to a topic without a journal. `make` runs only if there is a listener. */
  publish (topic: Topic, make: () => NewFrame): void
  /** Reads a chat stream after `position`: what is stored, then what comes, no frame twice and none left out. Null when there is nothing to read. */
  subscribe (streamId: string, position: number): Subscription | null
  /** The snapshot first, then what is published; both taken in the same instant. A reader that falls behind gets a new snapshot. */
  watch (topic: Topic, snapshot: () => NewFrame): Subscription
  /** Somebody listens to this topic. */
  isWatched (topic: Topic): boolean
  /** What it holds, for tests and metrics. */
  size (): { topics: number, subscriptions: number }
}

interface LiveTopic {
  key: string
  id: string
  lastSeq: number
  ended: boolean
  tail: Array<{ seq: number, bytes: Buffer }>
  tailBytes: number
  readers: Set<Reader>
}

interface Reader { position: number, wake: () => void }

const tailLimitBytes = 256 * 1024
const tailLimitFrames = 1024

export function createBroker ({ db, journal }: { db: Database, journal: Journal }): EventBroker {
  const topics = new Map<string, LiveTopic>()
  let subscriptions = 0

  function open (key: string, id: string, lastSeq: number, ended: boolean): LiveTopic {
    const topic = topics.get(key) ?? { key, id, lastSeq, ended, tail: [], tailBytes: 0, readers: new Set<Reader>() }
    topics.set(key, topic)
    return topic
  }

  function enter (topic: LiveTopic, reader: Reader): () => void {
    topic.readers.add(reader)
    subscriptions++
    return () => {
      if (!topic.readers.delete(reader)) return
      subscriptions--
      if (topic.readers.size === 0) topics.delete(topic.key)
    }
  }

  function deliver (topic: LiveTopic, frames: Array<{ seq: number, bytes: Buffer }>): void {
    for (const entry of frames) {
      topic.tail.push(entry)
      topic.tailBytes += entry.bytes.length
      topic.lastSeq = entry.seq
    }
    while (topic.tail.length > tailLimitFrames || (topic.tailBytes > tailLimitBytes && topic.tail.length > frames.length)) {
      topic.tailBytes -= topic.tail.shift()!.bytes.length
    }
    for (const reader of [...topic.readers]) reader.wake()
  }

  function readTail (topic: LiveTopic, after: number, maxBytes: number): Array<{ seq: number, bytes: Buffer }> | null {
    const first = topic.tail[0]
    if (first === undefined || first.seq > after + 1) return null
    const taken = []
    let bytes = 0
    for (let index = after + 1 - first.seq; index < topic.tail.length && bytes < maxBytes; index++) {
      const entry = topic.tail[index]!
      taken.push(entry)
      bytes += entry.bytes.length
    }
    return taken
  }

  return {
    commit (streamId, generation, write, refused) {
      let stored: StoredFrames = { frames: [], ended: false }
      db.enqueue({
        write () {
          // Also without frames: it is the journal that refuses rows of an old generation.
          stored = journal.append(streamId, generation, write())
        },
        committed () {
          const topic = topics.get(`chat:${streamId}`)
          if (topic === undefined) return
          topic.ended = stored.ended
          deliver(topic, stored.frames.map((frame) => ({ seq: frame.seq, bytes: encodeFrame(frame, `${streamId}:${frame.seq}`) })))
        },
        refused
      })
    },

    publish ({ kind, id }, make) {
      const topic = topics.get(`${kind}:${id}`)
      if (topic === undefined) return
      deliver(topic, [{ seq: topic.lastSeq + 1, bytes: encodeFrame(make()) }])
    },

    subscribe (streamId, position) {
      db.catchUp()
      const head = journal.head(streamId)
      if (head === null) return null
      const topic = open(`chat:${streamId}`, streamId, head.lastSeq, head.ended)
      const reader: Reader = { position: position > head.lastSeq ? 0 : Math.max(0, position), wake: () => {} }
      const leave = enter(topic, reader)
      return {
        read (maxBytes) {
          if (reader.position >= topic.lastSeq) return []
          const entries = readTail(topic, reader.position, maxBytes) ??
            journal.read(streamId, reader.position, maxBytes).map((frame) => ({ seq: frame.seq, bytes: encodeFrame(frame, `${streamId}:${frame.seq}`) }))
          reader.position = entries.at(-1)?.seq ?? topic.lastSeq
          return entries.map((entry) => entry.bytes)
        },
        get ended () { return topic.ended && reader.position >= topic.lastSeq },
        get position () { return reader.position },
        onReadable (listener) { reader.wake = listener },
        close: leave
      }
    },

    watch ({ kind, id }, snapshot) {
      db.catchUp()
      const topic = open(`${kind}:${id}`, id, 0, false)
      const reader: Reader = { position: -1, wake: () => {} }
      const leave = enter(topic, reader)
      return {
        read (maxBytes) {
          if (reader.position === topic.lastSeq) return []
          const entries = reader.position === -1 ? null : readTail(topic, reader.position, maxBytes)
          if (entries !== null) {
            reader.position = entries.at(-1)?.seq ?? reader.position
            return entries.map((entry) => entry.bytes)
          }
          reader.position = topic.lastSeq
          return [encodeFrame(snapshot())]
        },
        ended: false,
        get position () { return reader.position },
        onReadable (listener) { reader.wake = listener },
        close: leave
      }
    },

    isWatched: ({ kind, id }) => topics.has(`${kind}:${id}`),

    size: () => ({ topics: topics.size, subscriptions })
  }
}
