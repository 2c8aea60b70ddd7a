/**
 * Resolves as `work` does, or rejects as soon as `signal` aborts. Some providers notice an abort only at their next piece, and the turn
 * must not wait for that.
 */
export async function untilAborted<T> (work: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  const promise = Promise.resolve(work)
  if (signal.aborted) {
    promise.catch(() => {})
    throw signal.reason
  }
  return await new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
