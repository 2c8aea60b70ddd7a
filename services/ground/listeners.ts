/**
 * Who wants to hear of what happens to something, by the name of the event. `Events` has a function per event: what it is
 * told, and for {@link Listeners.gather} what it answers. Listeners are called at once and in the order in which they were
 * added. None can harm the cause or the others: what one throws, or rejects with, goes to `failed` and changes nothing else.
 */
export class Listeners<Events extends { [Name in keyof Events]: (...args: never[]) => unknown }> {
  readonly #added = new Map<keyof Events, Array<(...args: never[]) => unknown>>()

  constructor (readonly failed: (event: string, error: unknown) => void) {}

  /** Bound, so that an area can hand on this alone. */
  readonly on = <Name extends keyof Events>(name: Name, listener: Events[Name]): void => {
    this.#added.set(name, [...this.#added.get(name) ?? [], listener])
  }

  /** Tells everybody, and waits for nobody. */
  emit<Name extends keyof Events> (name: Name, ...args: Parameters<Events[Name]>): void {
    void this.gather(name, ...args)
  }

  /** Tells everybody; resolves with what they answered, in their order, once all have. Those that failed are left out. Never rejects. */
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

/** The part of {@link Listeners} that others see. */
export interface Heard<Events extends { [Name in keyof Events]: (...args: never[]) => unknown }> {
  on<Name extends keyof Events> (name: Name, listener: Events[Name]): void
}
