import { randomBytes } from 'node:crypto'
import { type StartedTurn } from '../chat/index.js'
import { createAges, epochSeconds } from '../../ground/time/clock.js'
import { Invalid, TooMany } from '../../ground/errors.js'
import { type Log } from '../../ground/log.js'
import { present } from '../../ground/present.js'
import { createTaskRows } from './rows.js'
import { runningPerSession, TaskTurns, type TaskTurnsOptions } from './task-turns.js'

export interface BackgroundOptions extends Omit<TaskTurnsOptions, 'rows'> {
  log: Log
}

export interface BackgroundResult { taskId: string, prompt: string, answer: string, completedAtS: number }

/** Tasks of one conversation that may wait, besides those that run. */
const waitingPerSession = 20
/** How long a fetched result is kept, for a client that lost the response. */
const keptS = 10 * 60

/**
 * Background tasks of a conversation, each in a hidden session of its own. A few run at once, the others wait for a slot. Results are kept
 * until a client has fetched them.
 */
export function createBackground ({ log, ...options }: BackgroundOptions) {
  const { db, clock, sessions } = options
  const rows = createTaskRows(db)
  const turns = new TaskTurns({ ...options, rows })
  const ages = createAges(clock)

  return {
    /**
     * `accepted` runs in the transaction that stores the task. Throws NotFound, Invalid (a blank prompt, a read-only session) and TooMany.
     */
    async start (
      parentId: string, prompt: string, accepted?: (task: StartedTurn & { taskId: string }) => void
    ): Promise<StartedTurn & { taskId: string }> {
      const parent = sessions.get(parentId)
      if (prompt.trim() === '') throw new Invalid('prompt is required')
      if (parent.readOnly) throw new Invalid('This session is read-only')
      const taskId = randomBytes(4).toString('hex')
      const task = { id: taskId, parentSessionId: parentId, prompt }
      const turn = await turns.launch(task, (opened) => {
        if (rows.unfinished(parentId) >= runningPerSession + waitingPerSession) {
          throw new TooMany(`At most ${runningPerSession + waitingPerSession} background tasks at once. Wait until one has finished`)
        }
        rows.insert({ ...task, ...opened, createdAt: epochSeconds(clock) })
      }, (started) => accepted?.({ ...started, taskId }))
      return { ...turn, taskId }
    },

    /**
     * Returns the results of a conversation's finished tasks that have not been fetched yet, and marks them as fetched. Throws NotFound.
     */
    async results (parentId: string): Promise<BackgroundResult[]> {
      sessions.get(parentId)
      // Polled every few seconds: without a result, nothing is written, and the disk is not synced.
      if (rows.unfetched(parentId) === 0) return []
      const fetched = await db.durably(() => rows.fetch(parentId, epochSeconds(clock)))
      return fetched.map(({
        id, prompt, answer, completedAt
      }) => ({ taskId: id, prompt, answer: answer ?? '', completedAtS: present(completedAt, 'the end of a task') }))
    },

    /** Called after a start of the service: ends the tasks that it does not begin or resume, with an answer that says so. */
    recover (): void {
      for (const { id, streamId, parentSessionId } of rows.open()) {
        if (options.chat.turn(streamId) !== undefined) continue
        turns.ended(id, parentSessionId, { state: 'failed', answer: '', error: 'The service was stopped before this task was done.' })
      }
    },

    /** Removes tasks that were fetched long enough ago. */
    async sweep (): Promise<void> {
      for (const sessionId of ages.old(rows.fetched(), keptS)) {
        await sessions.remove(sessionId).catch((error: unknown) =>
          log('the session of a background task could not be removed', { sessionId, reason: String(error) }))
      }
    },

    /** Returns how many conversations have running or waiting tasks, for tests and metrics. */
    size: (): number => turns.size()
  }
}

export type Background = ReturnType<typeof createBackground>
