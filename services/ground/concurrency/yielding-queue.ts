/**
 * Runs work one at a time, in order of arrival. Idle work, for which no caller waits, yields to any other: it is aborted, and its rest is
 * dropped.
 */
export function createYieldingQueue () {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  let yielding: AbortController | null = null

  /** Runs `work` in its turn. Rejects with the signal's reason if the signal aborts before that, and then does not run `work`. */
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
     * Runs `work` only if nothing else runs or waits. Its signal aborts as soon as other work arrives. Returns false if `work` was aborted
     * or did not run.
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
