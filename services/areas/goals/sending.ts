import { type StartedTurn, type StartInput } from '../chat/index.js'
import { Conflict } from '../../ground/errors.js'
import { type GoalPursuit, type PursuitOptions } from './pursuit.js'
import { isContinuation } from './wording.js'

export interface GoalSendingOptions extends Pick<PursuitOptions, 'sessions' | 'chat'> {
  pursuit: GoalPursuit
}

/**
 * Sends a person's message. The exact message that continues the goal is a turn of the goal, whoever sends it, and is sent only once:
 * clients that were told to continue send it, and if the service was faster, they get the turn that it has begun.
 */
export async function sendMessage ({ pursuit, sessions, chat }: GoalSendingOptions, input: StartInput): Promise<StartedTurn> {
  const { sessionId, message } = input
  const running = await chat.already(sessionId, message, 'goal')
  if (running !== null) return running
  const continuation = pursuit.current(sessionId)?.continuation ?? null
  // Clients send it in the form in which it was shown to them.
  if (continuation !== null && (continuation === message || sessions.shown(continuation) === message)) {
    const next = { ...input, message: continuation }
    return await pursuit.sendContinuation(continuation, next, { attended: true }).catch(async (error: unknown) => {
      const faster = error instanceof Conflict ? await chat.already(sessionId, message, 'goal') : null
      if (faster === null) throw error
      return faster
    })
  }
  const begun = isContinuation(message) ? chat.begunWith(sessionId, 'goal', message) : undefined
  return begun === undefined
    ? await chat.start(input)
    : { ...begun, sessionId, title: sessions.shown(sessions.get(sessionId).title), model: null }
}
