/** What a comparison finds: a value that should be there and is not, or something that was never asked for. */
export interface Differences { lost: string[], wrong: string[] }

/**
 * What must be there after a kill: by key, the values of which one is there (null: nothing is). A change that was acknowledged leaves one
 * value; one without an answer leaves two. Once compared, what was seen is certain, and has to stay.
 */
export class Book {
  readonly #allowed = new Map<string, Array<string | null>>()
  /** Values of things whose creation was sent and not answered, so their keys are not known. */
  readonly #unanswered = new Set<string>()
  /** How many changes were acknowledged. */
  changes = 0

  /** Returns the keys of what is certainly there. */
  keys (): string[] {
    return [...this.#allowed].filter(([, values]) => values.length === 1 && values[0] !== null).map(([key]) => key)
  }

  /** Returns the certain value of a key; undefined if there is none. */
  value (key: string): string | undefined {
    const values = this.#allowed.get(key)
    return values?.length === 1 ? values[0] ?? undefined : undefined
  }

  /** Returns the keys of everything that is there, was there, or may be there. */
  known (): string[] { return [...this.#allowed.keys()] }

  /** Notes what is there from the beginning. */
  note (key: string, value: string): void { this.#allowed.set(key, [value]) }

  /** Sends a change with `send`, which returns whether it was acknowledged; a refusal changes nothing. Rejects as `send` does. */
  async change (key: string, value: string | null, send: () => Promise<boolean>): Promise<void> {
    const before = this.#allowed.get(key) ?? [null]
    this.#allowed.set(key, [...before, value])
    const isDone = await send()
    this.#allowed.set(key, isDone ? [value] : before)
    if (isDone) this.changes++
  }

  /**
   * Sends a creation with `send`, which returns the key; null for a refusal. Rejects as `send` does, and then nothing more is sent before
   * the comparison: at most one thing with an unknown key is there, even if others have the same value.
   */
  async create (value: string, send: () => Promise<string | null>): Promise<string | null> {
    this.#unanswered.add(value)
    const key = await send()
    this.#unanswered.delete(value)
    if (key === null) return null
    this.#allowed.set(key, [value])
    this.changes++
    return key
  }

  /** Compares with everything that is there, in the order in which it is shown. */
  compare (shown: Iterable<readonly [key: string, value: string]>): Differences {
    const found: Differences = { lost: [], wrong: [] }
    const there = new Map<string, string>()
    for (const [key, value] of shown) {
      if (there.has(key)) found.wrong.push(`${key} is there twice: ${there.get(key)} and ${value}`)
      there.set(key, value)
    }
    for (const [key, values] of this.#allowed) {
      const value = there.get(key) ?? null
      if (!values.includes(value)) found.lost.push(`${key} is ${value ?? 'not there'}, and not ${values.map((one) => one ?? 'not there').join(' or ')}`)
      this.#allowed.set(key, [value])
    }
    for (const [key, value] of there) {
      if (this.#allowed.has(key)) continue
      if (!this.#unanswered.delete(value)) found.wrong.push(`${key} is there, which was not made, or twice: ${value}`)
      this.#allowed.set(key, [value])
    }
    this.#unanswered.clear()
    return found
  }

  /** How many things one comparison looks at. */
  get size (): number { return this.#allowed.size }
}
