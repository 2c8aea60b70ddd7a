import { type feedFrames } from '../../../schemas/feed.js'
import { type sessionFrames } from '../../../schemas/sessions.js'
import { type BesidePlan, type Chat, type OpenInput, type StartedTurn, type TurnOutcome } from '../chat/index.js'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { createSlots, type Slot } from '../../ground/concurrency/slots.js'
import { type Database } from '../../ground/database/index.js'
import { framesOf, type EventBroker } from '../../ground/events/index.js'
import { type Sessions } from '../sessions/index.js'
import { type TaskRow, type TaskRows } from './rows.js'
import { beginning } from './titles.js'

const frame = framesOf<typeof sessionFrames>()
const noticeFrame = framesOf<typeof feedFrames>()

export interface TaskTurnsOptions {
  db: Database
  clock: Clock
  events: EventBroker
  sessions: Sessions
  chat: Pick<Chat, 'open' | 'planAgain' | 'turn' | 'turns'>
  rows: TaskRows
}

export type Task = Pick<TaskRow, 'id' | 'parentSessionId' | 'prompt'>

/** Where a task is carried out. */
export type OpenedTask = Pick<TaskRow, 'sessionId' | 'streamId'>

/** How many tasks of one conversation run at once; the others wait. */
export const runningPerSession = 3

/** The turns of background tasks: each waits for a slot, runs in a hidden session of its own, and stores its answer in the task's row. */
export class TaskTurns {
  readonly #slots = createSlots(runningPerSession)
  #isStopped = false

  constructor (readonly options: TaskTurnsOptions) {
    // Waiting tasks keep waiting, for the next start.
    options.chat.turns.on('stopping', () => { this.#isStopped = true })
    options.chat.planAgain('background', ({ streamId }) => {
      const task = options.rows.open().find((row) => row.streamId === streamId)
      return task === undefined ? null : this.#planFor(task, this.#slots.take(task.parentSessionId))
    })
  }

  /** Returns how many conversations have running or waiting tasks, for tests and metrics. */
  size (): number {
    return this.#slots.size()
  }

  /** Opens the turn of a task; `store` writes its row in the same transaction, and may throw to refuse it. */
  async launch (
    { id, parentSessionId: parentId, prompt }: Task, store: (opened: OpenedTask) => void, accepted: OpenInput['accepted']
  ): Promise<StartedTurn> {
    const { sessions, chat } = this.options
    const { profile, workspace, model, modelProvider } = sessions.get(parentId)
    const input = { message: prompt, attachments: [], ...(model === null ? {} : { model, modelProvider: modelProvider ?? undefined }) }
    const mine = this.#slots.take(parentId)
    return await chat.open({
      session: () => {
        // The session may have been deleted since it was looked up.
        sessions.get(parentId)
        return sessions.insert({
          profile, workspace, title: `bg: ${beginning(prompt)}`, source: 'background', hidden: true, parentSessionId: parentId
        })
      },
      input,
      accepted,
      plan: () => ({ kind: 'background', input, ...this.#planFor({ id, parentSessionId: parentId }, mine) }),
      alongside: ({ session, streamId }) => store({ sessionId: session.id, streamId })
    }).catch((error: unknown) => {
      mine.leave()
      throw error
    })
  }

  #planFor ({ id, parentSessionId: parentId }: Pick<Task, 'id' | 'parentSessionId'>, mine: Slot): BesidePlan {
    return {
      // The row exists by then: it is stored in the step that asks for the plan.
      slot: mine.free.then(() => { this.options.rows.begin(id) }),
      toolset: 'all',
      // A task may do what the conversation may do without asking; anything that would need permission is denied.
      promptsIn: parentId,
      attended: false,
      ended: (outcome) => {
        this.ended(id, parentId, outcome)
        // No other task begins before the next start.
        if (!this.#isStopped) mine.leave()
      }
    }
  }

  /** Called when the task is over; its result waits to be fetched. */
  ended (taskId: string, parentId: string, outcome: TurnOutcome): void {
    const { db, clock, events, rows } = this.options
    const done = { answer: answerOf(outcome), completedAt: epochSeconds(clock) }
    // Stored together with the last frames of its turn. The task may have been deleted by then, which may be why the turn ended.
    db.enqueue({
      write: () => rows.end(taskId, done),
      committed () {
        events.publish({ kind: 'session', id: parentId }, () =>
          frame('bg_task_complete', { session_id: parentId, task_id: taskId, completed_at: done.completedAt }))
        events.publish({ kind: 'notice', id: 'all' }, () =>
          noticeFrame('notice', { kind: 'background_task', session_id: parentId, ref: taskId, at: done.completedAt }))
      }
    })
  }
}

function answerOf ({ state, answer, error, cut }: TurnOutcome): string {
  if (state === 'done' && answer.trim() === '') return '(The task finished without an answer.)'
  if (state === 'done') return cut === undefined ? answer : `${answer}\n\n(${cut})`
  const why = state === 'cancelled' ? 'The task was cancelled.' : `The task failed: ${error ?? 'no reason was given'}`
  return answer.trim() === '' ? why : `${answer}\n\n(${why})`
}
