import { type UnacceptedCommand } from '../../agent/protocol.js'
import { Invalid, NotFound } from '../../ground/errors.js'
import { type SessionRow, type Sessions } from '../sessions/index.js'
import { type OpenInput, type StartedTurn, type TurnStarts } from './starting.js'
import { chatPlan, type TurnInput } from './turn-plan.js'

/** A review, results of checks, or a request to fix a pull request, as the service words it for the agent: apps show it in short. */
type MessageSource = 'review' | 'checks' | 'pull_request'

export interface StartInput extends TurnInput {
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

export interface StartOptions {
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
}

/**
 * Returns the function that accepts messages and starts their turns. It throws NotFound, Forbidden, Invalid, Unavailable (`restarting`),
 * or Conflict with `active_stream_id`. `how`: what is special about a turn.
 */
export function createStart ({ sessions, starts, expand, assertSpeakable, ready }: StartOptions) {
  return async (given: StartInput, how: Partial<Pick<OpenInput, 'plan' | 'fields' | 'alongside' | 'waits' | 'results' | 'goesOn'>> = {}): Promise<StartedTurn> => {
    const session = sessions.get(given.sessionId)
    const { id, profile } = session
    if (given.profile !== undefined && given.profile !== profile) throw new NotFound('Session not found')
    const isGoingOn = how.goesOn === true || (how.results ?? []).length > 0
    if (given.message.trim() === '' && !isGoingOn) throw new Invalid('message is required')
    const command = how.plan === undefined && given.message.startsWith('/')
      ? await expand(given.workspace === undefined ? session : { ...session, workspace: given.workspace }, given.message)
      : null
    assertSpeakable(id)
    await ready(id)
    const input = command === null ? given : { ...given, expanded: command.text, unaccepted: command.unaccepted }
    const begun = await starts.open({
      session: () => {
        // The session may have been deleted since it was looked up.
        sessions.get(id)
        if (input.workspace !== undefined) sessions.rows.setWorkspace(id, input.workspace)
        if (input.model !== undefined && input.explicitModelPick) sessions.rows.setModel(id, input.model, input.modelProvider ?? null)
        if (input.mode !== undefined) sessions.rows.set(id, { mode: input.mode })
        return sessions.get(id)
      },
      input,
      plan: () => chatPlan(id, input),
      accepted: input.accepted,
      ...input.source === undefined ? {} : { fields: { _source: input.source } },
      ...how
    })
    command?.started()
    return await starts.answer(begun)
  }
}
