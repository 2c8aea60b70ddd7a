/** Promise.withResolvers, which Node 20 does not have. */
export function withResolvers<T> () {
  let resolve!: (value: T) => void
  let reject!: (reason: Error) => void
  const promise = new Promise<T>((...settle) => { [resolve, reject] = settle })
  return { promise, resolve, reject }
}
