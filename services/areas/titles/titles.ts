import { fieldsOf } from '../../ground/fields.js'
import { type Account, type Budgets } from '../budgets/index.js'
import { provisionalTitle, type Turn, type Write } from '../chat/index.js'
import { type chatFrames } from '../../../schemas/chat.js'
import { Invalid } from '../../ground/errors.js'
import { framesOf } from '../../ground/events/index.js'
import { type Sessions } from '../sessions/index.js'
import { isNoModel, type SmallTasks } from '../small-tasks/index.js'

const frame = framesOf<typeof chatFrames>()

export interface TitlesOptions {
  sessions: Sessions
  smallTasks: SmallTasks
  budgets: Pick<Budgets, 'assertLeft' | 'isUsedUp'>
  /** Returns how many turns a session has had, including the one that is ending. */
  turnsOf: (sessionId: string) => number
  /** After how many turns a title is renewed; 0: never. */
  refreshEvery: () => number
}

const titleWords = 6
/** How much the model reads of a question and of its answer. */
const readChars = 2_000

/** Titles for conversations, as long as no person has given them one. */
export function createTitles ({ sessions, smallTasks, budgets, turnsOf, refreshEvery }: TitlesOptions) {
  /** `otherwise`: used if the model finds none; without a model, the first words have to do. */
  async function find (
    sessionId: string, account: Account, answer: string, { latest, otherwise }: { latest: string | null, otherwise: string | null }
  ): Promise<string> {
    const { workspace } = sessions.get(sessionId)
    const question = sessions.transcript.question(sessionId)
    const usual = firstWords(latest ?? question)
    if (budgets.isUsedUp(account)) return usual
    try {
      return await smallTasks.run('title', titleInput(question, latest, answer), { account, workspace }) ?? otherwise ?? usual
    } catch (error) {
      if (isNoModel(error)) return usual
      throw error
    }
  }

  /** Returns the last request of the conversation; null if there is none. */
  function latestOf (sessionId: string): string | null {
    for (const { body } of sessions.transcript.requests(sessionId)) {
      const { content } = fieldsOf(JSON.parse(body))
      if (typeof content === 'string' && content.trim() !== '') return content
    }
    return null
  }

  /** Whether an automatic title is due for renewal, because the conversation may be about something else by now. */
  function isStale (sessionId: string): boolean {
    const every = refreshEvery()
    return every > 0 && turnsOf(sessionId) % every === 0
  }

  return {
    /** Returns the write that names the session of an answered turn; null if its title stays. */
    async answered ({ sessionId, account, recorder }: Turn): Promise<Write | null> {
      const { title: before, titleSource, temporary } = sessions.get(sessionId)
      const isNamed = titleSource === 'automatic'
      if (temporary || titleSource === 'manual' || (isNamed && !isStale(sessionId))) return null
      const title = await find(sessionId, account, recorder.answer, isNamed
        ? { latest: latestOf(sessionId), otherwise: before }
        : { latest: null, otherwise: null })
      return () => {
        if (!sessions.setAutomaticTitle(sessionId, title)) return []
        return [frame('title', { session_id: sessionId, title: sessions.shown(sessions.get(sessionId).title) })]
      }
    },

    /**
     * Renames a session, even one that a person has named, unless they do so while the title is being found. Throws NotFound, Forbidden,
     * and Invalid for a session without a message.
     */
    async regenerate (sessionId: string): Promise<void> {
      const { profile, userMessageCount, title: before } = sessions.editable(sessionId)
      if (userMessageCount === 0) throw new Invalid('This conversation has no message to take a title from')
      const account = { profile, session: sessionId }
      budgets.assertLeft(account)
      const title = await find(sessionId, account, sessions.transcript.lastAnswer(sessionId), {
        latest: latestOf(sessionId), otherwise: null
      })
      await sessions.retitle(sessionId, title, before)
    }
  }
}

export type Titles = ReturnType<typeof createTitles>

/** Makes a title without a model: the first words of the question. */
function firstWords (message: string): string {
  const words = provisionalTitle(message).split(' ')
  return words.slice(0, titleWords).join(' ') + (words.length > titleWords ? '…' : '')
}

/** Builds the text for the model: the beginning of the conversation, and its present subject. */
function titleInput (question: string, latest: string | null, answer: string): string {
  const said = [`User: ${question.slice(0, readChars)}`]
  if (latest !== null && latest !== question) said.push(`Later, and what it is about now:\n\nUser: ${latest.slice(0, readChars)}`)
  return [...said, `Assistant: ${answer.slice(0, readChars)}`].join('\n\n')
}
