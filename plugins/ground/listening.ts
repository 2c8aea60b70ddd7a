import { type FastifyReply } from 'fastify'

/** Returns a signal that is aborted when the connection of an answer closes. */
export function whenGone ({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  if (raw.destroyed) controller.abort()
  else raw.once('close', () => controller.abort())
  return controller.signal
}

/** Does the work that an answer waits for, with a signal that is aborted if the client has gone before the end. */
export async function whileListening<T> ({ raw }: FastifyReply, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const gone = (): void => controller.abort()
  if (raw.destroyed) gone()
  raw.once('close', gone)
  try {
    return await work(controller.signal)
  } finally {
    raw.off('close', gone)
  }
}
