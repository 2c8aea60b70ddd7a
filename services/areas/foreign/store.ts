import { type FoundFile } from './folders.js'
import { type Entry, type Reader } from './facts.js'
import { type ForeignRow, type Tally, type ForeignTally } from './tally.js'

/**
 * How far a conversation is known: a number of bytes or messages, and what comes directly before that point (base64), to recognise it
 * again.
 */
export interface Place { readBytes: number, seam: string }

/** How far a file was read, and the state that the following lines need. */
export interface Progress {
  reader: Reader
  tally: Tally
  readBytes: number
  /** The bytes directly before `readBytes`. */
  seam: Buffer
  inode: number
  sizeBytes: number
  modifiedAt: number
}

export type Followed = Progress & { told: ForeignTally }

export interface FollowOptions {
  path: string
  /** The progress since this process began to read the conversation. */
  progress?: Progress
  /** The stored row. */
  row?: ForeignRow
  nowS: number
  isStopped: () => boolean
  onRead?: (bytes: number) => void
  pause: () => Promise<unknown>
}

export interface ReadOptions {
  /** null to read from the beginning. */
  from: Place | null
  /** Roughly how much is read at once. */
  mostBytes?: number
  /** Leaves what is being written at this moment for the next time. */
  settledOnly?: { nowMs: number }
  /** Receives the entries directly before `from`, as far as a reader must have seen them. */
  before?: (entry: Entry) => void
  onRead?: (bytes: number) => void
  pause: () => Promise<unknown>
}

export interface ReadTo {
  place: Place
  /** Whether nothing is left, except for incomplete entries. */
  isWhole: boolean
  /** An entry that its program is still working on; it was not passed on. */
  held: Entry | null
}

/** A conversation that is being read. */
export interface OpenedConversation {
  sizeBytes: number
  modifiedMs: number
  /** Whether this place is in this conversation: nothing before it was cut or replaced. */
  fits (place: Place): Promise<boolean>
  /** Passes on the entries from a place on, in their order. Throws Unavailable if they cannot be read. */
  read (options: ReadOptions, take: (entry: Entry) => void): Promise<ReadTo>
}

/** The place where a front end keeps its conversations. A path names one of them. */
export interface Store {
  /** Returns the newest conversations, newest first; null if they cannot be listed at the moment. */
  found (): Promise<FoundFile[] | null>
  /** Reads what was added to a conversation since the last time, or all of it if it was replaced; null if it is gone. */
  follow (reader: () => Reader, options: FollowOptions): Promise<Followed | null>
  /** Throws Unavailable if the conversation is missing or unreadable, and the errors of `work`. */
  open<T> (path: string, work: (conversation: OpenedConversation) => Promise<T>): Promise<T>
  /** Ends a process that may be running. */
  close? (): void
}

/** The largest conversation that is read at once, whether to show it or to continue it. */
export const maxConversationBytes = 64 * 1024 * 1024
/** If an unfinished turn has not been written to for this long, no program is working on it any more. */
export const atWorkMs = 120_000
