import { type Run } from './history.js'

const daysOfMonth = 30

/** Returns the average cost of a run in US dollars; null if no costs are known. */
export function costOfRun (runs: ReadonlyArray<Pick<Run, 'usage'>>): number | null {
  const costs = runs.flatMap(({ usage }) => usage?.estimated_cost ?? [])
  const total = costs.reduce((sum, cost) => sum + cost, 0)
  return total === 0 ? null : total / costs.length
}

/** Returns how often a schedule runs in a month, estimated from its next runs; null if it does not repeat. */
export function runsOfMonth (nextRuns: readonly string[]): number | null {
  const [first, last] = [nextRuns[0], nextRuns.at(-1)]
  if (first === undefined || last === undefined || nextRuns.length < 2) return null
  const days = (Date.parse(last) - Date.parse(first)) / 86_400_000
  return days <= 0 ? null : daysOfMonth * (nextRuns.length - 1) / days
}
