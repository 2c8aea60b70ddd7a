/** The possible values after a crash: the last acknowledged one, or one that was sent after it without an answer. */
export interface Register<T> {
  /**
   * Sends `value` with `send`, which returns whether it was acknowledged. A refusal changes nothing; after an error, both
   * values are possible.
   */
  set (value: T, send: () => Promise<boolean>): Promise<void>
  allows (value: T): boolean
  /** Whether anything was acknowledged. */
  readonly isSet: boolean
  readonly candidates: readonly T[]
}

export function createRegister<T> (): Register<T> {
  let candidates: T[] = []
  let isSet = false
  return {
    async set (value, send) {
      const before = candidates
      candidates = [...candidates, value]
      if (await send()) {
        candidates = [value]
        isSet = true
      } else candidates = before
    },
    allows: (value) => !isSet || candidates.includes(value),
    get isSet () { return isSet },
    get candidates () { return candidates }
  }
}
