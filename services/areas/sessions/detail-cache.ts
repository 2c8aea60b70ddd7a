import { inOwnMemory } from '../../ground/own-memory.js'

const mostBytes = 32 * 1024 * 1024
const largestKept = 8 * 1024 * 1024

/**
 * Caches finished answers, or large parts of them, by session and by request. When they take too much memory, the sessions whose last
 * answer was stored longest ago are evicted.
 */
export class AnswerCache {
  readonly #bySession = new Map<string, Map<string, Buffer[]>>()
  #bytes = 0

  get size (): number { return this.#bySession.size }

  get (sessionId: string, key: string): Buffer[] | undefined {
    return this.#bySession.get(sessionId)?.get(key)
  }

  /** Returns the pieces as they are kept. */
  keep (sessionId: string, key: string, made: Buffer[]): Buffer[] {
    const bytes = sizeOf(made)
    if (bytes > largestKept) return made
    const pieces = made.map(inOwnMemory)
    const own = this.#bySession.get(sessionId) ?? new Map<string, Buffer[]>()
    // Two requests may have made the same answer at once.
    this.#bytes += bytes - sizeOf(own.get(key) ?? [])
    this.#bySession.delete(sessionId)
    this.#bySession.set(sessionId, own.set(key, pieces))
    for (const oldest of this.#bySession.keys()) {
      if (this.#bytes <= mostBytes) break
      this.forget(oldest)
    }
    return pieces
  }

  /** Called when a session has changed; without an id, any may have. */
  forget (sessionId?: string): void {
    if (sessionId === undefined) {
      this.#bySession.clear()
      this.#bytes = 0
      return
    }
    for (const pieces of this.#bySession.get(sessionId)?.values() ?? []) this.#bytes -= sizeOf(pieces)
    this.#bySession.delete(sessionId)
  }
}

const sizeOf = (pieces: readonly Buffer[]): number => pieces.reduce((sum, { length }) => sum + length, 0)
