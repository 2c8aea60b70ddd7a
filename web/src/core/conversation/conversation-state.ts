import { type Wire } from '../service/api.js'
import { type Attachment } from '../turn/turn.js'

/** The session as the service last told it, without its messages. */
export type SessionFacts = Omit<Wire<'SessionDetail'>, 'messages' | 'tool_calls'>

/** `new`: there is no session yet. */
export type OpenState = 'new' | 'loading' | 'ready' | 'failed'

/** What the box can do: send; wait until a message is stored; add to the turn that runs, or stop it; wait until that has stopped. */
export type Mode = 'idle' | 'sending' | 'running' | 'stopping'

/** Why the agent did not take a note, as the service says it. */
export type SteerRefusal = 'no_cached_agent' | 'agent_lacks_steer' | 'not_running' | 'stream_dead' | 'steer_error'

/** Something that the person is to be told beside the box. The words for codes are the view's; `failed` brings its own. */
export type Notice =
  | { code: 'failed', message: string }
  | { code: 'steer-refused', reason: SteerRefusal }
  /** A note did not reach the agent any more; it is back in the box. */
  | { code: 'leftover' }
  /** A turn runs here that this window did not know of; the text is still in the box. */
  | { code: 'already-running' }
  /** It was ending when it was to be stopped. */
  | { code: 'ending-already' }

/** What others have to do something about. */
export type ConversationEvent =
  /** An empty page has become a session. */
  | { type: 'created', sessionId: string }
  /** What the agent never took of a note goes back to the box. */
  | { type: 'leftover', text: string }
  /** The session is free for the next message. */
  | { type: 'ended', state: 'completed' | 'cancelled' | 'failed' }
  /** A call has ended: files may be others now. */
  | { type: 'work' }
  | { type: 'background', taskId: string }
  /** The session is gone. */
  | { type: 'gone' }

/** The model that one message is for; `keep`: it becomes the session's. */
export interface ModelPick { model: string, provider?: string, keep?: boolean }

export interface Outgoing { text: string, attachments?: readonly Attachment[], pick?: ModelPick }

/** What a session is made with. */
export interface NewSession {
  workspace?: string
  model?: string
  model_provider?: string
  profile?: string
  project_id?: string
  worktree?: boolean
}

const refusals: readonly SteerRefusal[] = ['no_cached_agent', 'agent_lacks_steer', 'not_running', 'stream_dead', 'steer_error']

export const refusalOf = (fallback: string | null): SteerRefusal =>
  refusals.find((refusal) => refusal === fallback) ?? 'steer_error'

/** The list of things to do, of a session that says it in the shape it has now. */
export function todosOf (state: Readonly<Record<string, unknown>> | null): Wire<'TodoState'> | null {
  return state !== null && Array.isArray(state.todos) && typeof state.summary === 'object' ? state as unknown as Wire<'TodoState'> : null
}

export function factsOf ({ messages, tool_calls: cards, ...facts }: Wire<'SessionDetail'>): SessionFacts {
  return facts
}

/** Reasons for which a session is another one although neither its messages nor its place in the order have changed. */
export const wholeChanges: ReadonlySet<string> = new Set([
  'session_delete', 'session_rename', 'session_title', 'session_move', 'session_pin', 'session_archive', 'session_update',
  'session_compressed'
])
