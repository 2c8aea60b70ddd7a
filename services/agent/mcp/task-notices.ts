import { type Client } from '@modelcontextprotocol/client'
import { fieldsOf } from '../../ground/fields.js'

/** The notices about one task that a server sends on its own, as long as the task is followed. */
export interface TaskNews {
  /** Settles with the next notice. */
  next (): Promise<void>
  /** Returns the newest notice once, a task as `tasks/get` answers it; null if there is none, or if it is incomplete. */
  take (): unknown
  close (): void
}

type Filter = Parameters<Client['listen']>[0] & { taskIds: string[] }

/** The notices `notifications/tasks` of a connection (2026-07-28). A server need not send any, so tasks are also polled. */
export class TaskNotices {
  readonly #followed = new Map<string, (notice: unknown) => void>()

  constructor (private readonly client: Client, private readonly timeoutMs: number) {
    client.fallbackNotificationHandler = async ({ method, params }) => {
      const { taskId } = fieldsOf(params)
      if (method === 'notifications/tasks' && typeof taskId === 'string') this.#followed.get(taskId)?.(params)
    }
  }

  /** Subscribes to the notices about a task until `close`. */
  follow (id: string): TaskNews {
    let newest: unknown = null
    let heard = Promise.withResolvers<void>()
    const over = new AbortController()
    const listener = (notice: unknown): void => {
      newest = isWhole(notice) ? notice : null
      heard.resolve()
    }
    this.#followed.set(id, listener)
    const filter: Filter = { taskIds: [id] }
    this.client.listen(filter, { timeout: this.timeoutMs, signal: over.signal }).catch(() => {})
    return {
      next: async () => await heard.promise,
      take () {
        const notice = newest
        newest = null
        heard = Promise.withResolvers()
        return notice
      },
      close: () => {
        if (this.#followed.get(id) === listener) this.#followed.delete(id)
        over.abort()
      }
    }
  }
}

function isWhole (notice: unknown): boolean {
  const { status, result, inputRequests } = fieldsOf(notice)
  return typeof status === 'string' && (status !== 'completed' || result !== undefined) &&
    (status !== 'input_required' || inputRequests !== undefined)
}
