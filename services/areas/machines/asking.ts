import { Value } from '@sinclair/typebox/value'
import { Unavailable } from '../../ground/errors.js'
import { fieldsOf } from '../../ground/fields.js'
import { type NatsLink } from '../../ground/nats/link.js'
import { questions, type Question, type QuestionAnswer, type QuestionBody } from './questions.js'
import { errorOf } from './refusals.js'

export interface AskingOptions {
  /** Null where no machine can join this service. */
  link: () => Promise<NatsLink> | null
  /** One that has not told that it is there is not asked: between accounts of a NATS server nobody says that there is nobody. */
  isThere: (host: string) => boolean
  log: (message: string, details: Record<string, unknown>) => void
}

/** Somebody waits for each of these. */
const answerMs = 5_000

export const unreachable = (host: string, why = 'is not reachable'): Unavailable =>
  new Unavailable(`The machine ${host} ${why}`, 'host_unreachable')

/** Asks other machines small things about their folders. */
export function createAsking ({ link, isThere, log }: AskingOptions) {
  return {
    /**
     * Throws Unavailable (`host_unreachable`) when the machine does not answer in time, or not as it should, and what it has
     * refused with.
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
