import { type FoundFile } from './folders.js'
import { type Entry, type Reader } from './facts.js'
import { type ForeignRow, type Tally, type Told } from './tally.js'

/** How far a conversation is known: so much of it, and what stands right before that (base64), by which it is known again. */
export interface Place { readBytes: number, seam: string }

/** How far a file was read, and what has to be remembered of it for the lines to come. */
export interface Progress {
  reader: Reader
  tally: Tally
  readBytes: number
  /** What stood right before `readBytes`. */
  seam: Buffer
  inode: number
  sizeBytes: number
  modifiedAt: number
}

export type Followed = Progress & { told: Told }

export interface FollowOptions {
  path: string
  /** What is known of the conversation since this process began to read it. */
  progress?: Progress
  /** What is stored of it. */
  row?: ForeignRow
  nowS: number
  isStopped: () => boolean
  onRead?: (bytes: number) => void
  pause: () => Promise<unknown>
}

export interface ReadOptions {
  /** Null: from the beginning. */
  from: Place | null
  /** No more than about so much at once. */
  mostBytes?: number
  /** What is written there at this moment is left for the next time. */
  settledOnly?: { nowMs: number }
  /** Gets what stands right before `from`, as far as a reader has to have seen it. */
  before?: (entry: Entry) => void
  onRead?: (bytes: number) => void
  pause: () => Promise<unknown>
}

export interface ReadTo {
  place: Place
  /** There is nothing more, but for what is not complete. */
  isWhole: boolean
  /** An entry that its program is still at work on; it was not handed over. */
  held: Entry | null
}

/** A conversation that is being read. */
export interface OpenedConversation {
  sizeBytes: number
  modifiedMs: number
  /** Whether it is the one in which this place was: nothing before it was cut or replaced. */
  fits (place: Place): Promise<boolean>
  /** Hands over the entries from a place on, in their order. Throws Unavailable when they cannot be read. */
  read (options: ReadOptions, take: (entry: Entry) => void): Promise<ReadTo>
}

/** Where a front end keeps its conversations. A path names one of them. */
export interface Store {
  /** The newest, newest first; null: it cannot be said at the moment. */
  found (): Promise<FoundFile[] | null>
  /** Reads what has come to a conversation since the last time, or all of it when it is another one; null when it is gone. */
  follow (reader: () => Reader, options: FollowOptions): Promise<Followed | null>
  /** Throws Unavailable when it is missing or cannot be read, and what `work` throws. */
  open<T> (path: string, work: (conversation: OpenedConversation) => Promise<T>): Promise<T>
  /** Ends what may be at work. */
  close? (): void
}

/** More than this of a conversation is not read at once, be it to show it or to go on with it. */
export const maxConversationBytes = 64 * 1024 * 1024
/** A turn that was left in the middle and in which nothing was written for so long has no program any more that works on it. */
export const atWorkMs = 120_000
