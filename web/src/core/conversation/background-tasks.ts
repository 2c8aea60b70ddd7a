import { isRecord } from '../service/records.js'
import { signal, type ReadonlySignal } from '@preact/signals-core'
import { ApiError, type Api } from '../service/api.js'
import { type DraftStore } from '../composer/drafts.js'
import { isTerminal, type Link } from '../service/link.js'

const storageKey = 'background-tasks'
const lookAgainMs = 1_000
const looks = 5

/** `elsewhere`: another window got the result. `gone`: its session no longer exists. */
export type TaskState = 'running' | 'stopping' | 'done' | 'elsewhere' | 'gone'

/** A background task of a chat. */
export interface BackgroundTask {
  readonly taskId: string
  readonly sessionId: string
  /** Null for a task that another window started. */
  readonly streamId: string | null
  readonly prompt: string
  readonly state: TaskState
  /** Markdown. */
  readonly answer: string | null
}

/**
 * Background tasks. The service delivers each result once, so this window keeps results, and the tasks that it waits for, across reloads.
 */
export class BackgroundTasks {
  readonly #list = signal<readonly BackgroundTask[]>([])
  readonly #following = new Map<string, () => void>()

  constructor (readonly options: { api: Api, link: Link, store: Pick<DraftStore, 'getItem' | 'setItem'> | null, lookAgainMs?: number }) {
    this.#list.value = kept(options.store?.getItem(storageKey) ?? null)
    for (const task of this.#list.peek()) this.#follow(task)
  }

  get list (): ReadonlySignal<readonly BackgroundTask[]> { return this.#list }

  /** Starts a task. Throws ApiError; status 429 means that too many are waiting. */
  async start (sessionId: string, prompt: string): Promise<void> {
    const { task_id: taskId, stream_id: streamId } = await this.options.api.postOnce('/api/background', { session_id: sessionId, prompt })
    const task: BackgroundTask = { taskId, sessionId, streamId, prompt, state: 'running', answer: null }
    this.#set([...this.#list.peek(), task])
    this.#follow(task)
  }

  /** Fetches the results of a session. Call it when the session is opened, and when the service reports a result. */
  async look (sessionId: string): Promise<void> {
    try {
      const { results } = await this.options.api.get('/api/background/status', { session_id: sessionId })
      for (const { task_id: taskId, prompt, answer } of results) {
        this.#unfollow(taskId)
        const known = this.#list.peek().find((task) => task.taskId === taskId) ?? { taskId, sessionId, streamId: null, prompt }
        this.#put({ ...known, state: 'done', answer })
      }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (error.status !== 404) return
      for (const task of this.#open().filter((one) => one.sessionId === sessionId)) this.#end(task, 'gone')
    }
  }

  /** Stops a task; its findings so far are its result. Throws ApiError. */
  async stop (taskId: string): Promise<void> {
    const task = this.#open().find((one) => one.taskId === taskId)
    if (task === undefined || task.streamId === null) return
    this.#put({ ...task, state: 'stopping' })
    try {
      await this.options.api.post('/api/chat/cancel', { stream_id: task.streamId })
    } catch (error) {
      if (this.#open().some((one) => one.taskId === taskId)) this.#put(task)
      throw error
    }
  }

  /** Removes a finished task from the list. */
  dismiss (taskId: string): void {
    this.#unfollow(taskId)
    this.#set(this.#list.peek().filter((task) => task.taskId !== taskId))
  }

  close (): void {
    for (const taskId of [...this.#following.keys()]) this.#unfollow(taskId)
  }

  #open (): BackgroundTask[] {
    return this.#list.peek().filter(({ state }) => state === 'running' || state === 'stopping')
  }

  #follow ({ taskId, streamId, state }: BackgroundTask): void {
    if (streamId === null || (state !== 'running' && state !== 'stopping')) return
    const ended = (): void => { void this.#collect(taskId) }
    this.#following.set(taskId, this.options.link.followTurn(streamId, 0, {
      onTurn: (_streamId, _seq, frame) => { if (isTerminal(frame.event)) ended() },
      onUnknown: ended
    }))
  }

  /** Fetches the result of a task whose turn is over, unless another window has fetched it. */
  async #collect (taskId: string): Promise<void> {
    for (let left = looks; left > 0; left--) {
      const task = this.#open().find((one) => one.taskId === taskId)
      if (task === undefined || !this.#following.has(taskId)) return
      await this.look(task.sessionId)
      await new Promise((resolve) => setTimeout(resolve, this.options.lookAgainMs ?? lookAgainMs))
    }
    const task = this.#open().find((one) => one.taskId === taskId)
    if (task !== undefined) this.#end(task, 'elsewhere')
  }

  #end (task: BackgroundTask, state: TaskState): void {
    this.#unfollow(task.taskId)
    this.#put({ ...task, state })
  }

  #unfollow (taskId: string): void {
    this.#following.get(taskId)?.()
    this.#following.delete(taskId)
  }

  #put (task: BackgroundTask): void {
    const list = this.#list.peek()
    const isKnown = list.some(({ taskId }) => taskId === task.taskId)
    this.#set(isKnown ? list.map((one) => one.taskId === task.taskId ? task : one) : [...list, task])
  }

  #set (list: readonly BackgroundTask[]): void {
    this.#list.value = list
    try {
      this.options.store?.setItem(storageKey, JSON.stringify(list))
    } catch {
      // The browser's storage may be full; then a reload forgets the tasks.
    }
  }
}

const isTask = (task: unknown): task is BackgroundTask => isRecord(task) &&
  ['taskId', 'sessionId', 'prompt', 'state'].every((name) => typeof task[name] === 'string')

function kept (text: string | null): BackgroundTask[] {
  try {
    const list: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(list) ? list.filter(isTask) : []
  } catch {
    return []
  }
}
