import { type NatsLink } from '../services/ground/nats/link.js'
import { decode, encode, type RelayMessage, type RelayReply } from '../services/areas/relay/index.js'
import { type MachineApp } from './app.js'
import { Transfer } from './transfer.js'
import { type Log } from '../services/ground/log.js'

export interface ServeHttpOptions {
  /** How long a message waits here at most before the service is told that the request is still pending. */
  patienceMs?: number
  log: Log
}

/** How many requests may be answered at the same time. */
const mostTransfers = 256
/** How long a request may go without a message from the service before it is aborted. */
const abandonedMs = 60_000
const sweepMs = 5_000

/**
 * Answers requests that the service relays to this machine, until it is stopped. A body travels in pieces, each of which is requested or
 * acknowledged: so a slow reader slows down the disk here, and nothing is stored in between.
 */
export function serveHttp (
  { nc, subjects }: Pick<NatsLink, 'nc' | 'subjects'>, machine: string, app: Pick<MachineApp, 'handle'>,
  { patienceMs = 2_000, log }: ServeHttpOptions
) {
  const transfers = new Map<string, Transfer>()

  async function answer (asked: RelayMessage, bytes: Buffer): Promise<{ said: RelayReply, bytes?: Buffer }> {
    if (asked.kind === 'begin') {
      if (transfers.size >= mostTransfers) return { said: { state: 'busy' } }
      const { id } = asked
      const transfer = new Transfer({ app, asked, body: bytes, patienceMs, onEnd: () => transfers.delete(id), log })
      transfers.set(id, transfer)
      return asked.streamed ? { said: { state: 'pending' } } : await transfer.answer()
    }
    const transfer = transfers.get(asked.id)
    if (transfer === undefined) return { said: { state: 'lost' } }
    transfer.touch()
    switch (asked.kind) {
      case 'piece': return { said: await transfer.take(asked, bytes) }
      case 'answer': return await transfer.answer()
      case 'read': return await transfer.read(asked.number)
      case 'stop': transfer.stop(); break
      case 'hold': break
    }
    return { said: { state: 'taken' } }
  }

  const subscription = nc.subscribe(subjects.ask(machine, 'http'), {
    callback (error, message) {
      if (error !== null) return log('requests of the service cannot be received', { reason: String(error) })
      void (async () => {
        const { head, bytes } = decode(message.data)
        // It is not validated, because the service has the same release. A head that does not fit fails only this request.
        const { said, bytes: beside } = await answer(head as unknown as RelayMessage, bytes)
        if (message.reply !== undefined && message.reply !== '') message.respond(encode(said, beside))
      })().catch((error: unknown) => log('a request of the service was not answered', { reason: String(error) }))
    }
  })
  const sweep = setInterval(() => {
    for (const transfer of [...transfers.values()]) if (transfer.idleMs > abandonedMs) transfer.stop()
  }, sweepMs)
  sweep.unref()

  return {
    /** Returns the number of requests that are being answered. */
    size: (): number => transfers.size,
    /** Stops answering, and aborts the requests in progress. */
    stop (): void {
      clearInterval(sweep)
      subscription.unsubscribe()
      for (const transfer of [...transfers.values()]) transfer.stop()
    }
  }
}
