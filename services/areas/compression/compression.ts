import { keepNewest } from '../../ground/keep-newest.js'
import { type Budgets } from '../budgets/index.js'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { Conflict, DomainError, Invalid, Unavailable } from '../../ground/errors.js'
import { present } from '../../ground/present.js'
import { type Sessions } from '../sessions/index.js'
import { isNoModel, type SmallTasks } from '../small-tasks/index.js'

/** What a summary did, as sentences for a person. */
export interface CompressionReport { headline: string, token_line: string, note: string, reference_message: string }

export interface CompressionState {
  status: 'idle' | 'running' | 'done' | 'error'
  focusTopic: string | null
  startedAtS: number | null
  updatedAtS: number | null
  report: CompressionReport | null
  error: string | null
}

const fewestMessages = 4
const keptStates = 100
const idle: CompressionState = { status: 'idle', focusTopic: null, startedAtS: null, updatedAtS: null, report: null, error: null }

/** Summarises conversations between turns, on a person's request. Removes no message. */
export function createCompression ({ db, clock, sessions, smallTasks, budgets }: {
  db: Database
  clock: Clock
  sessions: Sessions
  smallTasks: SmallTasks
  budgets: Pick<Budgets, 'assertLeft'>
}) {
  const states = new Map<string, CompressionState>()

  /**
   * Throws Forbidden, Invalid (too short, no model, nothing to summarise), Conflict (a turn is running, the conversation changed meanwhile,
   * or a budget is used up) and Unavailable.
   */
  async function compress (sessionId: string, focus?: string): Promise<CompressionReport> {
    const before = sessions.editable(sessionId)
    if (before.messageCount < fewestMessages) {
      throw new Invalid(`Only a conversation of at least ${fewestMessages} messages can be compressed`)
    }
    const { profile, workspace, model, modelProvider } = before
    const { messages, summary } = await sessions.transcript.history(sessionId)
    const result = await smallTasks.run('compress', {
      messages, summary, ...(focus === undefined ? {} : { focus })
    }, {
      account: { profile, session: sessionId }, workspace, fallback: { model: model ?? undefined, provider: modelProvider ?? undefined }
    }).catch((error: unknown) => { throw isNoModel(error) ? new Invalid(error.message) : error })
    return await db.durably(() => {
      const now = sessions.editable(sessionId)
      if (now.messageCount !== before.messageCount || now.compressedBefore !== before.compressedBefore ||
        now.generation !== before.generation) {
        throw new Conflict('The session changed while it was being compressed; nothing was done')
      }
      if (result === null) throw new Unavailable('The model returned no summary; nothing was changed')
      if (result === 'nothing') throw new Invalid('There is nothing to summarise: the last turn is always kept')
      const { keptRows, tokensBefore, tokensAfter } = result
      sessions.transcript.compress(sessionId, { summary: result.summary, keptRows, contextTokens: tokensAfter })
      sessions.changed('session_compressed', sessionId)
      return {
        headline: `Summarised ${messages.length - keptRows} of ${messages.length} messages for the model`,
        token_line: `${tokensBefore} → ${tokensAfter} tokens (estimated)`,
        note: 'Every message stays in the transcript; the model sees the summary instead of the earlier ones.',
        reference_message: sessions.shown(result.summary)
      }
    })
  }

  function remember (sessionId: string, changes: Partial<CompressionState>): void {
    states.delete(sessionId)
    states.set(sessionId, { ...idle, ...changes, updatedAtS: epochSeconds(clock) })
    keepNewest(states, keptStates)
  }

  return {
    compress,

    /** Does the same in the background. Throws the errors that are known at once. */
    start (sessionId: string, focus?: string): CompressionState {
      if (states.get(sessionId)?.status === 'running') throw new Conflict('The session is already being compressed')
      const { messageCount, profile } = sessions.editable(sessionId)
      if (messageCount < fewestMessages) throw new Invalid(`Only a conversation of at least ${fewestMessages} messages can be compressed`)
      budgets.assertLeft({ profile, session: sessionId })
      const started = { focusTopic: sessions.shown(focus ?? null), startedAtS: epochSeconds(clock) }
      remember(sessionId, { ...started, status: 'running' })
      compress(sessionId, focus).then(
        (report) => remember(sessionId, { ...started, status: 'done', report }),
        (error: unknown) => remember(sessionId, {
          ...started, status: 'error',
          error: error instanceof DomainError ? sessions.shown(error.message) : 'The session could not be compressed'
        })
      )
      return present(states.get(sessionId), 'the state of a compression')
    },

    /** Returns the state of the last compression that was started. Throws NotFound. */
    status (sessionId: string): CompressionState {
      sessions.get(sessionId)
      return states.get(sessionId) ?? idle
    },

    size: (): number => states.size
  }
}

export type Compression = ReturnType<typeof createCompression>
