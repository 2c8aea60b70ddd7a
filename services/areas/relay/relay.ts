import { type Readable } from 'node:stream'
import { RelayFailed, Unavailable } from '../../ground/errors.js'
import { type NatsLink } from '../../ground/nats/link.js'
import { AnswerBody } from './answer-body.js'
import { type Guest } from './guest.js'
import { decode, encode, pieceBytes, type RelayMessage } from './packet.js'
import { passOn, untilAnswered } from './request-body.js'
import { vetted } from './vetting.js'

export interface RelayOptions {
  /** Returns the connection to the machines; null while there is none. */
  link: () => Pick<NatsLink, 'nc' | 'subjects' | 'isConnected'> | null
  /** Whether a machine has reported that it is there; one that has not is not asked. */
  isThere?: (machine: string) => boolean
  timing?: Partial<RelayTiming>
}

interface RelayTiming {
  /** A machine that sends nothing for this long counts as unreachable; while it works, it reports more often than this. */
  silenceMs: number
  /** The longest wait for an answer. */
  answerMs: number
  /** The longest that a machine is asked to wait before it reports that it is still working. */
  holdMs: number
}

export interface RelayedRequest {
  method: string
  url: string
  headers: Record<string, string>
  guest: Guest
  /** A stream is passed on while it arrives. */
  body: Buffer | Readable | null
}

export interface RelayedAnswer {
  status: number
  headers: Record<string, string>
  /** Bytes if they came with the head. A stream must be read or destroyed. */
  body: Buffer | Readable
}

const usualTiming: RelayTiming = { silenceMs: 8_000, answerMs: 10 * 60_000, holdMs: 20_000 }

/** Relays requests of the interface about workspaces on other machines to those machines. */
export function createRelay ({ link, isThere = () => true, timing: wanted }: RelayOptions) {
  const timing = { ...usualTiming, ...wanted }

  function connected (machine: string): NonNullable<ReturnType<typeof link>> {
    const current = link()
    if (current?.isConnected() !== true || !isThere(machine)) throw unreachable(machine)
    return current
  }

  /** Throws Unavailable (`host_unreachable`) if the machine does not listen, RelayFailed if it does not respond in time. */
  async function ask (machine: string, asked: RelayMessage, bytes?: Uint8Array): Promise<{ head: Record<string, unknown>, bytes: Buffer }> {
    const { nc, subjects } = connected(machine)
    let answer: Uint8Array
    try {
      answer = (await nc.request(subjects.ask(machine, 'http'), encode(asked, bytes), { timeout: timing.silenceMs })).data
    } catch (error) {
      // A request that has begun may already have taken effect; a GET has no effects.
      throw isSilence(error) && (asked.kind !== 'begin' || asked.method !== 'GET') ? brokenOff(machine) : unreachable(machine)
    }
    try {
      return decode(answer)
    } catch {
      throw noAnswer(machine)
    }
  }

  function tell (machine: string, asked: RelayMessage): void {
    const current = link()
    // A machine that does not receive this stops by itself after a while.
    if (current?.isConnected() === true) current.nc.publish(current.subjects.ask(machine, 'http'), encode(asked))
  }

  return {
    /**
     * Has a machine answer a request. Throws Unavailable (`host_unreachable`), and RelayFailed if the connection breaks off, the answer
     * takes too long or is invalid. When `signal` aborts, the machine is told, and stops working on the request.
     */
    async send (machine: string, { body, ...request }: RelayedRequest, signal: AbortSignal): Promise<RelayedAnswer> {
      const id = crypto.randomUUID()
      const isWhole = body === null || (Buffer.isBuffer(body) && body.length <= pieceBytes)
      const stop = (): void => tell(machine, { id, kind: 'stop' })
      signal.addEventListener('abort', stop, { once: true })
      const hold = setInterval(() => tell(machine, { id, kind: 'hold' }), timing.holdMs)
      hold.unref()
      try {
        let said = await ask(machine, { id, kind: 'begin', ...request, streamed: !isWhole }, isWhole && body !== null ? body : undefined)
        if (!isWhole && said.head.state === 'pending') {
          await passOn(body, { id, ask: async (asked, bytes) => await ask(machine, asked, bytes), brokenOff: () => brokenOff(machine) })
        }
        const untilMs = performance.now() + timing.answerMs
        while (said.head.state === 'pending' && !signal.aborted) {
          if (performance.now() > untilMs) throw new RelayFailed(`${machine} did not answer in time`)
          said = await ask(machine, { id, kind: 'answer' })
        }
        if (said.head.state === 'busy') throw new Unavailable(`${machine} is busy with other requests; try again in a moment`, 'busy')
        if (said.head.state !== 'answer') throw brokenOff(machine)
        const { status, headers } = vetted(machine, said.head)
        const hasBody = request.method !== 'HEAD' && status !== 304
        const lengthBytes = hasBody && headers['content-length'] !== undefined ? Number(headers['content-length']) : undefined
        if (lengthBytes !== undefined && (said.head.last === true ? said.bytes.length !== lengthBytes : said.bytes.length > lengthBytes)) {
          throw noAnswer(machine)
        }
        if (said.head.last === true) return { status, headers, body: said.bytes }
        return {
          status, headers, body: new AnswerBody({
            first: said.bytes, lengthBytes, holdMs: timing.holdMs,
            read: async (number) => await untilAnswered(async () => await ask(machine, { id, kind: 'read', number })),
            hold: () => tell(machine, { id, kind: 'hold' }), stop, brokenOff: () => brokenOff(machine)
          })
        }
      } catch (error) {
        stop()
        throw error
      } finally {
        clearInterval(hold)
        signal.removeEventListener('abort', stop)
      }
    }
  }
}

const unreachable = (machine: string): Unavailable =>
  new Unavailable(`The machine ${machine} cannot be reached right now`, 'host_unreachable', { retryAfterS: 5 })
const brokenOff = (machine: string): RelayFailed =>
  new RelayFailed(`The connection to the machine ${machine} was lost; the request may or may not have been carried out`)

const noAnswer = (machine: string): RelayFailed => new RelayFailed(`${machine} sent an invalid answer`)

function isSilence (error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError'
}
