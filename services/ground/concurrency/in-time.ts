/**
 * Resolves with the result of `work`, or with undefined if it takes longer than `limitMs`; a later result is ignored. Rejects as `work`
 * does.
 */
export async function inTime<T> (limitMs: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => { timer = setTimeout(() => resolve(undefined), limitMs) })
  return await Promise.race([work, late]).finally(() => clearTimeout(timer))
}
