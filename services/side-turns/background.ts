import { randomBytes } from 'node:crypto'
import { type feedFrames } from '../../schemas/feed.js'
import { type sessionFrames } from '../../schemas/sessions.js'
import { type Chat, type StartedTurn, type TurnOutcome } from '../chat/index.js'
import { createAges, epochSeconds, type Clock } from '../ground/clock.js'
import { type Database } from '../ground/database/index.js'
import { Invalid, TooMany } from '../ground/errors.js'
import { framesOf, type EventBroker } from '../ground/events/index.js'
import { type Sessions } from '../sessions/index.js'
import { createSlots } from '../ground/concurrency/slots.js'
import { createTaskRows, type TaskRow } from './rows.js'
import { beginning } from './titles.js'

const frame = framesOf<typeof sessionFrames>()
const noticeFrame = framesOf<typeof feedFrames>()

export interface BackgroundOptions { db: Database, clock: Clock, events: EventBroker, sessions: Sessions, chat: Pick<Chat, 'open' | 'turns'>, log: (message: string, details: Record<string, unknown>) => void }

export interface BackgroundResult { taskId: string, prompt: string, answer: string, completedAtS: number }

/** Tasks that run at once, and that wait besides, per conversation. */
const runningPerSession = 3
const waitingPerSession = 20
/** How long a fetched result is kept, for a client that lost the answer on its way. */
const keptS = 10 * 60

/**
 * Tasks beside a conversation, each in a hidden session of its own. A few run at once, the others wait for their slot.
 * Results are kept until somebody has fetched them.
 */
export function createBackground ({ db, clock, events, sessions, chat, log }: BackgroundOptions) {
  const rows = createTaskRows(db)
  const slots = createSlots(runningPerSession)
  const ages = createAges(clock)
  let stopped = false
  // Tasks that wait are left waiting, for the next start.
  chat.turns.on('stopping', () => { stopped = true })

  function ended (taskId: string, parentId: string, outcome: TurnOutcome): void {
    const done = { answer: answerOf(outcome), completedAt: epochSeconds(clock) }
    // Together with the last frames of its turn. The task may have been deleted by then, which is what ended it.
    db.enqueue({
      write: () => rows.end(taskId, done),
      committed () {
        events.publish({ kind: 'session', id: parentId }, () => frame('bg_task_complete', { session_id: parentId, task_id: taskId, completed_at: done.completedAt }))
        events.publish({ kind: 'notice', id: 'all' }, () => noticeFrame('notice', { kind: 'background_task', session_id: parentId, ref: taskId, at: done.completedAt }))
      }
    })
  }

  /** Opens the turn of a task; `store` writes its row in the same transaction, and may refuse it there. */
  async function launch ({ id, parentSessionId: parentId, prompt }: Pick<TaskRow, 'id' | 'parentSessionId' | 'prompt'>, store: (opened: { sessionId: string, streamId: string }) => void): Promise<StartedTurn> {
    const { profile, workspace, model, modelProvider } = sessions.get(parentId)
    const input = { message: prompt, attachments: [], ...(model === null ? {} : { model, modelProvider: modelProvider ?? undefined }) }
    const mine = slots.take(parentId)
    let stored = (): void => {}
    const slot = Promise.all([mine.free, new Promise<void>((resolve) => { stored = resolve })]).then(() => {
      rows.begin(id)
    })
    return await chat.open({
      session: () => {
        // It may have been deleted since it was looked up.
        sessions.get(parentId)
        return sessions.insert({ profile, workspace, title: `bg: ${beginning(prompt)}`, source: 'background', hidden: true, parentSessionId: parentId })
      },
      input,
      plan: () => ({
        kind: 'background',
        input,
        toolset: 'all',
        // What the conversation may do without asking, its tasks may; what would have to be asked is denied.
        promptsIn: parentId,
        attended: false,
        slot,
        ended: (outcome) => {
          // What only waits is left waiting, for the next start; and nothing else is begun before it.
          if (!stopped || mine.isTaken()) ended(id, parentId, outcome)
          if (!stopped) mine.leave()
        }
      }),
      alongside: ({ session, streamId }) => {
        store({ sessionId: session.id, streamId })
        stored()
      }
    }).catch((error: unknown) => {
      mine.leave()
      throw error
    })
  }

  async function remove (sessionId: string): Promise<void> {
    await sessions.remove(sessionId).catch((error: unknown) => log('the session of a background task could not be removed', { sessionId, reason: String(error) }))
  }

  return {
    /** Throws NotFound, Invalid (a blank prompt, a read-only session) and TooMany. */
    async start (parentId: string, prompt: string): Promise<StartedTurn & { taskId: string }> {
      const parent = sessions.get(parentId)
      if (prompt.trim() === '') throw new Invalid('prompt is required')
      if (parent.readOnly) throw new Invalid('This session is read-only')
      const taskId = randomBytes(4).toString('hex')
      const task = { id: taskId, parentSessionId: parentId, prompt }
      const turn = await launch(task, (opened) => {
        if (rows.unfinished(parentId) >= runningPerSession + waitingPerSession) {
          throw new TooMany(`At most ${runningPerSession + waitingPerSession} background tasks at once; wait for one to finish`)
        }
        rows.insert({ ...task, ...opened, createdAt: epochSeconds(clock) })
      })
      return { ...turn, taskId }
    },

    /** Finished tasks of a conversation whose results nobody has fetched yet; from now on they are. Throws NotFound. */
    async results (parentId: string): Promise<BackgroundResult[]> {
      sessions.get(parentId)
      // Polled every few seconds: no write, and no sync of the disk, unless there is something.
      if (rows.unfetched(parentId) === 0) return []
      const fetched = await db.durably(() => rows.fetch(parentId, epochSeconds(clock)))
      return fetched.map(({ id, prompt, answer, completedAt }) => ({ taskId: id, prompt, answer: answer ?? '', completedAtS: completedAt! }))
    },

    /** After a start of the service: what had begun is over, with an answer that says so; what only waited goes back into the queue. */
    async recover (): Promise<void> {
      for (const task of rows.open()) {
        if (stopped) return
        if (task.state === 'running') {
          ended(task.id, task.parentSessionId, { state: 'failed', answer: '', error: 'The service was stopped while this task was running.' })
          continue
        }
        const former = task.sessionId
        try {
          await launch(task, (opened) => rows.move(task.id, opened))
        } catch (error) {
          log('a background task could not be taken up again', { taskId: task.id, reason: String(error) })
          if (!stopped) ended(task.id, task.parentSessionId, { state: 'failed', answer: '', error: 'The task could not be taken up again after a restart.' })
          continue
        }
        await remove(former)
      }
    },

    /** Removes what was fetched long enough ago. */
    async sweep (): Promise<void> {
      for (const sessionId of ages.old(rows.fetched(), keptS)) await remove(sessionId)
    },

    /** What it holds, for tests and metrics. */
    size: slots.size
  }
}

export type Background = ReturnType<typeof createBackground>

function answerOf ({ state, answer, error }: TurnOutcome): string {
  if (state === 'done') return answer.trim() === '' ? '(The task finished without an answer.)' : answer
  const why = state === 'cancelled' ? 'The task was cancelled.' : `The task failed: ${error ?? 'no reason was given'}`
  return answer.trim() === '' ? why : `${answer}\n\n(${why})`
}
