import { type Chat, type Turn, type TurnOutcome } from '../chat/index.js'
import { Conflict } from '../../ground/errors.js'
import { type Log } from '../../ground/log.js'
import { type Sessions } from '../sessions/index.js'

export interface DelegationOptions {
  sessions: Sessions
  chat: Pick<Chat, 'open' | 'cancel' | 'turn' | 'turns'>
  log: Log
}

/** A sub-agent's answer, or why there is none. */
export interface SubAnswer { text: string, isError: boolean }

/** A call that a sub-agent works on, with its stream once it has begun. */
interface Call { child: string | null, answer: (answer: SubAnswer) => void }

/** The task of a call; `span` is the call's span if its turn is traced. */
interface Wish { task: string, span: string | undefined }

/** The limit of a sub-agent's own model calls. */
const steps = 40
const perTurn = 8

/**
 * Sub-agents: a call of a turn becomes a turn in a child session, which can be watched but not written to. Its prompts are shown where its
 * parent's are; it ends with its parent.
 */
export function createDelegation ({ sessions, chat, log }: DelegationOptions) {
  /** The calls of each running turn that sub-agents work on. */
  const working = new Map<string, Set<Call>>()

  async function open (parent: Turn, calls: Set<Call>, call: Call, { task, span }: Wish): Promise<void> {
    const { model, plan } = parent
    const isOver = (): boolean => working.get(parent.streamId) !== calls
    const input = { message: task, attachments: [], ...(model === null ? {} : { model: model.id, modelProvider: model.provider }) }
    const { streamId } = await chat.open({
      session: () => {
        if (isOver()) throw new Conflict('The turn that started this is over')
        const { id, profile, workspace, hidden } = sessions.get(parent.sessionId)
        return sessions.insert({
          profile,
          workspace,
          title: task,
          model: model?.id,
          modelProvider: model?.provider,
          source: 'subagent',
          // Children of hidden sessions are hidden too.
          hidden,
          readOnly: true,
          parentSessionId: id,
          relationshipType: 'child_session'
        })
      },
      input,
      plan: () => ({
        kind: 'delegate',
        input,
        toolset: 'delegated',
        promptsIn: plan.promptsIn,
        attended: plan.attended,
        steps,
        serves: plan.serves ?? parent.streamId,
        ...(plan.budget === undefined ? {} : { budget: plan.budget }),
        ended: (outcome) => call.answer({ text: answerOf(outcome), isError: outcome.state !== 'done' })
      }),
      alongside: ({ streamId }) => { call.child = streamId },
      under: { trace: parent.trace, span }
    })
    // When its parent ended, it could not be cancelled yet.
    if (isOver() && calls.has(call)) chat.cancel(streamId)
  }

  // When a turn ends, its sub-agents end too.
  chat.turns.on('ended', ({ streamId: parentStreamId }) => {
    const calls = working.get(parentStreamId)
    if (calls === undefined) return
    working.delete(parentStreamId)
    // Whatever ends a parent may end its children too, and then gives them the reason itself.
    queueMicrotask(() => { for (const { child } of [...calls]) if (child !== null) chat.cancel(child) })
  })

  return {
    /** Has a sub-agent work on a call of a run; resolves with its answer. `span`: the call's span. Never rejects. */
    async work (runId: string, task: string, span?: string): Promise<SubAnswer> {
      const parent = chat.turn(runId)
      if (parent?.isRunning !== true) return { text: 'The turn is over.', isError: true }
      const calls = working.get(parent.streamId) ?? new Set<Call>()
      if (calls.size >= perTurn) return { text: `At most ${perTurn} sub-agents work at once. Wait for one to answer.`, isError: true }
      working.set(parent.streamId, calls)
      const { promise, resolve, reject } = Promise.withResolvers<SubAnswer>()
      const call: Call = { child: null, answer: resolve }
      calls.add(call)
      open(parent, calls, call, { task, span }).catch(reject)
      try {
        return await promise
      } catch (error) {
        if (working.get(parent.streamId) === calls) {
          log('a sub-agent could not be started', { streamId: parent.streamId, reason: String(error) })
        }
        return { text: 'The sub-agent could not be started.', isError: true }
      } finally {
        calls.delete(call)
      }
    },

    /** Returns how many turns have sub-agents, for tests and metrics. */
    size: (): number => working.size
  }
}

function answerOf ({ state, answer, error, cut }: TurnOutcome): string {
  if (state === 'done' && answer.trim() === '') return 'The sub-agent finished without an answer.'
  if (state === 'done') return cut === undefined ? answer : `${answer}\n\n(${cut})`
  const why = state === 'cancelled' ? 'The sub-agent was stopped.' : `The sub-agent failed: ${error ?? 'no reason was given'}`
  return answer.trim() === '' ? why : `${answer}\n\n(${why})`
}
