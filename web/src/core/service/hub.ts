import { Connection, type HubFrame } from './connection.js'
import { isTerminal, type LinkState } from './feed-frames.js'
import { FrameGathering } from './frame-gathering.js'

/** What a window subscribes to beyond the common frames. */
export interface Wants {
  sessions: string[]
  /** The seq of the last known frame of each turn. */
  turns: Array<[streamId: string, afterSeq: number]>
  folders: Array<[sessionId: string, path: string]>
}

/** `frames`: those that came together, in order. */
export type ToWindow = { state: LinkState } | { frames: HubFrame[] }

/** A window's controls for the hub. `want` replaces all earlier subscriptions. */
export interface Membership { want: (wants: Wants) => void, retry: () => void, leave: () => void }

export interface HubOptions {
  origin?: string
  silentMs?: number
  retriesMs?: readonly number[]
}

interface Member { wants: Wants, tell: (message: ToWindow) => void, frames: FrameGathering }
interface TurnData { session_id: string, stream_id: string, id: string, event: string, data: unknown }

/** Subscriptions that change within this time are sent in one request. */
const gatherMs = 5
const nothing: Wants = { sessions: [], turns: [], folders: [] }
/** How many turns, sessions and folders a connection has at most. */
const most = { turns: 100, sessions: 20, folders: 20 }

/**
 * The one connection of a browser to `GET /api/events`, shared by all its windows. It subscribes to everything that any window wants, and
 * reconnects when that grows. Turns continue after their last frame, so frames arrive twice only for the sake of a window that joined
 * later; other windows skip those that they have.
 */
export class Hub {
  readonly #members = new Set<Member>()
  readonly #options: HubOptions
  #connection: Connection | null = null
  #state: LinkState = 'connecting'
  /** The cursor of the last frame; empty before the first, and to request a snapshot. */
  #cursor = ''
  /** The turns in progress, with their last seq. */
  readonly #turns = new Map<string, { sessionId: string, seq: number }>()
  /** The latest turns whose end the cursor may contain: a connection that continues at it says nothing more about them. */
  readonly #over = new Set<string>()
  #failures = 0
  #isResting = false
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor (options: HubOptions = {}) {
    this.#options = options
  }

