import { type ReadonlySignal } from '@preact/signals-core'
import { type Wire } from './api.js'

/** A frame of `GET /api/events`. */
export type FeedFrame = Wire<'FeedEvent'>
/** A frame of a turn, as its own stream has it. */
export type TurnFrame = Wire<'ChatEvent'>

/** `lost`: it is tried again by itself. `refused`: nobody is signed in any more. */
export type LinkState = 'connecting' | 'open' | 'lost' | 'refused'

export interface TurnListener {
  /** Frames come in order and each once; `seq` counts from 1 without a hole. The last one is terminal (see `isTerminal`). */
  onTurn: (streamId: string, seq: number, frame: TurnFrame) => void
  /** The service does not know this stream (any more). */
  onUnknown?: (streamId: string) => void
}

export interface SessionListener extends TurnListener {
  /** What its own stream (`GET /api/session/stream`) would say: `initial`, `server_turn_started`, `session-updated`, `bg_task_complete`. */
  onConversation: (event: string, data: Record<string, unknown>) => void
}

/** What a window has of the one connection that all windows of a browser share. Everything that is asked for outlives lost connections. */
export interface Link {
  readonly state: ReadonlySignal<LinkState>
  /** Everything that is not of one session, turn or folder. A `snapshot` replaces all that was known; it comes first, and again after a gap that could not be closed. */
  onFrame: (listener: (frame: FeedFrame) => void) => () => void
  /** A session that is looked at: its news, and all frames of the turn that runs, from the first on, and of those that begin meanwhile. */
  watchSession: (sessionId: string, listener: SessionListener) => () => void
  /** One turn, wherever it runs, from behind `afterSeq`. */
  followTurn: (streamId: string, afterSeq: number, listener: TurnListener) => () => void
  /** A folder that is looked at: `initial`, then `workspace_changed`. */
  watchFolder: (sessionId: string, path: string, listener: (event: string, data: Record<string, unknown>) => void) => () => void
  /** Tries at once instead of in a while. */
  retry: () => void
}

const terminal: ReadonlySet<string> = new Set(['stream_end', 'cancel', 'apperror', 'error'])

/** Whether nothing comes after this frame of a turn. */
export const isTerminal = (event: string): boolean => terminal.has(event)
