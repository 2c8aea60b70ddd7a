import { type sessionFrames } from '../../../schemas/sessions.js'
import { frameReader, type NewFrame } from '../../ground/events/index.js'

const dataOf = frameReader<typeof sessionFrames>()

/** Tells readers about turns that begin in the sessions they follow. What is published about other sessions costs one lookup in a map. */
export class Beginnings {
  readonly #listeners = new Map<string, Set<(streamId: string) => void>>()

  /** Calls the listener until the returned function is called. */
  on (sessionId: string, listener: (streamId: string) => void): () => void {
    const listeners = this.#listeners.get(sessionId) ?? new Set()
    this.#listeners.set(sessionId, listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0) this.#listeners.delete(sessionId)
    }
  }

  /** Called when something was published on the stream of a session. */
  heard (sessionId: string, make: () => NewFrame): void {
    const listeners = this.#listeners.get(sessionId)
    if (listeners === undefined) return
    const { event, data } = make()
    if (event !== 'server_turn_started') return
    const { stream_id: streamId } = dataOf(event, data)
    if (streamId !== null) for (const listener of [...listeners]) listener(streamId)
  }
}
