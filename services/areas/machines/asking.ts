import { Value } from '@sinclair/typebox/value'
import { Unavailable } from '../../ground/errors.js'
import { fieldsOf } from '../../ground/fields.js'
import { type NatsLink } from '../../ground/nats/link.js'
import { questions, type Question, type QuestionAnswer, type QuestionBody } from './questions.js'
import { errorOf } from './refusals.js'

export interface AskingOptions {
  /** Null where no machine can join this service. */
  link: () => Promise<NatsLink> | null
  /**
   * Whether a machine has reported that it is there. One that has not is not asked: between accounts of a NATS server, "no responders" is
   * never sent.
   */
  isThere: (host: string) => boolean
  log: (message: string, details: Record<string, unknown>) => void
}

/** How long a question may take: a request is waiting for the answer. */
const answerMs = 5_000

export const unreachable = (host: string, why = 'is not reachable'): Unavailable =>
  new Unavailable(`The machine ${host} ${why}`, 'host_unreachable')

/** Asks other machines small things about their folders. */
export function createAsking ({ link, isThere, log }: AskingOptions) {
  return {
    /**
     * Throws Unavailable (`host_unreachable`) if the machine does not answer in time or answers in an invalid form, and the machine's own
     * error if it refuses.
     */
    async ask<Q extends Question> (
      host: string, what: Q, body: QuestionBody<Q>, { timeoutMs = answerMs }: { timeoutMs?: number } = {}
    ): Promise<QuestionAnswer<Q>> {
      const told = await send(host, what, body, timeoutMs)
      const { answer, refused } = fieldsOf(told)
      const refusal = refused === undefined ? null : errorOf(refused)
      if (refusal !== null) throw refusal
      if (refused === undefined && Value.Check(questions[what].answer, answer)) return answer as QuestionAnswer<Q>
      log('a machine sent an invalid answer', { host, what })
      throw unreachable(host, 'does not answer as it should; its log may have the details')
    }
  }

  async function send (host: string, what: Question, body: unknown, timeoutMs: number): Promise<unknown> {
    const connected = await link()?.catch(() => null) ?? null
    if (connected === null || !connected.isConnected() || !isThere(host)) throw unreachable(host)
    const { pack, unpack } = await import('../../ground/nats/packets.js')
    try {
      const { payload, headers } = await pack(connected, host, body)
      return await unpack(
        connected, host, await connected.nc.request(connected.subjects.ask(host, what), payload, { timeout: timeoutMs, headers })
      )
    } catch (error) {
      log('a machine does not answer', { host, what, reason: String(error) })
      throw unreachable(host, error instanceof Error && error.name === 'TimeoutError' ? 'did not answer in time' : undefined)
    }
  }
}

export type Asking = ReturnType<typeof createAsking>
