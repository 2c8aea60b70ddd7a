/**
 * One after the other: what is asked for while something runs waits for it. What nobody waits for gives way to whatever
 * comes, and its rest is dropped.
 */
export function createYieldingQueue () {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  let yielding: AbortController | null = null

  /** Rejects with the signal's reason when it aborts before its turn has come; `work` is left out then. */
  async function run<T> (work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    waiting++
    yielding?.abort()
    let hasBegun = false
    const begin = async (): Promise<T> => {
      signal?.throwIfAborted()
      hasBegun = true
      return await work()
    }
    const own = last.then(begin)
    last = own.catch(() => {})
    const tooLate = Promise.withResolvers<never>()
    const giveUp = (): void => {
      if (!hasBegun) tooLate.reject(signal?.reason instanceof Error ? signal.reason : new Error('It was given up'))
    }
    signal?.addEventListener('abort', giveUp, { once: true })
    try {
      return await Promise.race([own, tooLate.promise])
    } finally {
      signal?.removeEventListener('abort', giveUp)
      waiting--
    }
  }

  return {
    run,

    /**
     * Runs `work` only when nothing else does; its signal aborts as soon as something else is to
     * run. False when it did not come to its end.
     */
    async runIdle (work: (signal: AbortSignal) => Promise<void>): Promise<boolean> {
      if (waiting > 0) return false
      const own = new AbortController()
      await run(async () => {
        if (waiting > 1) return own.abort()
        yielding = own
        await work(own.signal).catch((error: unknown) => { if (!own.signal.aborted) throw error }).finally(() => { yielding = null })
      })
      return !own.signal.aborted
    },

    isIdle: (): boolean => waiting === 0
  }
}
