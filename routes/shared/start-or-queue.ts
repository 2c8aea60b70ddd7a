import { type Static } from '@sinclair/typebox'
import { type FastifyInstance } from 'fastify'
import { type Queued, type Started } from '../../schemas/chat.js'
import { startedToWire, type MessageInput } from '../../services/areas/chat/index.js'
import { type Place } from '../../services/areas/queue/index.js'

type SendAnswer = Static<typeof Started> | Static<typeof Queued>

const queuedToWire = ({ id, position }: Place): Static<typeof Queued> => ({ queued: true, queue_id: id, position })

/**
 * Sends a message: starts its turn or, with `ifBusy`, puts it into the queue if it cannot start. `accepted` is called with the answer, in
 * the transaction that stores the message.
 */
export function sender ({ chat, queue }: Pick<FastifyInstance, 'chat' | 'queue'>) {
  return async (
    input: Omit<MessageInput, 'accepted'>, ifBusy: 'queue' | undefined, accepted: (sent: SendAnswer) => void
  ): Promise<SendAnswer> => {
    const start = async (): Promise<Static<typeof Started>> =>
      startedToWire(await chat.send({ ...input, accepted: (turn) => accepted(startedToWire(turn)) }))
    if (ifBusy === undefined) return await start()
    const sent = await queue.send(input, start, (place) => accepted(queuedToWire(place)))
    return 'stream_id' in sent ? sent : queuedToWire(sent)
  }
}