  /**
   * Adds a window. It gets all frames from now on, a snapshot first; if the first window already has a snapshot, it gets the frames after
   * its cursor.
   */
  join (tell: (message: ToWindow) => void, cursor = ''): Membership {
    const member: Member = { wants: nothing, tell, frames: new FrameGathering((frames) => tell({ frames })) }
    const isFirst = this.#members.size === 0
    this.#members.add(member)
    tell({ state: this.#state })
    // Earlier windows got their snapshot before this one joined, so a new one is requested.
    this.#beginAnew()
    if (isFirst) this.#cursor = cursor
    this.#reconnectSoon()
    return {
      want: (wants) => {
        const gains = gained(member.wants, wants)
        member.wants = wants
        if (gains.sessions.length + gains.turns.length + gains.folders.length === 0) return
        // A turn of a new session is needed from its first frame, even if other windows already have its frames.
        for (const turn of this.#turns.values()) if (gains.sessions.includes(turn.sessionId)) this.#goBack(turn, 0)
        for (const [streamId, afterSeq] of gains.turns) {
          if (this.#over.has(streamId)) this.#beginAnew()
          else this.#goBack(this.#turns.get(streamId), afterSeq)
        }
        this.#reconnectSoon()
      },
      retry: () => {
        this.#failures = 0
        this.#reconnectSoon()
      },
      leave: () => {
        this.#members.delete(member)
        member.frames.drop()
        if (this.#members.size === 0) this.#stop()
      }
    }
  }

  /** Pauses or resumes the connection. For a hub that belongs to one window. */
  rest (isResting: boolean): void {
    this.#isResting = isResting
    if (!isResting) return this.#reconnectSoon()
    clearTimeout(this.#timer)
    this.#connection?.close()
    this.#connection = null
  }

  /** Ends the connection when the last window has left. */
  #stop (): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#connection?.close()
    this.#connection = null
    this.#turns.clear()
    this.#over.clear()
    this.#cursor = ''
    this.#state = 'connecting'
  }

  /**
   * Prepares a reconnection that brings a snapshot and continues each turn at its last known place. The old connection is closed first,
   * because its frames would move those places.
   */
  #beginAnew (): void {
    this.#connection?.close()
    this.#connection = null
    this.#cursor = ''
    this.#over.clear()
  }

  #reconnectSoon (delayMs = gatherMs): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#connect(), delayMs)
  }

  #connect (): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#members.size === 0 || this.#isResting) return
    this.#connection?.close()
    const cursor = this.#cursor === '' ? '' : `&after_event_id=${encodeURIComponent(this.#cursor)}`
    const connection = new Connection({
      url: `${this.#options.origin ?? ''}/api/events?${this.#query()}${this.#positions()}${cursor}`,
      ...(this.#options.silentMs === undefined ? {} : { silentMs: this.#options.silentMs }),
      onOpen: () => {
        this.#failures = 0
        this.#is('open')
      },
      onFrame: (id, frame) => { if (this.#connection === connection) this.#hear(id, frame) },
      onEnd: (status) => { if (this.#connection === connection) this.#lose(status) }
    })
    this.#connection = connection
  }

  #lose (status: number): void {
    this.#connection = null
    const retriesMs = this.#options.retriesMs ?? [300, 1_000, 2_000, 5_000]
    // A rejected cursor is useless; a snapshot brings what is missing.
    if (status === 400) this.#cursor = ''
    this.#is(status === 401 ? 'refused' : 'lost')
    this.#reconnectSoon(retriesMs[Math.min(this.#failures++, retriesMs.length - 1)])
  }

  #is (state: LinkState): void {
    if (this.#state === state) return
    this.#state = state
    for (const { frames, tell } of this.#members) {
      frames.flush()
      tell({ state })
    }
  }

  #hear (id: string | null, { event, data: told }: HubFrame): void {
    if (id !== null) this.#cursor = id
    const data = told as TurnData
    if (event === 'turn') {
      const { stream_id: streamId, session_id: sessionId } = data
      const known = this.#turns.get(streamId)
      const seq = Number(data.id.slice(data.id.lastIndexOf(':') + 1))
      if (isTerminal(data.event)) this.#end(streamId)
      else if (known === undefined) this.#turns.set(streamId, { sessionId, seq })
      else known.seq = Math.max(known.seq, seq)
    } else if (event === 'turn_unknown') this.#end(data.stream_id)
    for (const { frames } of this.#members) frames.add({ event, data })
  }

  /** Forgets a turn that is over. */
  #end (streamId: string): void {
    this.#turns.delete(streamId)
    this.#over.add(streamId)
    for (const oldest of this.#over) if (this.#over.size > most.turns) this.#over.delete(oldest)
    for (const member of this.#members) member.wants = { ...member.wants, turns: member.wants.turns.filter(([id]) => id !== streamId) }
  }

  /** Sets a turn back to an earlier place. The cursor contains how far each turn was read, so the connection has to start without one. */
  #goBack (turn: { seq: number } | undefined, seq: number): void {
    if (turn === undefined || turn.seq <= seq) return
    turn.seq = seq
    this.#beginAnew()
  }

  #query (): string {
    const query = new URLSearchParams()
    for (const id of this.#all(({ sessions }) => sessions, most.sessions)) query.append('session', id)
    for (const folder of this.#all(({ folders }) =>
      folders.map(([sessionId, path]) => `${sessionId}:${path}`), most.folders)) query.append('folder', folder)
    return query.toString()
  }

  /** Returns the query of turns, each from its last known place. */
  #positions (): string {
    const sessions = new Set(this.#all(({ sessions }) => sessions, most.sessions))
    const wanted = new Map<string, number>()
    for (const { wants } of this.#members) {
      for (const [streamId, afterSeq] of wants.turns) {
        wanted.set(
          streamId, Math.min(wanted.get(streamId) ?? Infinity, this.#turns.get(streamId)?.seq ?? afterSeq)
        )
      }
    }
    for (const [streamId, { sessionId, seq }] of this.#turns) {
      if (wanted.has(streamId)) continue
      if (sessions.has(sessionId)) wanted.set(streamId, seq)
      else this.#turns.delete(streamId)
    }
    const names = [...wanted].slice(-most.turns).map(([streamId, seq]) => seq === 0 ? streamId : `${streamId}:${seq}`)
    return names.map((name) => `&follow=${encodeURIComponent(name)}`).join('')
  }

  #all (of: (wants: Wants) => string[], limit: number): string[] {
    return [...new Set([...this.#members].flatMap(({ wants }) => of(wants)))].slice(-limit)
  }
}

/** Returns the subscriptions that are new. */
function gained (before: Wants, now: Wants): Wants {
  const known = new Set([
    ...before.sessions, ...before.turns.map(([streamId]) => `turn ${streamId}`), ...before.folders.map((folder) => folder.join(':'))
  ])
  return {
    sessions: now.sessions.filter((id) => !known.has(id)),
    turns: now.turns.filter(([streamId]) => !known.has(`turn ${streamId}`)),
    folders: now.folders.filter((folder) => !known.has(folder.join(':')))
  }
}
