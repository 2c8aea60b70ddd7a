import { type Wire } from '../service/api.js'
import { type Attachment } from '../turn/turn.js'

/** The session as the service last reported it, without its messages. */
export type SessionFacts = Omit<Wire<'SessionDetail'>, 'messages' | 'tool_calls'>

/** `new`: there is no session yet. */
export type OpenState = 'new' | 'loading' | 'ready' | 'failed'

/** What the box can do: send; wait until a message is stored; add to the running turn or stop it; wait until the turn has stopped. */
export type Mode = 'idle' | 'sending' | 'running' | 'stopping'

/** Why the agent did not take a note, in the service's terms. */
export type SteerRefusal = 'no_cached_agent' | 'agent_lacks_steer' | 'not_running' | 'stream_dead' | 'steer_error'

/** A message for the person beside the box. The view has the words for the codes; `failed` brings its own. */
export type Notice =
  | { code: 'failed', message: string }
  | { code: 'steer-refused', reason: SteerRefusal }
  /** A note did not reach the agent in time; it is back in the box. */
  | { code: 'leftover' }
  /** A turn runs that this window did not know of; the text is still in the box. */
  | { code: 'already-running' }
  /** The turn was already ending when the person stopped it. */
  | { code: 'ending-already' }

/** Events that other parts act on. */
export type ConversationEvent =
  /** An empty page has become a session. */
  | { type: 'created', sessionId: string }
  /** The unread part of a note goes back to the box. */
  | { type: 'leftover', text: string }
  /** The session is free for the next message. */
  | { type: 'ended', state: 'completed' | 'cancelled' | 'failed' }
  /** A tool call has ended, so files may have changed. */
  | { type: 'work' }
  | { type: 'background', taskId: string }
  /** Queued messages were added, changed or removed, or the queue was held or resumed. */
  | { type: 'queue' }
  /** The session no longer exists. */
  | { type: 'gone' }

/** The model for one message; `keep`: also for the rest of the session. */
export interface ModelPick { model: string, provider?: string, keep?: boolean }

export interface Outgoing { text: string, attachments?: readonly Attachment[], pick?: ModelPick | undefined }

/** The settings of a new session. */
export interface NewSession {
  workspace?: string
  model?: string
  model_provider?: string
  profile?: string
  project_id?: string
  worktree?: boolean
  temporary?: boolean
}

const refusals: readonly SteerRefusal[] = ['no_cached_agent', 'agent_lacks_steer', 'not_running', 'stream_dead', 'steer_error']

export const refusalOf = (fallback: string | null): SteerRefusal =>
  refusals.find((refusal) => refusal === fallback) ?? 'steer_error'

/** Returns the to-do list of a session; null if it has none in the current shape. */
export function todosOf (state: Readonly<Record<string, unknown>> | null): Wire<'TodoState'> | null {
  return state !== null && Array.isArray(state.todos) && typeof state.summary === 'object' ? state as unknown as Wire<'TodoState'> : null
}

export function factsOf ({ messages, tool_calls: cards, ...facts }: Wire<'SessionDetail'>): SessionFacts {
  return facts
}

/** Reasons that change a session although its messages and its position stay the same. */
export const wholeChanges: ReadonlySet<string> = new Set([
  'session_delete', 'session_rename', 'session_title', 'session_move', 'session_pin', 'session_archive', 'session_update', 'session_mode',
  'session_compressed'
])
