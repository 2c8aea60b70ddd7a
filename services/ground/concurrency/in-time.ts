/** What comes of `work` within a time limit; undefined when it takes longer, and nobody hears of it then. Rejects as `work` does. */
export async function inTime<T> (limitMs: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => { timer = setTimeout(() => resolve(undefined), limitMs) })
  return await Promise.race([work, late]).finally(() => clearTimeout(timer))
}
