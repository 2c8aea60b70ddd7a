import { Value } from '@sinclair/typebox/value'
import { type Msg } from '@nats-io/nats-core'
import { isKeyOf } from '../services/ground/one-of.js'
import { questions, refusalOf, type Question, type QuestionAnswer, type QuestionBody } from '../services/areas/machines/index.js'
import { type NatsLink } from '../services/ground/nats/link.js'
import { pack, unpack } from '../services/ground/nats/packets.js'
import { type Log } from '../services/ground/log.js'

/** A machine's answer to each question. A DomainError that an answer throws is thrown again in the service. */
export type Answers = { [Q in Question]: (body: QuestionBody<Q>) => Promise<QuestionAnswer<Q>> }

export interface ServeQuestionsOptions {
  link: NatsLink
  /** The name of this machine. */
  machine: string
  /** Questions that are missing here are not answered. */
  answers: Partial<Answers>
  log: Log
}

/** Answers the service's questions about the folders of this machine, until it is stopped. */
export function serveQuestions ({ link, machine, answers, log }: ServeQuestionsOptions): { stop (): void } {
  async function answer<Q extends Question> (what: Q, message: Msg): Promise<unknown> {
    try {
      const body = await unpack(link, machine, message)
      if (!Value.Check(questions[what].body, body)) return { refused: { kind: 'Invalid', message: 'This question is not understood' } }
      return { answer: await answers[what]?.(body) }
    } catch (error) {
      const refused = refusalOf(error)
      if (refused === null) log('a question could not be answered', { what, reason: String(error) })
      return {
        refused: refused ??
        { kind: 'Unavailable', code: 'host_unreachable', message: `Something went wrong on the machine ${machine}; its log has the details` }
      }
    }
  }

  const answered = Object.keys(questions).filter((what) => isKeyOf(answers, what))
  const subscriptions = answered.map((what) => link.nc.subscribe(link.subjects.ask(machine, what), {
    callback (failure, message) {
      if (failure !== null) return
      answer(what, message)
        .then(async (said) => {
          const { payload, headers } = await pack(link, machine, said)
          message.respond(payload, { headers })
        })
        .catch((error: unknown) => log('an answer could not be sent', { what, reason: String(error) }))
    }
  }))
  return { stop: () => { for (const subscription of subscriptions) subscription.unsubscribe() } }
}
