import { type feedFrames } from '../../../schemas/feed.js'
import { NotFound } from '../../ground/errors.js'
import { encodeFrame, framesOf, type Subscription } from '../../ground/events/index.js'
import { feedTopic, nudge, type Change, type FeedRequest, type FeedSource } from './contract.js'
import { FollowedConversations } from './conversations.js'
import { type Cursor, markOf, numberToCursor } from './cursor.js'
import { FollowedFolders } from './folders.js'
import { Frames } from './frames.js'
import { FollowedTurns } from './turns.js'

const frame = framesOf<typeof feedFrames>()

/**
 * One connection: a position in the operator's topic and in each turn that it follows, and the sessions and folders that it follows. It
 * holds no queue.
 */
export class FeedReader implements Subscription {
  readonly ended = false
  readonly #turns: FollowedTurns
  readonly #folders: FollowedFolders
  readonly #conversations: FollowedConversations
  readonly #frames: Frames
  readonly #nudges: Subscription
  /** null if the next frame is a snapshot. */
  #position: number | null
  readonly #profile: string
  #unknown: Buffer[] = []
  /** Turns of followed sessions that have begun since the last read. */
  #begun: Array<{ streamId: string, sessionId: string }> = []
  #deaf: Array<() => void> = []
  #listener = (): void => {}

  constructor (private readonly feed: FeedSource, private readonly request: FeedRequest, private readonly cursor: Cursor | null) {
    const { events, watchFolder } = feed.options
    const { follow, folders, sessions } = request
    const wake = (): void => this.#listener()
    this.#profile = request.flags.profile
    this.#frames = new Frames(feed.options, request)
    this.#turns = new FollowedTurns(wake)
    this.#folders = new FollowedFolders(wake)
    this.#conversations = new FollowedConversations(wake)
    this.#position = cursor !== null && cursor.epoch === feed.epoch && feed.changes.after(cursor.seq) !== null ? cursor.seq : null
    for (const { streamId, afterSeq } of new Map(follow.map((turn) => [turn.streamId, turn])).values()) {
      const sessionId = this.#own(feed.options.sessionOf(streamId))
      if (sessionId === null || !this.#followTurn({ streamId, sessionId, isNamed: true }, afterSeq)) {
        this.#unknown.push(encodeFrame(frame('turn_unknown', { session_id: sessionId, stream_id: streamId, error: 'stream not found' })))
      }
    }
    for (const sessionId of new Set(sessions)) this.#followSession(sessionId)
    for (const folder of folders) this.#folders.add(folder, this.#own(folder.sessionId) === null ? noSession() : watchFolder(folder))
    // Nudges are read and discarded: each means only that there is something to read.
    this.#nudges = events.watch(feedTopic, () => nudge)
    this.#nudges.onReadable(() => {
      this.#nudges.read(1)
      this.#listener()
    })
  }

  /** Returns null if the session does not exist or belongs to another profile. */
  #own (sessionId: string | null): string | null {
    return sessionId !== null && this.feed.options.conversations.has(sessionId, this.#profile) ? sessionId : null
  }

  /** The position in the operator's topic; -1 before the snapshot. */
  get position (): number { return this.#position ?? -1 }

  read (maxBytes: number): Buffer[] {
    const chunks = this.#readChanges(maxBytes)
    if (this.#unknown.length > 0) chunks.push(...this.#unknown.splice(0))
    chunks.push(...this.#conversations.read(maxBytes - sizeOf(chunks)))
    const left = maxBytes - sizeOf(chunks)
    // Turns are read only after conversations are drained: the frame that a turn has begun must come before the turn's own frames.
    if (left > 0) chunks.push(...this.#readTurns(left))
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
    this.#conversations.close()
    for (const stop of this.#deaf) stop()
  }

  /** Returns false if nothing of the turn can be read. */
  #followTurn (turn: { streamId: string, sessionId: string, isNamed: boolean }, afterSeq: number): boolean {
    if (this.#turns.has(turn.streamId)) return true
    const subscription = this.feed.options.events.subscribe(
      turn.streamId, this.cursor?.turns.get(markOf(turn.streamId)) ?? afterSeq, this.request.reader
    )
    if (subscription !== null) this.#turns.add(turn, subscription)
    return subscription !== null
  }

  #followSession (sessionId: string): void {
    const { events, conversations } = this.feed.options
    if (this.#own(sessionId) === null) {
      this.#unknown.push(encodeFrame(frame('conversation_unknown', { session_id: sessionId, error: 'Session not found' })))
      return
    }
    this.#conversations.add(sessionId, events.watch({ kind: 'session', id: sessionId }, () => conversations.opening(sessionId)))
    this.#deaf.push(this.feed.beginnings.on(sessionId, (streamId) => {
      this.#begun.push({ streamId, sessionId })
      this.#listener()
    }))
    // A turn that has a position in the cursor was not over when the connection was lost, so the reader still needs its end.
    const isOwed = (streamId: string): boolean => this.cursor?.turns.has(markOf(streamId)) === true
    for (const {
      streamId, isActive
    } of conversations.turns(sessionId)) if (isActive || isOwed(streamId)) this.#followTurn({ streamId, sessionId, isNamed: false }, 0)
  }

  #readTurns (maxBytes: number): Buffer[] {
    for (const turn of this.#begun.splice(0)) this.#followTurn({ ...turn, isNamed: false }, 0)
    return this.#turns.read(maxBytes, this.#cursor)
  }

  get #cursor (): string {
    return `${this.feed.epoch}.${numberToCursor(this.#position ?? 0)}`
  }

  #readChanges (maxBytes: number): Buffer[] {
    const { changes } = this.feed
    const position = this.#position
    const entries = position === null ? null : changes.after(position)
    if (position === null || entries === null) {
      this.#position = changes.lastSeq
      return [encodeFrame(this.#frames.snapshot(), this.#cursor + this.#turns.cursor)]
    }
    const last = new Map(entries.map((change, index) => [keyOf(change, index), index]))
    const chunks: Buffer[] = []
    let bytes = 0
    for (const [index, entry] of entries.entries()) {
      if (bytes >= maxBytes) break
      this.#position = position + index + 1
      // Superseded: the last change of the same thing sends its state.
      if (last.get(keyOf(entry, index)) !== index) continue
      const chunk = encodeFrame(this.#frames.of(entry), this.#cursor + this.#turns.cursor)
      chunks.push(chunk)
      bytes += chunk.length
    }
    return chunks
  }
}

function sizeOf (chunks: Buffer[]): number {
  let bytes = 0
  for (const chunk of chunks) bytes += chunk.length
  return bytes
}

/** Returns the same key for changes of the same thing. */
function keyOf (change: Change, index: number): string {
  switch (change.kind) {
    case 'session': return `session ${change.id}`
    case 'prompts': return `${change.of} ${change.id}`
    case 'profile': return `profile ${change.id}`
    case 'home':
    case 'counts': return `${change.kind} ${change.id}`
    case 'memory': return `memory ${change.profile} ${change.section}`
    case 'notice': return `notice ${index}`
    default: return change.kind
  }
}

const noSession = async (): Promise<never> => { throw new NotFound('Session not found') }
