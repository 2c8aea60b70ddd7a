/**
 * Calls listeners by the name of an event. `Events` has a function per event: its parameters are what listeners are told, its result is
 * what they answer to {@link Listeners.gather}. Listeners are called at once, in the order in which they were added. A listener that throws
 * or rejects cannot harm the emitter or other listeners: the error goes to `failed`.
 */
export class Listeners<Events extends { [Name in keyof Events]: (...args: never[]) => unknown }> {
  readonly #added = new Map<keyof Events, Array<(...args: never[]) => unknown>>()

  constructor (readonly failed: (event: string, error: unknown) => void) {}

  /** Bound, so that an area can expose this method alone. */
  readonly on = <Name extends keyof Events>(name: Name, listener: Events[Name]): void => {
    this.#added.set(name, [...this.#added.get(name) ?? [], listener])
  }

  /** Calls all listeners without waiting for them. */
  emit<Name extends keyof Events> (name: Name, ...args: Parameters<Events[Name]>): void {
    void this.gather(name, ...args)
  }

  /** Calls all listeners, and throws what one of them throws: told inside a write, which is stored with what they write, or not at all. */
  emitInWrite<Name extends keyof Events> (name: Name, ...args: Parameters<Events[Name]>): void {
    for (const listener of this.#added.get(name) ?? []) listener(...args)
  }

  /**
   * Calls all listeners and resolves with their answers, in order, once all have answered. Listeners that fail are left out. Never rejects.
   */
  async gather<Name extends keyof Events> (
    name: Name, ...args: Parameters<Events[Name]>
  ): Promise<Array<Awaited<ReturnType<Events[Name]>>>> {
    const answers = (this.#added.get(name) ?? []).map(async (listener) => ({
      answer: await listener(...args) as Awaited<ReturnType<Events[Name]>>
    }))
    const outcomes = await Promise.allSettled(answers)
    return outcomes.flatMap((outcome) => {
      if (outcome.status === 'fulfilled') return [outcome.value.answer]
      this.failed(String(name), outcome.reason)
      return []
    })
  }
}

/** The part of {@link Listeners} that other areas see. */
export interface Subscribable<Events extends { [Name in keyof Events]: (...args: never[]) => unknown }> {
  on<Name extends keyof Events> (name: Name, listener: Events[Name]): void
}
