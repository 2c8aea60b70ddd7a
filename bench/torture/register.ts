/**
 * What a value may be after a crash: the last one that was acknowledged, or one that was sent after it and not answered.
 */
export interface Register<T> {
  /** Sends `value` by `send`, which says whether it was acknowledged. A refusal changes nothing; a throw leaves it open. */
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
