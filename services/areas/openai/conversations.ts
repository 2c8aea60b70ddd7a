import { type CallResult, type Chat } from '../chat/index.js'
import { remoteFolder } from '../../ground/remote-folder.js'
import { type ModelCatalog } from '../models/index.js'
import { type SessionRow, type Sessions } from '../sessions/index.js'
import { noSuchModel } from './answer.js'
import { type AnswerRequest } from './conversation-input.js'
import { Continuations } from './continuations.js'
import { type InputImage } from './images.js'
import { openSession, type OpeningOptions } from './opening.js'
import { type ResponseTurns } from './response-turns.js'
import { type createWaitingCalls } from './waiting-calls.js'

export interface ConversationsOptions extends OpeningOptions {
  chat: Pick<Chat, 'isLive'>
  models: Pick<ModelCatalog, 'isThere'>
  sessions: Pick<Sessions, 'get'> & OpeningOptions['sessions']
  defaultWorkspace: () => string
}

/** The session in which an answer is given, and what of the request is still to be sent there. */
export interface Place {
  session: SessionRow
  isNew: boolean
  /** Results of the calls that wait there. */
  results: CallResult[]
  /** Images shown with the message. */
  images: readonly InputImage[]
  /** Whether the context that the session begins with ends in results of calls. */
  goesOn: boolean
}

/** The sessions of clients that use OpenAI's interface. */
export function createConversations ({
  turns, calls, ...options
}: ConversationsOptions & { turns: ResponseTurns, calls: Pick<ReturnType<typeof createWaitingCalls>, 'resultsIn'> }) {
  const { chat, models, sessions, defaultWorkspace } = options
  const continuations = new Continuations()

  return {
    /**
     * Returns where to answer: in the named session, in the one that the context belongs to, or in a new one. Throws NotFound,
     * RequestRefused, and Conflict for calls that have waited too long.
     */
    async find ({ input, client, sessionId, profile, model, isStored }: AnswerRequest): Promise<Place> {
      const known = { isNew: false, images: input.images, goesOn: false }
      if (sessionId !== null) {
        const session = sessions.get(sessionId)
        return { ...known, session, results: calls.resultsIn(session.id, input) }
      }
      const kept = isStored ? await continuations.take(client, input) : null
      if (kept !== null) {
        const row = turns.session(kept.sessionId)
        // A person has continued the conversation in the app, or a turn is live there: it is no longer what this client means.
        const isAsItWas = row?.messageCount === kept.messageCount && row.profile === profile && !chat.isLive(row.id)
        if (isAsItWas) return { ...known, session: row, results: [] }
      }
      const opened = await openSession(options, input, {
        profile, workspace: defaultWorkspace(), hidden: !isStored, ...(model === null ? {} : { model })
      })
      return { ...opened, isNew: true, results: [], goesOn: input.outputs.length > 0 }
    },

    /** Throws NoAnswer for a model that no provider lists. */
    async assertModel ({ profile, model, sessionId }: AnswerRequest): Promise<void> {
      if (model === null) return
      const row = sessionId === null ? undefined : turns.session(sessionId)
      // The models of another machine are not listed here.
      const isOthers = row !== undefined && (row.model === model || remoteFolder(row.workspace) !== null)
      if (!isOthers && !await models.isThere(profile, model)) throw noSuchModel(model)
    },

    /** Remembers an answer, so that the client's next request finds the session again. */
    async keep ({ client, input }: AnswerRequest, answer: string, sessionId: string): Promise<void> {
      await continuations.keep(client, input, answer, { sessionId, messageCount: sessions.get(sessionId).messageCount })
    }
  }
}
