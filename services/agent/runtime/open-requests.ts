/** Messages that have no answer yet, by id. */
export class OpenRequests<T> {
  readonly #entries = new Map<string, (answer: T | null) => void>()

  get size (): number { return this.#entries.size }

  /** Resolves with the answer to an id; null if there is none in time, or none will come. */
  async answer (id: string, timeoutMs: number): Promise<T | null> {
    return await new Promise((resolve) => {
      const settle = (answer: T | null): void => {
        clearTimeout(timer)
        this.#entries.delete(id)
        resolve(answer)
      }
      const timer = setTimeout(settle, timeoutMs, null)
      this.#entries.set(id, settle)
    })
  }

  /** Delivers an answer. Ignored if nothing waits for it. */
  settle (id: string, answer: T): void {
    this.#entries.get(id)?.(answer)
  }

  /** Ends all waiting with null. */
  giveUp (): void {
    for (const settle of [...this.#entries.values()]) settle(null)
  }
}
