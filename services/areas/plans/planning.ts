import { planSteps, planTitle, type AgentRuntime, type PlanStep } from '../../agent/index.js'
import { type AuditPort } from '../audit/index.js'
import { type Chat, type MessageInput } from '../chat/index.js'
import { type GoalAnswer, type Goals } from '../goals/index.js'
import { type SessionRow, type Sessions } from '../sessions/index.js'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { Conflict, Forbidden, Invalid, RelayFailed } from '../../ground/errors.js'
import { started, type Plans } from './plans.js'

export interface PlanningOptions {
  db: Database
  clock: Clock
  sessions: Sessions
  chat: Pick<Chat, 'plan' | 'liveRuns'>
  agent: Pick<AgentRuntime, 'control'>
  goals: Pick<Goals, 'set'>
  plans: Plans
  audit: AuditPort
}

export type Mode = SessionRow['mode']

/** The length limit of the goal; the document itself is in the message. */
const mostGoalChars = 16_000

/** Plan mode of conversations, and its end: the plan becomes the goal. */
export function createPlanning ({ db, clock, sessions, chat, agent, goals, plans, audit }: PlanningOptions) {
  /** Tells the running runs that plan mode is on. Throws RelayFailed if one could not be told. */
  async function tellRuns (sessionId: string): Promise<void> {
    const acks = await Promise.all(chat.liveRuns(sessionId).map(async ({ profile, runId }) =>
      // A run that has ended meanwhile needs not be told.
      await agent.control(profile, { op: 'plan', runId }).catch((error: unknown) =>
        error instanceof Conflict ? null : { result: 'error' as const })))
    if (acks.some((ack) => ack !== null && ack.result !== 'applied' && ack.result !== 'not_running')) {
      throw new RelayFailed('Plan mode is on from the next message. The running turn could not be notified: stop it if it must not change anything')
    }
  }

  return {
    /**
     * Switches plan mode. On takes effect at once, also for running turns; off takes effect from the next turn on, and what has begun in
     * plan mode stays in it. Throws NotFound, Forbidden for a read-only session, and RelayFailed if a running turn could not be told.
     */
    async setMode (sessionId: string, mode: Mode): Promise<void> {
      await db.durably(() => {
        const before = sessions.get(sessionId)
        if (before.readOnly) throw new Forbidden('This session is read-only')
        if (mode === 'plan') chat.plan(sessionId)
        if (before.mode === mode) return
        sessions.rows.set(sessionId, { mode })
        sessions.changed('session_mode', sessionId)
        audit.record('mode.switched', { session: sessionId, mode })
      })
      if (mode === 'plan') await tellRuns(sessionId)
    },

    /**
     * Leaves plan mode and makes the plan the goal: its steps become the todo list, and the first turn begins; either all of this happens
     * or nothing. `accepted` runs in the transaction. Throws NotFound, Forbidden, Invalid (`no_steps`) and Conflict (`agent_running`,
     * `plan_changed`, `plan_started`).
     */
    async go (
      sessionId: string, version: number, input: Pick<MessageInput, 'model' | 'modelProvider'>, accepted?: (answer: GoalAnswer) => void
    ): Promise<GoalAnswer> {
      sessions.get(sessionId)
      const plan = plans.meant(sessionId, version)
      if (plan.startedAt !== null) throw started()
      const steps = planSteps(plan.text)
      if (steps.length === 0) throw new Invalid('The plan has no steps. Write them as a task list: - [ ] …', 'no_steps')
      return await goals.set(goalOf(plan.text, steps), { sessionId, ...input }, accepted, {
        message: messageOf(plan.text),
        alongside: ({ streamId }) => {
          plans.start(sessionId, version)
          sessions.rows.set(sessionId, { mode: 'default' })
          sessions.rows.setTodos(sessionId, JSON.stringify(todosOf(steps, { sessionId, streamId, nowS: epochSeconds(clock) })))
          audit.record('plan.started', { session: sessionId, version })
        }
      }).catch((error: unknown) => {
        // Another request was faster: what is running is this very plan.
        throw error instanceof Conflict && plans.latest(sessionId)?.startedAt != null ? started() : error
      })
    }
  }
}

export type Planning = ReturnType<typeof createPlanning>

/** Returns the goal that the judge checks. */
function goalOf (text: string, steps: readonly PlanStep[]): string {
  const list = steps.map(({ content, status }) => `- [${status === 'completed' ? 'x' : ' '}] ${content}`).join('\n')
  return `Carry out the plan "${planTitle(text)}". It is reached when each of its steps is done and checked:\n${list}`.slice(0, mostGoalChars)
}

function messageOf (text: string): string {
  return 'Go: carry out this plan. Its steps are on the task list already; keep that up to date with the tool todo as you go ' +
    `(in_progress before you begin with a step, completed once it is done and checked).\n\n${text}`
}

/** Returns a todo list in the form in which the tool `todo` stores it. */
function todosOf (steps: readonly PlanStep[], { sessionId, streamId, nowS }: { sessionId: string, streamId: string, nowS: number }) {
  const todos = steps.map(({ content, status }, index) => ({ id: String(index + 1), content, status }))
  const completed = todos.filter(({ status }) => status === 'completed').length
  return {
    session_id: sessionId, stream_id: streamId, source: 'tool' as const, ts: nowS, todos,
    summary: { total: todos.length, pending: todos.length - completed, in_progress: 0, completed, cancelled: 0 }, version: 1
  }
}
