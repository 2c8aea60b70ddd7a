import { encodedFrames, type Subscription } from '../../ground/events/index.js'

interface FollowedConversation {
  /** `"session_id":…`, as JSON. */
  whose: string
  subscription: Subscription
}

const tail = Buffer.from('}\n\n')

/**
 * The sessions that one reader follows, each with the frames of its own stream. A stream begins with the current state, so they need no
 * cursor.
 */
export class FollowedConversations {
  readonly #conversations: FollowedConversation[] = []

  constructor (private readonly wake: () => void) {}

  add (sessionId: string, subscription: Subscription): void {
    this.#conversations.push({ whose: `"session_id":${JSON.stringify(sessionId)}`, subscription })
    subscription.onReadable(this.wake)
  }

  /** If less than `maxBytes` is returned, nothing is left to read. */
  read (maxBytes: number): Buffer[] {
    const chunks: Buffer[] = []
    let bytes = 0
    for (const { whose, subscription } of this.#conversations) {
      for (;;) {
        if (bytes >= maxBytes) return chunks
        const taken = subscription.read(maxBytes - bytes)
        if (taken.length === 0) break
        for (const chunk of taken) {
          for (const { event, data } of encodedFrames(chunk)) {
            const made = Buffer.concat([
              Buffer.from(`event: conversation\ndata: {${whose},"event":${JSON.stringify(event)},"data":`), data, tail
            ])
            chunks.push(made)
            bytes += made.length
          }
        }
      }
    }
    return chunks
  }

  close (): void {
    for (const { subscription } of this.#conversations) subscription.close()
  }
}
