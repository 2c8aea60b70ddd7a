import { Value } from '@sinclair/typebox/value'
import { Unavailable } from '../../ground/errors.js'
import { fieldsOf } from '../../ground/fields.js'
import { type Log } from '../../ground/log.js'
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
  isThere: (machine: string) => boolean
  log: Log
}

/** How long a question may take: a request is waiting for the answer. */
const answerMs = 5_000

export const unreachable = (machine: string, why = 'is not reachable'): Unavailable =>
  new Unavailable(`The machine ${machine} ${why}`, 'host_unreachable')

/** Asks other machines small things about their folders. */
export function createAsking ({ link, isThere, log }: AskingOptions) {
  return {
    /**
     * Throws Unavailable (`host_unreachable`) if the machine does not answer in time or answers in an invalid form, and the machine's own
     * error if it refuses.
     */
    async ask<Q extends Question> (
      machine: string, what: Q, body: QuestionBody<Q>, { timeoutMs = answerMs }: { timeoutMs?: number } = {}
    ): Promise<QuestionAnswer<Q>> {
      const told = await send(machine, what, body, timeoutMs)
      const { answer, refused } = fieldsOf(told)
      const refusal = refused === undefined ? null : errorOf(refused)
      if (refusal !== null) throw refusal
      if (refused === undefined && Value.Check(questions[what].answer, answer)) return answer as QuestionAnswer<Q>
      log('a machine sent an invalid answer', { machine, what })
      throw unreachable(machine, 'does not answer as it should; its log may have the details')
    }
  }

  async function send (machine: string, what: Question, body: unknown, timeoutMs: number): Promise<unknown> {
    const connected = await link()?.catch(() => null) ?? null
    if (connected === null || !connected.isConnected() || !isThere(machine)) throw unreachable(machine)
    const { pack, unpack } = await import('../../ground/nats/packets.js')
    try {
      const { payload, headers } = await pack(connected, machine, body)
      return await unpack(
        connected, machine, await connected.nc.request(connected.subjects.ask(machine, what), payload, { timeout: timeoutMs, headers })
      )
    } catch (error) {
      log('a machine does not answer', { machine, what, reason: String(error) })
      throw unreachable(machine, error instanceof Error && error.name === 'TimeoutError' ? 'did not answer in time' : undefined)
    }
  }
}

export type Asking = ReturnType<typeof createAsking>
