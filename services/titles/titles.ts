import { type AgentRuntime } from '../agent/index.js'
import { type Budgets } from '../budgets/index.js'
import { provisionalTitle, type Turn, type Write } from '../chat/index.js'
import { type chatFrames } from '../../schemas/chat.js'
import { framesOf } from '../ground/events/index.js'
import { hostField } from '../ground/location.js'
import { type ChosenModel } from '../models/index.js'
import { type Sessions } from '../sessions/index.js'

const frame = framesOf<typeof chatFrames>()

export interface TitlesOptions {
  sessions: Sessions
  agent: Pick<AgentRuntime, 'aux'>
  /** The model that finds titles of a profile's sessions; null = the first words of the question have to do. */
  model: (profile: string) => Promise<ChosenModel | null>
  budgets: Pick<Budgets, 'isUsedUp' | 'counting'>
}

const titleWords = 6
/** What the model reads of a question and of its answer. */
const readChars = 2_000
/** The answer of a model that comes later is not used. */
const limitMs = 15_000

/** Names for conversations that have none of their own yet. */
export function createTitles ({ sessions, agent, model: modelOf, budgets }: TitlesOptions) {
  async function find ({ sessionId, profile, recorder, account }: Turn): Promise<string> {
    const question = sessions.transcript.question(sessionId)
    const model = budgets.isUsedUp(account) ? null : await modelOf(profile)
    const title = model === null
      ? null
      : await agent.aux({ profile, ...hostField(sessions.get(sessionId).workspace) }, { task: 'title', model: model.ref, input: titleInput(question, recorder.answer) }, limitMs, budgets.counting('title', account, model))
    return title ?? firstWords(question)
  }

  return {
    /** What names the session of a turn whose answer stands; null when it has a name of its own already. */
    async answered (turn: Turn): Promise<Write | null> {
      const { sessionId } = turn
      const { titleSource } = sessions.get(sessionId)
      if (titleSource === 'manual' || titleSource === 'automatic') return null
      const title = await find(turn)
      return () => {
        if (!sessions.setAutomaticTitle(sessionId, title)) return []
        return [frame('title', { session_id: sessionId, title: sessions.rowToWire(sessions.get(sessionId)).title })]
      }
    }
  }
}

/** A title without a model: the first words of the question. */
function firstWords (message: string): string {
  const words = provisionalTitle(message).split(' ')
  return words.slice(0, titleWords).join(' ') + (words.length > titleWords ? '…' : '')
}

/** The beginning of the conversation. */
function titleInput (question: string, answer: string): string {
  return `User: ${question.slice(0, readChars)}\n\nAssistant: ${answer.slice(0, readChars)}`
}
