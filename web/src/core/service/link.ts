import { signal, type ReadonlySignal } from '@preact/signals-core'
import { isTerminal, type FeedFrame, type FolderNews, type LinkState, type TurnFrame } from './feed-frames.js'
import { type HubFrame } from './connection.js'
import { type Membership, type ToWindow } from './hub.js'

export { isTerminal, type FeedFrame, type LinkState, type TurnFrame } from './feed-frames.js'

export interface TurnListener {
  /** Called with each frame once, in order; `seq` counts from 1 without gaps. The last one is terminal (see `isTerminal`). */
  onTurn: (streamId: string, seq: number, frame: TurnFrame) => void
  /** Called when the service does not know this stream, or no longer does. */
  onUnknown?: (streamId: string) => void
}

interface SessionListener extends TurnListener {
  /**
   * Called with the events of the session's own stream (`GET /api/session/stream`): `initial`, `server_turn_started`, `session-updated`,
   * `bg_task_complete`.
   */
  onConversation: (event: string, data: Record<string, unknown>) => void
  /** Called when the session does not exist, or no longer does. */
  onGone?: () => void
}

/** A window's share of the browser's one connection. Subscriptions survive lost connections. */
export interface Link {
  readonly state: ReadonlySignal<LinkState>
  /**
   * Listens to all frames that do not belong to one session, turn or folder. A `snapshot` replaces everything known; it comes first, and
   * again after a gap that could not be closed.
   */
  onFrame: (listener: (frame: FeedFrame) => void) => () => void
  /** Subscribes to a session: its events, and all frames of its running turn and of later ones. */
  watchSession: (sessionId: string, listener: SessionListener) => () => void
  /** Subscribes to one turn, from after `afterSeq`. */
  followTurn: (streamId: string, afterSeq: number, listener: TurnListener) => () => void
  /** Subscribes to a folder: `initial`, then `workspace_changed`. */
  watchFolder: (sessionId: string, path: string, listener: (news: FolderNews) => void) => () => void
  /** Reconnects at once, because the connection may be dead or the next attempt a long time away. */
  retry: () => void
}

interface Followed { seq: number, listener: TurnListener }
interface Watched { listener: SessionListener, turns: Map<string, number> }
interface LookedAt { sessionId: string, path: string, listener: (news: FolderNews) => void }

/** Creates a window's link to the hub, which may be in a worker. */
export function createLink (join: (tell: (message: ToWindow) => void) => Membership): Link {
  const state = signal<LinkState>('connecting')
  const listeners = new Set<(frame: FeedFrame) => void>()
  const followed = new Map<string, Set<Followed>>()
  const watched = new Map<string, Set<Watched>>()
  const folders = new Set<LookedAt>()
  const hub = join((message) => {
    if ('state' in message) state.value = message.state
    else for (const frame of message.frames) hearAlone(frame)
  })

  /** Hears a frame. If a listener fails, this window still hears those that came with it. */
  function hearAlone (frame: HubFrame): void {
    try {
      hear(frame)
    } catch (error) {
      queueMicrotask(() => { throw error })
    }
  }

  function hear ({ event, data }: HubFrame): void {
    const frame = { event, data } as FeedFrame
    switch (frame.event) {
      case 'turn': return hearTurn(frame.data.session_id, frame.data.stream_id, frame.data.id, {
        event: frame.data.event, data: frame.data.data
      } as TurnFrame)
      case 'turn_unknown': {
        const { stream_id: streamId } = frame.data
        for (const { listener } of followed.get(streamId) ?? []) listener.onUnknown?.(streamId)
        followed.delete(streamId)
        return
      }
      case 'conversation':
        for (const { listener } of watched.get(frame.data.session_id) ?? []) listener.onConversation(frame.data.event, frame.data.data)
        return
      case 'conversation_unknown':
        for (const { listener } of watched.get(frame.data.session_id) ?? []) listener.onGone?.()
        return
      case 'folder':
        for (const {
          sessionId, path, listener
        } of folders) if (sessionId === frame.data.session_id && path === frame.data.path) listener(frame.data)
        return
      default: for (const listener of listeners) listener(frame)
    }
  }

  function hearTurn (sessionId: string, streamId: string, id: string, frame: TurnFrame): void {
    const seq = Number(id.slice(id.lastIndexOf(':') + 1))
    for (const one of followed.get(streamId) ?? []) {
      if (seq <= one.seq) continue
      one.seq = seq
      one.listener.onTurn(streamId, seq, frame)
    }
    if (isTerminal(frame.event)) followed.delete(streamId)
    for (const { listener, turns } of watched.get(sessionId) ?? []) {
      if (seq <= (turns.get(streamId) ?? 0)) continue
      turns.set(streamId, seq)
      listener.onTurn(streamId, seq, frame)
    }
  }

  let isTelling = false
  /** Tells the hub what this window wants, once for all that changes together: one chat is closed as another is opened. */
  function want (): void {
    if (isTelling) return
    isTelling = true
    queueMicrotask(() => {
      isTelling = false
      hub.want({
        sessions: [...watched.keys()],
        turns: [...followed].map(([streamId, readers]) => [streamId, Math.min(...[...readers].map(({ seq }) => seq))]),
        folders: [...folders].map(({ sessionId, path }) => [sessionId, path])
      })
    })
  }

  return {
    state,
    onFrame (listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    watchSession: (sessionId, listener) => kept(watched, sessionId, { listener, turns: new Map() }, want),
    followTurn: (streamId, afterSeq, listener) => kept(followed, streamId, { seq: afterSeq, listener }, want),
    watchFolder (sessionId, path, listener) {
      const one = { sessionId, path, listener }
      folders.add(one)
      want()
      return () => { if (folders.delete(one)) want() }
    },
    retry: () => hub.retry()
  }
}

/** Adds a value under its key and reports it. Returns a function that removes it. */
function kept<One> (all: Map<string, Set<One>>, key: string, one: One, tell: () => void): () => void {
  all.set(key, (all.get(key) ?? new Set()).add(one))
  tell()
  return () => {
    const others = all.get(key)
    if (others?.delete(one) !== true) return
    if (others.size === 0) all.delete(key)
    tell()
  }
}
