import { type Chat } from '../chat/index.js'
import { type Foreign } from '../foreign/index.js'
import { type Sessions } from '../sessions/index.js'
import { lastAnswer, type Detail } from './transcript.js'
import { type TurnStanding } from './turn-watch.js'

export interface TurnOutcomeOptions {
  sessions: Pick<Sessions, 'isForeign' | 'answer' | 'transcript'>
  foreign: Pick<Foreign, 'detail'>
  chat: Pick<Chat, 'latestStreams'>
}

const answerWindow = 200

/** What a program that began a turn, or waits for one, is told about it. */
export function createTurnOutcome ({ sessions, foreign, chat }: TurnOutcomeOptions) {
  /** Returns a session as the interface shows it. Throws NotFound for an unknown one. */
  async function detail (id: string, options: { messages: boolean, window?: { limit: number, before?: number } }): Promise<Detail> {
    return sessions.isForeign(id)
      ? await foreign.detail(id, options)
      : (JSON.parse(Buffer.concat(await sessions.answer(id, options)).toString()) as { session: Detail }).session
  }

  /** Returns the answer of a turn; empty if it said nothing. */
  async function answer (sessionId: string, streamId: string): Promise<string> {
    const isLatest = chat.latestStreams(sessionId, 1)[0]?.streamId === streamId
    const last = isLatest ? undefined : sessions.transcript.answers(sessionId, streamId, 0).at(-1)
    if (!isLatest && last === undefined) return ''
    return lastAnswer(await detail(sessionId, { messages: true, window: { limit: answerWindow, before: last && last.position + 1 } }))
  }

  return {
    detail,

    /** Returns the state of a turn, with its answer if it is over. */
    async outcome (sessionId: string, streamId: string, standing: TurnStanding): Promise<Record<string, unknown>> {
      const turn = { session_id: sessionId, turn_id: streamId, state: standing.state }
      if (standing.state === 'waiting') return { ...turn, waits_for: standing.prompts }
      if (standing.state === 'running') return turn
      if (standing.state === 'parked') {
        const { resumes_at: resumesAt } = await detail(sessionId, { messages: false })
        return { ...turn, resumes_at: typeof resumesAt === 'number' ? new Date(resumesAt * 1_000).toISOString() : null }
      }
      return { ...turn, ended: standing.how, answer: await answer(sessionId, streamId) }
    }
  }
}

export type McpTurnOutcome = ReturnType<typeof createTurnOutcome>
