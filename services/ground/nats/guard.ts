import { type Msg } from '@nats-io/nats-core'
import { type NatsLink } from './link.js'

/**
 * Whether a message was handed out by the server itself, from a stream. Whoever may read a stream of theirs may have the server send what
 * lies there to any subject, past their permissions; the service says nothing in this way.
 */
export function isFromStream ({ reply, headers }: Pick<Msg, 'reply' | 'headers'>): boolean {
  return (reply?.startsWith('$JS.') ?? false) || (headers?.keys().some((name) => /^nats-(stream|sequence|subject)$/i.test(name)) ?? false)
}

/** From now on, what subscribers to the subjects of the prefix are handed has been sent by somebody whom the server allows to. For machines. */
export function guardSubjects ({ nc }: NatsLink, prefix: string): void {
  const subscribe = nc.subscribe.bind(nc)
  nc.subscribe = (subject, options = {}) => {
    const { callback } = options
    if (!subject.startsWith(`${prefix}.`)) return subscribe(subject, options)
    if (callback === undefined) throw new Error('What a machine is told is taken by a callback')
    return subscribe(subject, {
      ...options,
      callback (error, message) {
        if (error !== null || !isFromStream(message)) return callback(error, message)
      }
    })
  }
}
