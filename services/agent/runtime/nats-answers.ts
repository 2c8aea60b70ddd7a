import { type JsMsg } from '@nats-io/jetstream'
import { type Msg } from '@nats-io/nats-core'
import { isLarge, unpack } from '../../ground/nats/packets.js'
import { readStartAnswer, type StartAnswer } from '../machine-messages.js'
import { type NatsTransportOptions } from './machines.js'

export const startRefused = (reason: string, message: string): StartAnswer => ({ taken: false, reason, message })

/** Reads a machine's answer to a turn that it was given. */
export function startAnswerIn (message: Msg, machine: string): StartAnswer {
  return readStartAnswer(message.json()) ??
    startRefused('no such answer', `The machine ${machine} has answered something that cannot be understood: it may be of another release.`)
}

/** Reads the value of a stream message; undefined if it cannot be read. Rejects while disconnected: then it is read again. */
export async function valueOf (message: JsMsg, machine: string, { link, log }: Pick<NatsTransportOptions, 'link' | 'log'>): Promise<unknown> {
  try {
    return isLarge(message) ? await unpack(link, machine, message, { isKept: true }) : message.json()
  } catch (error) {
    if (!link.isConnected()) throw error
    log('a message of a machine cannot be read', { machine, subject: message.subject, reason: String(error) })
    return undefined
  }
}
