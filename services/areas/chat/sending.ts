import { type UnacceptedCommand } from '../../agent/protocol.js'
import { Conflict, Invalid, NotFound } from '../../ground/errors.js'
import { type SessionRow, type Sessions } from '../sessions/index.js'
import { type OpenInput, type StartedTurn, type TurnStarts } from './starting.js'
import { chatPlan, type TurnInput, type TurnPlan } from './turn-plan.js'

/** A review, results of checks, or a request to fix a pull request, as the service words it for the agent: apps show it in short. */
type MessageSource = 'review' | 'checks' | 'pull_request'

/** A message in a conversation: a person's, or one that stands for one. */
export interface MessageInput extends TurnInput {
  sessionId: string
  /** The profile the client believes the session to be in. */
  profile?: string
  workspace?: string
  /** Sets the session's mode from now on; absent: unchanged. */
  mode?: SessionRow['mode']
  /** What has put the message together; absent: it was typed. */
  source?: MessageSource | undefined
  /** The user picked this model for the session, not just for this turn. */
  explicitModelPick: boolean
  accepted?: OpenInput['accepted']
}

/** What is special about a message and its turn. */
export interface Sending extends Partial<Pick<OpenInput, 'fields' | 'alongside' | 'waits' | 'results' | 'goesOn'>> {
  /** How the plan differs from that of a person's message. */
  plan?: Partial<TurnPlan>
  /** The area that sends the message has read or worded it: it is no command, and belongs to no other area. */
  isPlain?: true
  /** A program sends the message: it is no command, and gets a turn of its own, even if it has begun one before. */
  isProgram?: true
}

/** `isNew`: false if the message had begun this turn before, so that nothing was stored. */
export type SentMessage = StartedTurn & { isNew: boolean }

/** What a message is to the area that recognises it; `fields`, `plan` and `alongside` as in {@link Sending}. */
export interface Recognised extends Required<Pick<Sending, 'plan' | 'fields' | 'alongside'>> {
  /** The text that is stored: clients send it in the form in which it was shown to them. */
  message: string
}

/**
 * Recognises messages that belong to an area. Returns `begun` for one that is sent once and has begun a turn before; null for one that
 * belongs to nobody. `alongside` of the other throws {@link Outdated} if the message no longer belongs to the area.
 */
export type Recognise = (message: { sessionId: string, message: string }) => Promise<Recognised | { begun: StartedTurn } | null>

/** The area that has recognised a message has changed before the message was stored. */
export class Outdated extends Conflict {}

export interface SendOptions {
  sessions: Sessions
  starts: TurnStarts
  /**
   * Returns what the model reads instead of a message that is a command; null for any other message. `started` is called once a turn is
   * accepted.
   */
  expand: (session: SessionRow, message: string) => Promise<{ text: string, started: () => void, unaccepted?: UnacceptedCommand } | null>
  /** Throws Forbidden for read-only sessions. */
  assertSpeakable: (sessionId: string) => void
  /** Throws Conflict if another program continues the same conversation, and something it wrote comes first. */
  ready: (sessionId: string) => Promise<void>
  recognise: Recognise
}

/**
 * Returns the door for messages. It throws NotFound, Forbidden, Invalid, Unavailable (`restarting`), or Conflict, with `active_stream_id`
 * if a turn is running.
 */
export function createSend ({ sessions, starts, expand, assertSpeakable, ready, recognise }: SendOptions) {
  return async function send (given: MessageInput, how: Sending = {}): Promise<SentMessage> {
    const { sessionId: id, profile, message, workspace } = given
    const { isPlain, isProgram, plan, fields, alongside, ...opening } = how
    const session = sessions.get(id)
    if (profile !== undefined && profile !== session.profile) throw new NotFound('Session not found')
    const hasResults = how.goesOn === true || (how.results ?? []).length > 0
    if (message.trim() === '' && !hasResults) throw new Invalid('message is required')
    const found = isPlain === true ? null : await recognise(given)
    const begun = turnOf(found, how)
    if (begun !== null) return begun
    const owned = found === null || 'begun' in found ? null : found
    const command = owned === null && isPlain !== true && isProgram !== true && message.startsWith('/')
      ? await expand(workspace === undefined ? session : { ...session, workspace }, message)
      : null
    assertSpeakable(id)
    await ready(id)
    const input: MessageInput = {
      ...given,
      ...owned !== null && { message: owned.message },
      ...command !== null && { expanded: command.text, unaccepted: command.unaccepted }
    }
    try {
      const opened = await starts.open({
        ...opening,
        session: () => inSession(sessions, input),
        input,
        plan: () => ({ ...chatPlan(id, input), ...owned?.plan, ...plan }),
        accepted: input.accepted,
        fields: { ...input.source !== undefined && { _source: input.source }, ...owned?.fields, ...fields },
        alongside (turn) {
          alongside?.(turn)
          owned?.alongside(turn)
        }
      })
      command?.started()
      return { ...await starts.answer(opened), isNew: true }
    } catch (error) {
      if (owned === null || !(error instanceof Conflict)) throw error
      // Another device has sent the same message.
      const faster = turnOf(await recognise(given), how)
      if (faster !== null) return faster
      if (error instanceof Outdated) return await send(given, how)
      throw error
    }
  }
}

/** Returns the turn that answers a message which has begun it before; null if the message begins one. */
const turnOf = (found: Awaited<ReturnType<Recognise>>, { isProgram }: Sending): SentMessage | null =>
  found !== null && 'begun' in found && isProgram !== true ? { ...found.begun, isNew: false } : null

/** Changes the session as the message wants, inside the transaction that stores the message. Throws NotFound. */
function inSession (
  sessions: Sessions, { sessionId: id, workspace, model, modelProvider, mode, explicitModelPick }: MessageInput
): SessionRow {
  // The session may have been deleted since it was looked up.
  sessions.get(id)
  if (workspace !== undefined) sessions.rows.setWorkspace(id, workspace)
  if (model !== undefined && explicitModelPick) sessions.rows.setModel(id, model, modelProvider ?? null)
  if (mode !== undefined) sessions.rows.set(id, { mode })
  return sessions.get(id)
}
