/** CPU time after which something counts as stuck: if the time grows with the square of the input, it is many times this. */
const limitMs = 3_000

/** Returns the CPU time that `work` took, in milliseconds; null if it is within the limit. */
export function longMs (work: () => unknown): number | null {
  const began = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(began)
  const usedMs = (user + system) / 1_000
  return usedMs > limitMs ? Math.round(usedMs) : null
}
