import { type AgentRuntime } from '../agent/index.js'
import { type Chat, type Turn, type TurnOutcome } from '../chat/index.js'
import { Conflict } from '../ground/errors.js'
import { type Sessions } from '../sessions/index.js'

export interface DelegationOptions {
  agent: AgentRuntime
  sessions: Sessions
  chat: Pick<Chat, 'open' | 'cancel'>
  log: (message: string, details: Record<string, unknown>) => void
}

/** A sub-agent's own budget of model calls. */
const steps = 40
const perTurn = 8

/**
 * Sub-agents: a call of a turn becomes a turn of its own in a child session that can be watched but not written to. Its
 * prompts are shown where its parent's are; it ends with its parent.
 */
export function createDelegation ({ agent, sessions, chat, log }: DelegationOptions) {
  /** The calls of each running turn that a child works on, and the child's stream once there is one. */
  const working = new Map<string, Map<string, string | null>>()

  function answer (parent: Turn, callId: string, text: string, isError: boolean): void {
    agent.control(parent.profile, { op: 'delegated', runId: parent.streamId, callId, text, isError })
      .catch((error: unknown) => log('a sub-agent\'s answer could not be delivered', { streamId: parent.streamId, reason: String(error) }))
  }

  async function open (parent: Turn, calls: Map<string, string | null>, callId: string, task: string): Promise<void> {
    const { model, plan } = parent
    const isOver = (): boolean => working.get(parent.streamId) !== calls
    const input = { message: task, attachments: [], ...(model === null ? {} : { model: model.id, modelProvider: model.provider }) }
    const { streamId } = await chat.open({
      session: () => {
        if (isOver()) throw new Conflict('The turn that wanted this is over')
        const { id, profile, workspace, hidden } = sessions.get(parent.sessionId)
        return sessions.insert({
          profile,
          workspace,
          title: task,
          model: model?.id,
          modelProvider: model?.provider,
          source: 'subagent',
          // The children of hidden sessions are as hidden.
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
        ended: (outcome) => {
          calls.delete(callId)
          if (!isOver()) answer(parent, callId, answerOf(outcome), outcome.state !== 'done')
        }
      }),
      alongside: ({ streamId }) => { calls.set(callId, streamId) }
    })
    // It could not be stopped yet when its parent ended.
    if (isOver() && calls.has(callId)) chat.cancel(streamId)
  }

  return {
    /** A call of `parent` wants a sub-agent. */
    begin (parent: Turn, callId: string, task: string): void {
      const calls = working.get(parent.streamId) ?? new Map<string, string | null>()
      if (calls.size >= perTurn) return answer(parent, callId, `At most ${perTurn} sub-agents work at once. Wait for one to answer.`, true)
      working.set(parent.streamId, calls.set(callId, null))
      open(parent, calls, callId, task).catch((error: unknown) => {
        if (!calls.delete(callId) || working.get(parent.streamId) !== calls) return
        log('a sub-agent could not be started', { streamId: parent.streamId, reason: String(error) })
        answer(parent, callId, 'The sub-agent could not be started.', true)
      })
    },

    /** A turn is over: so are its children. */
    parentEnded (parentStreamId: string): void {
      const calls = working.get(parentStreamId)
      if (calls === undefined) return
      working.delete(parentStreamId)
      // What ends a parent may end its children as well, and then tells them the reason itself.
      queueMicrotask(() => { for (const streamId of [...calls.values()]) if (streamId !== null) chat.cancel(streamId) })
    },

    /** What it holds, for tests and metrics. */
    size: (): number => working.size
  }
}

export type Delegation = ReturnType<typeof createDelegation>

function answerOf ({ state, answer, error }: TurnOutcome): string {
  if (state === 'done') return answer.trim() === '' ? 'The sub-agent finished without an answer.' : answer
  const why = state === 'cancelled' ? 'The sub-agent was stopped.' : `The sub-agent failed: ${error ?? 'no reason was given'}`
  return answer.trim() === '' ? why : `${answer}\n\n(${why})`
}
