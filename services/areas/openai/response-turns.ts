import { type Chat } from '../chat/index.js'
import { Conflict, NotFound } from '../../ground/errors.js'
import { type SessionRow, type Sessions } from '../sessions/index.js'

export interface ResponseTurnsOptions {
  chat: Pick<Chat, 'latestStreams' | 'streamStatus'>
  sessions: Pick<Sessions, 'get'>
}

export interface ResponseTurn { streamId: string, sessionId: string }

/** The prefix of OpenAI's response ids; ids of streams do not have it. */
const responsePrefix = 'resp_'

/** Returns the id of the response that a turn with this stream gives. */
export const responseId = (streamId: string): string => `${responsePrefix}${streamId}`

/** Finds the turns and sessions that clients name by the ids of responses. */
export function createResponseTurns ({ chat, sessions }: ResponseTurnsOptions) {
  const session = (id: string): SessionRow | undefined => unlessMissing(() => sessions.get(id))

  /** Returns the turn of a stream; undefined if it, or its session, is gone. */
  function withStream (streamId: string): ResponseTurn | undefined {
    const status = unlessMissing(() => chat.streamStatus(streamId))
    return status === undefined || session(status.sessionId) === undefined ? undefined : { streamId, sessionId: status.sessionId }
  }

  /** Returns the turn that gives a response. Throws NotFound. */
  function of (id: string): ResponseTurn {
    const streamId = id.startsWith(responsePrefix) ? id.slice(responsePrefix.length) : ''
    const turn = /^[0-9a-f]{32}$/.test(streamId) ? withStream(streamId) : undefined
    if (turn === undefined) throw new NotFound(`Response not found: ${id.slice(0, 80)}`)
    return turn
  }

  const isLatest = ({ sessionId, streamId }: ResponseTurn): boolean => chat.latestStreams(sessionId, 1)[0]?.streamId === streamId

  return {
    session,
    withStream,
    of,
    isLatest,

    /** Returns the id of the session that a response belongs to. Throws NotFound, and Conflict if the session has continued since. */
    sessionOf (id: string): string {
      const turn = of(id)
      if (!isLatest(turn)) {
        throw new Conflict('The conversation has continued since that response. Use its latest response, or start a new conversation')
      }
      return turn.sessionId
    }
  }
}
export type ResponseTurns = ReturnType<typeof createResponseTurns>

function unlessMissing<T> (read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof NotFound) return undefined
    throw error
  }
}
