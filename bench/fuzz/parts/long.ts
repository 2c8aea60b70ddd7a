/** Processor time after which something counts as stuck: what grows with the square of its input takes many times that. */
const limitMs = 3_000

/** How long `work` has kept this thread's processor busy, in milliseconds; null where that is no longer than it may be. */
export function longMs (work: () => unknown): number | null {
  const began = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(began)
  const usedMs = (user + system) / 1_000
  return usedMs > limitMs ? Math.round(usedMs) : null
}
