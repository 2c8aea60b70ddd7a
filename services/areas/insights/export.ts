import { toCsvLine } from '../../ground/text/csv.js'
import { type Day } from '../../ground/time/day.js'
import { byProject, nameIn, placesOf, promptsToWire, useToWire, type BreakdownMaterial } from './breakdown.js'
import { toMoney } from './shares.js'
import { type WholeDay } from './used-day.js'

/** What the rows of an export are grouped by, besides the day. */
export type ExportPart = 'model' | 'kind' | 'project' | 'tool' | 'job' | 'prompt'
export type ExportRow = Record<string, string | number | null>

export interface ExportMaterial extends BreakdownMaterial { days: Day[] }

const use = ['turns', 'total_tokens', 'cost'] as const

const columns: Record<ExportPart, readonly string[]> = {
  model: ['date', 'model', 'turns', 'input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_write_tokens', 'cost'],
  kind: ['date', 'kind', ...use],
  project: ['date', 'project_id', 'name', ...use],
  tool: ['date', 'tool', 'calls', 'failures', 'total_seconds'],
  job: ['date', 'job_id', 'name', 'runs', 'failures', ...use],
  prompt: ['date', 'kind', 'asked', 'allowed', 'denied', 'answered', 'expired', 'cancelled', 'open']
}

/** Returns a row for each day and each model, kind, … used on that day, oldest first. */
export function exportRows (part: ExportPart, material: ExportMaterial): ExportRow[] {
  const ofDay = rowsOf[part](material)
  return material.days.flatMap(({ date }, index) => {
    const used = material.used.days[index]
    return used === undefined ? [] : ofDay(used).map((row) => ({ date, ...row }))
  })
}

const rowsOf: Record<ExportPart, (material: ExportMaterial) => (day: WholeDay) => ExportRow[]> = {
  model: () => ({ models }) => models.map(({ model, turns, cost, ...tokens }) => ({
    model,
    turns,
    input_tokens: tokens.inputTokens,
    output_tokens: tokens.outputTokens,
    cache_read_tokens: tokens.cacheReadTokens,
    cache_write_tokens: tokens.cacheWriteTokens,
    cost: cost === null ? null : toMoney(cost)
  })),
  kind: () => ({ kinds }) => [...kinds].map(([kind, use]) => ({ kind, ...useToWire(use) })),
  project: ({ used, inProjects }) => {
    const places = placesOf(used, inProjects)
    return (day) =>
      [...byProject(places, [day])].map(([id, use]) => ({ project_id: id, name: nameIn(places, id), ...useToWire(use) }))
  },
  tool: ({ used: { tools: names } }) => ({ tools: { numbers, calls, failures, seconds } }) => Array.from(numbers, (number, index) => ({
    tool: names.name(number), calls: calls[index] ?? 0, failures: failures[index] ?? 0, total_seconds: toMoney(seconds[index] ?? 0)
  })),
  job: ({ jobNames }) => ({ runs, jobs }) => {
    const ran = new Map(runs.map((entry) => [entry.jobId, entry]))
    return [...new Set([...ran.keys(), ...jobs.keys()])].map((id) => {
      const run = ran.get(id)
      const name = run === undefined ? null : jobNames.get(id) ?? run.name
      return {
        job_id: id, name, runs: run?.runs ?? 0, failures: run?.failures ?? 0, ...useToWire(jobs.get(id) ?? { turns: 0, tokens: 0, cost: 0 })
      }
    })
  },
  prompt: () => ({ prompts }) => promptsToWire(prompts).filter(({ asked }) => asked > 0)
}

/** Formats rows as CSV, with a header line. */
export function toCsv (part: ExportPart, rows: ExportRow[]): string {
  const names = columns[part]
  return [toCsvLine(names), ...rows.map((row) => toCsvLine(names.map((name) => row[name] ?? null)))].join('')
}
