import { RequestError, type Msg } from '@nats-io/nats-core'
import { type NatsLink } from '../../ground/nats/link.js'
import { pack } from '../../ground/nats/packets.js'
import { type ToMachine } from '../machine-messages.js'

export interface MachineLineOptions {
  link: NatsLink
  host: string
  profile: string
  /** Before anything is asked of the machine its answers are to be read. */
  open: () => Promise<void>
  log: (message: string, details: Record<string, unknown>) => void
}

/** What is said to the process of a profile on a machine: it goes out in the order in which it was handed over. */
export class MachineLine {
  #chain: Promise<unknown> = Promise.resolve()

  constructor (private readonly options: MachineLineOptions) {}

  async open (): Promise<void> { await this.#inOrder(async () => await this.options.open()) }

  /** The answer to what is made when it is its turn. Rejects with what `isUnanswerable` tells where nobody has got it. */
  async request (way: 'start' | 'control', make: () => Promise<ToMachine> | ToMachine, timeout: number): Promise<Msg> {
    const { link, host, profile, open } = this.options
    const { answer } = await this.#inOrder(async () => {
      await open()
      const { payload, headers } = await pack(link, host, await make())
      // While nobody is there it would be kept, and arrive when nobody expects it any more.
      if (!link.isConnected()) throw new NotConnected()
      // In an object, so that what is handed over next does not wait for the answer.
      return { answer: link.nc.request(link.subjects.to(host, profile, way), payload, { timeout, headers }) }
    })
    return await answer
  }

  /** Says it, if anybody can hear it. */
  say (message: ToMachine): void {
    const { link, host, profile, open, log } = this.options
    if (!link.isConnected()) return
    this.#inOrder(async () => {
      await open()
      const { payload, headers } = await pack(link, host, message)
      if (link.isConnected()) link.nc.publish(link.subjects.to(host, profile, 'say'), payload, { headers })
    }).catch((error: unknown) => log('a message to a machine could not be sent', { host, reason: String(error) }))
  }

  async #inOrder<T> (work: () => Promise<T>): Promise<T> {
    const done = this.#chain.then(work)
    this.#chain = done.catch(() => {})
    return await done
  }
}

class NotConnected extends Error {}

/** Nobody has got it, and nobody will. */
export const isUnanswerable = (error: unknown): boolean =>
  error instanceof NotConnected || (error instanceof RequestError && error.isNoResponders())
