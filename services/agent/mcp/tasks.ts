import { type Client, type RequestOptions, type Transport } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { fieldsOf, isRecord } from '../../ground/fields.js'
import { ToolError } from '../tools/containment.js'
import { displayText } from './definitions.js'
import { answersTo, assertRound, type AnswerInput } from './input-rounds.js'
import { type Progress } from './progress.js'
import { type TaskNews, type TaskNotices } from './task-notices.js'

/** Work that a server continues on its own and is polled for: `io.modelcontextprotocol/tasks`, 2026-07-28. */
export interface ServerTask {
  id: string
  status: string
  message: string
  pollMs: number
  inputRequests: Record<string, unknown>
  result: unknown
  /** Why it failed, in the server's words. */
  failure: string
}

/** How a task is followed. */
export interface TaskFollowing {
  signal: AbortSignal
  /** After this time the task continues on its own, and the caller is told how to look again. Time for questions does not count. */
  patienceMs: number
  /** Called with the task that is followed, and with null once it is over, so that a caller that fails meanwhile can name the task. */
  follows: (id: string | null) => void
  /** Waits, at most until there is news. That time does not count towards the call's limit. */
  rest: (ms: number, news: Promise<void>) => Promise<void>
  progressed: (progress: Progress) => void
  answer: AnswerInput
}

export const tasksExtension = 'io.modelcontextprotocol/tasks'
/** The key of a task in a result that the library accepts. */
const heldKey = 'io.modelcontextprotocol/held-task'
const longestId = 500
const polls = { least: 500, usual: 2_000, most: 30_000 }
const anything = z.looseObject({})

/** Makes the transport pass on tasks. The library refuses a task as a call's result, so it becomes an empty result that holds the task. */
export function takeTasks (transport: Transport): void {
  const { onmessage } = transport
  transport.onmessage = (message, extra) => {
    const { result } = fieldsOf(message)
    const isTask = isRecord(result) && result['resultType'] === 'task'
    const taken = { resultType: 'complete', content: [], structuredContent: {}, _meta: { [heldKey]: result } }
    onmessage?.(isTask ? { ...message, result: taken } as typeof message : message, extra)
  }
}

/** Returns the task with which a call was answered; null if there is none. Throws ToolError for a task that cannot be polled. */
export function heldTask (result: unknown): ServerTask | null {
  const { _meta: meta } = fieldsOf(result)
  const held = fieldsOf(meta)[heldKey]
  return held === undefined ? null : readTask(held)
}

/** What is needed to follow a task: a client to poll its server, and the notices that the server sends on its own. */
export interface TaskSource { client: Client, notices: TaskNotices, timeoutMs: number }

/**
 * Polls a task until it is over, and has a person answer its questions. Resolves with the result of its call, or with the task if it takes
 * longer than `patienceMs`. Stops it if the call is stopped or abandoned. Throws ToolError for a task that failed or was stopped.
 */
export async function followTask (
  source: TaskSource, begun: ServerTask, following: TaskFollowing
): Promise<{ result: unknown } | { goesOn: ServerTask }> {
  const { id } = begun
  const { client, notices, timeoutMs } = source
  const { signal, follows } = following
  follows(id)
  let last: ServerTask
  const news = isOver(begun) ? null : notices.follow(id)
  try {
    last = news === null ? begun : await untilOver(source, begun, news, following)
  } catch (error) {
    // A call that a person stopped, or that was abandoned, is stopped at the server too; one that took too long may still finish.
    const isGivenUp = error instanceof ToolError || (signal.aborted && fieldsOf(signal.reason)['name'] !== 'TimeoutError')
    if (isGivenUp) {
      follows(null)
      stopTask(client, id, timeoutMs).catch(() => {})
    }
    throw error
  } finally {
    news?.close()
  }
  follows(null)
  if (last.status === 'completed') return { result: last.result }
  if (last.status === 'cancelled') throw new ToolError(`It stopped this itself. ${last.message}`.trim())
  if (last.status === 'failed') throw new ToolError(`It failed. ${last.failure}`.trim())
  return { goesOn: last }
}

const isOver = ({ status }: ServerTask): boolean => status === 'completed' || status === 'cancelled' || status === 'failed'

/** Waits until a task is over or `patienceMs` has passed, and returns its state. Throws ToolError if its questions cannot be answered. */
async function untilOver (
  { client, timeoutMs }: TaskSource, begun: ServerTask, news: TaskNews, { signal, patienceMs, rest, progressed, answer }: TaskFollowing
): Promise<ServerTask> {
  const answered = new Set<string>()
  let untilMs = performance.now() + patienceMs
  let task = begun
  for (let polled = 1; !isOver(task); polled++) {
    const open = Object.entries(task.inputRequests).filter(([key]) => !answered.has(key))
    const leftMs = untilMs - performance.now()
    if (task.status === 'input_required' && open.length > 0) {
      assertRound(answered.size + 1)
      const inputResponses = await answersTo(open, answer, signal)
      for (const [key] of open) answered.add(key)
      untilMs = performance.now() + patienceMs
      // Notices from before the answers are outdated.
      news.take()
      await client.request({ method: 'tasks/update', params: { taskId: task.id, inputResponses } }, anything, { signal, timeout: timeoutMs })
    } else if (leftMs <= 0) {
      return task
    } else {
      await rest(Math.min(task.pollMs, leftMs), news.next())
    }
    progressed({ progress: polled, ...(task.message !== '' && { message: task.message }) })
    const told = news.take()
    task = told === null ? await lookAfter(client, task.id, { signal, timeout: timeoutMs }) : readTask(told)
  }
  return task
}

/** Returns the state of a task. Throws ToolError if the answer is not that task, and the server's error if it does not know it. */
export async function lookAfter (client: Client, id: string, options: RequestOptions): Promise<ServerTask> {
  const task = readTask(await client.request({ method: 'tasks/get', params: { taskId: id } }, anything, options))
  if (task.id !== id) throw new ToolError('It answered with another task than it was asked after.')
  return task
}

/** Asks a server to stop a task. The server need not comply. */
export async function stopTask (client: Client, id: string, timeoutMs: number): Promise<void> {
  await client.request({ method: 'tasks/cancel', params: { taskId: id } }, anything, { timeout: timeoutMs })
}

function readTask (raw: unknown): ServerTask {
  const { taskId, status, statusMessage, pollIntervalMs, inputRequests, result, error } = fieldsOf(raw)
  if (typeof taskId !== 'string' || taskId === '' || taskId.length > longestId || typeof status !== 'string') {
    throw new ToolError('It answered with a task that cannot be asked after.')
  }
  const wanted = typeof pollIntervalMs === 'number' && pollIntervalMs > 0 ? pollIntervalMs : polls.usual
  const { message } = fieldsOf(error)
  return {
    id: taskId,
    status,
    message: typeof statusMessage === 'string' ? displayText(statusMessage, 300) : '',
    pollMs: Math.min(polls.most, Math.max(polls.least, wanted)),
    inputRequests: fieldsOf(inputRequests),
    result,
    failure: typeof message === 'string' ? displayText(message, 500) : ''
  }
}
