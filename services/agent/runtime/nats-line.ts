import { RequestError, type Msg } from '@nats-io/nats-core'
import { type NatsLink } from '../../ground/nats/link.js'
import { pack } from '../../ground/nats/packets.js'
import { type ToMachine } from '../machine-messages.js'
import { type Log } from '../../ground/log.js'

export interface MachineLineOptions {
  link: NatsLink
  machine: string
  profile: string
  /** Starts to read the machine's answers; called before anything is asked of it. */
  open: () => Promise<void>
  log: Log
}

/** Sends messages to a profile's process on a machine, in the order in which they were handed over. */
export class MachineLine {
  #chain: Promise<unknown> = Promise.resolve()

  constructor (private readonly options: MachineLineOptions) {}

  async open (): Promise<void> { await this.#inOrder(async () => await this.options.open()) }

  /** Sends the message that `make` returns, and resolves with its answer. Rejects with an `isUnanswerable` error if nobody received it. */
  async request (way: 'start' | 'control', make: () => Promise<ToMachine> | ToMachine, timeout: number): Promise<Msg> {
    const { link, machine, profile, open } = this.options
    const { answer } = await this.#inOrder(async () => {
      await open()
      const { payload, headers } = await pack(link, machine, await make())
      // While disconnected, the client would buffer it, and it would arrive when nobody expects it any more.
      if (!link.isConnected()) throw new NotConnected()
      // In an object, so that the promise is not awaited here: the next message must not wait for this answer.
      return { answer: link.nc.request(link.subjects.to(machine, profile, way), payload, { timeout, headers }) }
    })
    return await answer
  }

  /** Sends a message that needs no answer, if there is a connection. */
  say (message: ToMachine): void {
    const { link, machine, profile, open, log } = this.options
    if (!link.isConnected()) return
    this.#inOrder(async () => {
      await open()
      const { payload, headers } = await pack(link, machine, message)
      if (link.isConnected()) link.nc.publish(link.subjects.to(machine, profile, 'say'), payload, { headers })
    }).catch((error: unknown) => log('a message to a machine could not be sent', { machine, reason: String(error) }))
  }

  async #inOrder<T> (work: () => Promise<T>): Promise<T> {
    const done = this.#chain.then(work)
    this.#chain = done.catch(() => {})
    return await done
  }
}

class NotConnected extends Error {}

/** Whether an error says that nobody received the request, and nobody will. */
export const isUnanswerable = (error: unknown): boolean =>
  error instanceof NotConnected || (error instanceof RequestError && error.isNoResponders())
