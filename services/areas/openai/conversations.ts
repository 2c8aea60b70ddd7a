import { provisionalTitle, type Chat } from '../chat/index.js'
import { epochSeconds, type Clock } from '../../ground/clock.js'
import { Conflict, NotFound } from '../../ground/errors.js'
import { remoteFolder } from '../../ground/location.js'
import { type Workers } from '../../ground/workers/index.js'
import { type ModelCatalog } from '../models/index.js'
import { readImportBody, type NewSession, type SessionRow, type Sessions } from '../sessions/index.js'
import { noSuchModel } from './answer.js'
import { type AnswerWanted, type Asked } from './asked.js'
import { Continuations } from './continuations.js'

export interface ConversationsOptions {
  chat: Pick<Chat, 'isLive' | 'latestStreams' | 'streamStatus'>
  models: Pick<ModelCatalog, 'isThere'>
  sessions: Pick<Sessions, 'get' | 'create' | 'bringIn' | 'remove'>
  clock: Clock
  defaultWorkspace: () => string
  workers: Workers
}

/** A provider's own name for its answers; the streams of turns are named otherwise. */
const responsePrefix = 'resp_'

/** Returns the id of the response that a turn with this stream gives. */
export const responseId = (streamId: string): string => `${responsePrefix}${streamId}`

/** The sessions that clients of OpenAI's interface speak in. */
export function createConversations ({ chat, models, sessions, clock, defaultWorkspace, workers }: ConversationsOptions) {
  const continuations = new Continuations()

  /** A new one, which begins with what was said before. */
  async function open (asked: Asked, input: NewSession): Promise<SessionRow> {
    if (asked.before.length === 0) return await sessions.create(input)
    const messages = asked.before.map(({ role, text }) => ({ role, content: text }))
    const { pieces } = await readImportBody({ bytes: Buffer.from(JSON.stringify({ messages })), nowS: epochSeconds(clock) }, workers)
    const title = provisionalTitle(messages.find(({ role }) => role === 'user')?.content ?? asked.message)
    return await sessions.bringIn({ ...input, title, pinned: false }, pieces, () => {})
  }

  const found = (id: string): SessionRow | undefined => unlessMissing(() => sessions.get(id))

  /** The turn that gives a response, and its session. Throws NotFound. */
  function turnOf (id: string): { streamId: string, sessionId: string } {
    const streamId = id.startsWith(responsePrefix) ? id.slice(responsePrefix.length) : ''
    const status = /^[0-9a-f]{32}$/.test(streamId) ? unlessMissing(() => chat.streamStatus(streamId)) : undefined
    if (status === undefined || found(status.sessionId) === undefined) throw new NotFound(`Response not found: ${id.slice(0, 80)}`)
    return { streamId, sessionId: status.sessionId }
  }

  return {
    /** Returns the session to speak in: the one that is named, one that the context belongs to, or a new one. Throws NotFound. */
    async find ({ asked, client, sessionId, profile, model }: AnswerWanted): Promise<{ session: SessionRow, isNew: boolean }> {
      if (sessionId !== null) return { session: sessions.get(sessionId), isNew: false }
      const known = continuations.take(client, asked)
      if (known !== null) {
        const row = found(known.sessionId)
        // Somebody has gone on with it in the app, or is about to: then it is not what this client means.
        const isAsItWas = row?.messageCount === known.messageCount && row.profile === profile && !chat.isLive(row.id)
        if (isAsItWas) return { session: row, isNew: false }
      }
      return { session: await open(asked, { profile, workspace: defaultWorkspace(), ...(model === null ? {} : { model }) }), isNew: true }
    },

    /** Throws NoAnswer for a model that nobody has. */
    async assertModel ({ profile, model, sessionId }: AnswerWanted): Promise<void> {
      if (model === null) return
      const row = sessionId === null ? undefined : found(sessionId)
      // A machine that has joined has models of its own.
      const isOthers = row !== undefined && (row.model === model || remoteFolder(row.workspace) !== null)
      if (!isOthers && !await models.isThere(profile, model)) throw noSuchModel(model)
    },

    /** Remembers an answer, by which a later request of the client finds the session again. */
    keep ({ client, asked }: AnswerWanted, answer: string, sessionId: string): void {
      continuations.keep(client, asked, answer, { sessionId, messageCount: sessions.get(sessionId).messageCount })
    },

    turnOf,

    /** Returns the id of the session that a response belongs to. Throws NotFound, and Conflict when the session has gone on since. */
    ofResponse (id: string): string {
      const { streamId, ...status } = turnOf(id)
      if (chat.latestStreams(status.sessionId, 1)[0]?.streamId !== streamId) {
        throw new Conflict('The conversation has continued since that response. Use its latest response, or begin a new conversation')
      }
      return status.sessionId
    }
  }
}

function unlessMissing<T> (read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof NotFound) return undefined
    throw error
  }
}
