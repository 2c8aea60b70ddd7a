import { randomUUID } from 'node:crypto'
import { Value } from '@sinclair/typebox/value'
import { after } from '../../ground/concurrency/after.js'
import { Cancelled } from '../engines/engine.js'
import { runRequests, type Answered, type RequestBody, type RequestKind, type RunReply, type RunRequest } from '../requests.js'

interface Open {
  what: RequestKind
  settle: (answered: Answered<RequestKind>) => void
  cancel: () => void
  send: () => void
  /** A service has received it. */
  isTold: boolean
}

/** Requests that are not idempotent. */
const effects: ReadonlySet<RequestKind> = new Set(['delegate', 'memory_save', 'schedule_save', 'skill_save'])

/** Requests of one run to the web tier that have no answer yet. */
export class Requests {
  readonly #open = new Map<string, Open>()
  #isOver = false

  /** @param send returns false while no service is connected */
  constructor (private readonly send: (request: Omit<RunRequest, 'runId' | 'generation'>) => boolean) {}

  /** Ids of the requests that wait for an answer. */
  get open (): string[] { return [...this.#open.keys()] }

  /** Resolves with the answer, or with the reason why there is none: `late` after `deadlineMs`. Throws Cancelled when the run ends. */
  async ask<K extends RequestKind> (
    what: K, body: RequestBody<K>, { deadlineMs = null, span }: { deadlineMs?: number | null, span?: string | undefined } = {}
  ): Promise<Answered<K>> {
    if (this.#isOver) throw new Cancelled()
    const requestId = randomUUID()
    return await new Promise<Answered<K>>((resolve, reject) => {
      const leave = (): void => {
        stopWaiting()
        this.#open.delete(requestId)
      }
      const settle = (answered: Answered<RequestKind>): void => {
        leave()
        resolve(answered)
      }
      const cancel = (): void => {
        leave()
        reject(new Cancelled())
      }
      const stopWaiting = deadlineMs === null
        ? () => {}
        : after(deadlineMs, () => settle({ error: { code: 'late', message: 'There was no answer in time' } }))
      const open: Open = {
        what, settle, cancel, isTold: false, send: () => {
          if (this.send({ requestId, what, body, deadlineMs, ...(span !== undefined && { span }) })) open.isTold = true
        }
      }
      this.#open.set(requestId, open)
      open.send()
    })
  }

  /** Called when another service has connected. Sends what no service has received, and what is idempotent. */
  repeat (): void {
    for (const { what, isTold, send } of this.#open.values()) if (!isTold || !effects.has(what)) send()
  }

  /** Takes a reply. Ignores one for which nothing waits. */
  take (reply: RunReply): void {
    const open = this.#open.get(reply.requestId)
    if (open === undefined) return
    if ('error' in reply) open.settle({ error: reply.error })
    else if (Value.Check(runRequests[open.what].answer, reply.answer)) open.settle({ answer: reply.answer })
    else open.settle({ error: { code: 'invalid', message: 'The answer does not have the form of its kind' } })
  }

  /** Called when the run is over: cancels what still waits. */
  close (): void {
    this.#isOver = true
    for (const { cancel } of [...this.#open.values()]) cancel()
  }
}
