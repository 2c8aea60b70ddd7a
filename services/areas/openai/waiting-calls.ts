import { type CallResult, type Chat } from '../chat/index.js'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { Conflict } from '../../ground/errors.js'
import { type Sessions } from '../sessions/index.js'
import { type ConversationInput } from './conversation-input.js'
import { idOfCall, turnOfCall } from './calls.js'
import { RequestRefused } from './failures.js'
import { type ResponseTurns } from './response-turns.js'

export interface WaitingCallsOptions {
  chat: Pick<Chat, 'latestStreams' | 'handedOut'>
  sessions: Pick<Sessions, 'get'>
  clock: Clock
}

/** How long a client may take to answer its calls; after that, the conversation counts as abandoned. */
const callsWaitHours = 24

/** Calls that turns have handed out to their clients, and that wait for results. */
export function createWaitingCalls ({ chat, sessions, clock, turns }: WaitingCallsOptions & { turns: ResponseTurns }) {
  const isInTime = (atS: number): boolean => atS + callsWaitHours * 3_600 >= epochSeconds(clock)

  return {
    /**
     * Returns the waiting calls of a session with the client's results. Throws RequestRefused if a result is missing or belongs to no
     * waiting call, and Conflict if the calls have waited too long.
     */
    resultsIn (sessionId: string, { outputs, path }: ConversationInput): CallResult[] {
      const [latest] = chat.latestStreams(sessionId, 1)
      const none = { calls: [], position: -1, atS: 0 }
      const waiting = latest === undefined ? none : chat.handedOut(latest.streamId)
      // A person may have removed the end of the conversation.
      const { calls, position, atS } = waiting.position < sessions.get(sessionId).messageCount ? waiting : none
      const given = new Map(outputs.map(({ callId, text }) => [callId, text]))
      const results = calls.map((call, index) => {
        const id = idOfCall(latest?.streamId ?? '', index)
        const text = given.get(id)
        if (text === undefined) throw new RequestRefused(`No tool output found for function call ${id}.`, path)
        given.delete(id)
        return { call, position, text }
      })
      const [unknown] = given.keys()
      if (unknown !== undefined) throw noneWaits(unknown, 'in this conversation', path)
      if (results.length > 0 && !isInTime(atS)) {
        throw new Conflict(`These calls have waited for their results for more than ${callsWaitHours} hours. Start a new conversation`)
      }
      return results
    },

    /** Throws Conflict if the calls of these results have received results meanwhile, or the conversation has continued. */
    assertWaiting (sessionId: string, results: readonly CallResult[]): void {
      const [latest] = chat.latestStreams(sessionId, 1)
      const waiting = results.length === 0 || latest === undefined ? null : chat.handedOut(latest.streamId)
      if (waiting !== null && waiting.calls.length !== results.length) throw new Conflict('These calls have their results already')
      if (waiting !== null && waiting.position !== results[0]?.position) throw new Conflict('The conversation has continued since these calls')
    },

    /**
     * Returns the id of the session whose calls have these results. Returns undefined if it is unknown, has continued since, or its calls
     * have waited too long, and `before` can begin a new session; without `before`, throws Conflict if it has continued.
     */
    sessionOf ({ outputs, before }: ConversationInput): string | undefined {
      const { streamId } = turnOfCall(outputs[0]?.callId ?? '') ?? {}
      const turn = streamId === undefined ? undefined : turns.withStream(streamId)
      if (turn === undefined) return undefined
      const { calls, atS } = chat.handedOut(turn.streamId)
      const isWaiting = turns.isLatest(turn) && calls.length > 0
      if ((isWaiting && isInTime(atS)) || before.length === 0) {
        if (isWaiting) return turn.sessionId
        throw new Conflict('The conversation has continued since these calls were made. Start a new conversation')
      }
      return undefined
    }
  }
}

/** @param where the conversation in which a call with this id would have to wait */
export const noneWaits = (callId: string, where: string, path: string): RequestRefused =>
  new RequestRefused(`No call with the id ${JSON.stringify(callId.slice(0, 100))} waits for a result ${where}.`, path)
