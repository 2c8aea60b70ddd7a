import { type Recognise } from '../chat/index.js'
import { ofGoal, type GoalPursuit, type PursuitOptions } from './pursuit.js'
import { isContinuation } from './wording.js'

export interface RecognisingOptions extends Pick<PursuitOptions, 'sessions' | 'chat'> {
  pursuit: GoalPursuit
}

/**
 * Recognises the messages of goals. The exact message that continues a goal begins a turn of the goal, whoever sends it and however: by a
 * request, by the queue, by a program. It is sent only once: clients that were told to continue send it, and if the service was faster,
 * they get the turn that it has begun.
 */
export function createRecognising ({ pursuit, sessions, chat }: RecognisingOptions): Recognise {
  return async ({ sessionId, message }) => {
    const running = await chat.already(sessionId, message, 'goal')
    if (running !== null) return { begun: running }
    const continuation = pursuit.current(sessionId)?.continuation ?? null
    if (continuation !== null && (continuation === message || sessions.shown(continuation) === message)) {
      return { ...ofGoal, message: continuation, alongside: () => pursuit.continued(sessionId, continuation) }
    }
    const begun = isContinuation(message) ? chat.begunWith(sessionId, 'goal', message) : undefined
    return begun === undefined
      ? null
      : { begun: { ...begun, sessionId, title: sessions.shown(sessions.get(sessionId).title), model: null } }
  }
}
