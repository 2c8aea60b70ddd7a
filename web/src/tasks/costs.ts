import { type Run } from './history.js'

const daysOfMonth = 30

/** What a run has cost on average, in US dollars; null: nothing, as far as prices are known. */
export function costOfRun (runs: ReadonlyArray<Pick<Run, 'usage'>>): number | null {
  const costs = runs.flatMap(({ usage }) => usage?.estimated_cost ?? [])
  const total = costs.reduce((sum, cost) => sum + cost, 0)
  return total === 0 ? null : total / costs.length
}

/** How often a schedule runs in a month, by its next runs; null: it does not go on. */
export function runsOfMonth (nextRuns: readonly string[]): number | null {
  const [first, last] = [nextRuns[0], nextRuns.at(-1)]
  if (first === undefined || last === undefined || nextRuns.length < 2) return null
  const days = (Date.parse(last) - Date.parse(first)) / 86_400_000
  return days <= 0 ? null : daysOfMonth * (nextRuns.length - 1) / days
}
