import { randomUUID } from 'node:crypto'
import { Value } from '@sinclair/typebox/value'
import { after } from '../../ground/concurrency/after.js'
import { Cancelled } from '../engines/engine.js'
import { runRequests, type Answered, type RequestBody, type RequestKind, type RunReply, type RunRequest } from '../requests.js'

interface Open {
  what: RequestKind
  settle: (answered: Answered<RequestKind>) => void
  cancel: () => void
  /** Sends it. */
  send: () => void
  /** Somebody was told. */
  isTold: boolean
}

/** What has an effect of its own each time. */
const effects: ReadonlySet<RequestKind> = new Set(['delegate', 'memory_save', 'schedule_save', 'skill_save'])

/** What one run has asked the web tier for and has no answer to yet. */
export class Requests {
  readonly #open = new Map<string, Open>()
  #isOver = false

  /** @param send false: nobody is there */
  constructor (private readonly send: (request: Omit<RunRequest, 'runId' | 'generation'>) => boolean) {}

  /** Ids of the requests that wait for an answer. */
  get open (): string[] { return [...this.#open.keys()] }

  /** Resolves with the answer or with why there is none; after `deadlineMs` that is `late`. Throws Cancelled when the run ends. */
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

  /** Another service is there: it is asked what nobody has been asked yet, and what may be done twice. */
  repeat (): void {
    for (const { what, isTold, send } of this.#open.values()) if (!isTold || !effects.has(what)) send()
  }

  /** A reply to something that nobody waits for is left. */
  take (reply: RunReply): void {
    const open = this.#open.get(reply.requestId)
    if (open === undefined) return
    if ('error' in reply) open.settle({ error: reply.error })
    else if (Value.Check(runRequests[open.what].answer, reply.answer)) open.settle({ answer: reply.answer })
    else open.settle({ error: { code: 'invalid', message: 'The answer does not have the form of its kind' } })
  }

  /** The run is over: whatever waits is cancelled. */
  close (): void {
    this.#isOver = true
    for (const { cancel } of [...this.#open.values()]) cancel()
  }
}
