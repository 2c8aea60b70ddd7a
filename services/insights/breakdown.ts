import { type Static } from '@sinclair/typebox'
import { type InsightsBreakdown } from '../../schemas/insights.js'
import { add, type Use, type Used, type UsedDay } from './daily-use.js'
import { type JobDay, type PromptCount, type ToolSum } from './rows.js'
import { toMoney } from './shares.js'

type Breakdown = Static<typeof InsightsBreakdown>

/** Which project each session is in now. */
export type InProjects = ReadonlyArray<{ id: string, projectId: string, name: string }>

export interface BreakdownMaterial { used: Used, inProjects: InProjects, tools: ToolSum[], toolsSince: string | null, jobs: JobDay[] }

/** The same use by kind of turn, by project, tool and job, and what became of what was asked. */
export function breakdown ({ used, inProjects, tools, toolsSince, jobs }: BreakdownMaterial): Breakdown {
  const kinds = new Map<string, Use>()
  for (const { kinds: ofDay } of used.days) for (const [kind, use] of ofDay) add(kinds, kind, use)
  const names = new Map(inProjects.map(({ projectId, name }) => [projectId, name]))
  return {
    period_days: used.days.length,
    kinds: dearestFirst(kinds).map(([kind, use]) => ({ kind, ...useToWire(use) })),
    projects: dearestFirst(byProject(used, inProjects)).map(([id, use]) => ({ project_id: id, name: id === null ? null : names.get(id) ?? null, ...useToWire(use) })),
    tools: toolList(tools),
    tools_since: toolsSince,
    jobs: jobList(used, jobs),
    prompts: promptsToWire(used.days.flatMap(({ prompts }) => prompts))
  }
}

/** What each project's sessions have used; null: what belongs to none. `days`: others than all. */
export function byProject ({ numbers, sessions, days }: Used, inProjects: InProjects, ofDays: readonly UsedDay[] = days): Map<string | null, Use> {
  const ids: Array<string | null> = [null]
  const places = new Map<string, number>()
  const projectOf = new Uint32Array(sessions)
  for (const { id, projectId } of inProjects) {
    const number = numbers.get(id)
    if (number === undefined || number >= sessions) continue
    let place = places.get(projectId)
    if (place === undefined) {
      places.set(projectId, place = ids.length)
      ids.push(projectId)
    }
    projectOf[number] = place
  }
  const sums = ids.map((): Use => ({ turns: 0, tokens: 0, cost: 0 }))
  const isUsed = new Uint8Array(ids.length)
  for (const { sessions: { numbers: list, turns, tokens, cost } } of ofDays) {
    // By hand: there are some hundred thousand of them in a year.
    for (let index = 0; index < list.length; index++) {
      const place = projectOf[list[index]!]!
      const sum = sums[place]!
      isUsed[place] = 1
      sum.turns += turns[index]!
      sum.tokens += tokens[index]!
      sum.cost += cost[index]!
    }
  }
  return new Map(ids.map((id, place) => [id, sums[place]!] as const).filter((_, place) => isUsed[place] === 1))
}

/** What was called most comes first. */
function toolList (tools: readonly ToolSum[]): Breakdown['tools'] {
  return tools.map(({ tool, calls, failures, durationS }) => ({ tool, calls, failures, total_seconds: toMoney(durationS), mean_seconds: toMoney(durationS / calls) }))
    .sort((a, b) => b.calls - a.calls || a.tool.localeCompare(b.tool, 'en'))
}

/** The dearest first. A job may have used something without a run that has ended, and the other way round. */
function jobList (used: Used, days: readonly JobDay[]): Breakdown['jobs'] {
  const jobs = new Map<string, Use & { name: string | null, runs: number, failures: number }>()
  const entry = (id: string) => {
    let job = jobs.get(id)
    if (job === undefined) jobs.set(id, job = { name: null, runs: 0, failures: 0, turns: 0, tokens: 0, cost: 0 })
    return job
  }
  for (const { jobId, name, runs, failures } of days) {
    const job = entry(jobId)
    Object.assign(job, { name, runs: job.runs + runs, failures: job.failures + failures })
  }
  for (const { jobs: ofDay } of used.days) {
    for (const [jobId, { turns, tokens, cost }] of ofDay) {
      const job = entry(jobId)
      Object.assign(job, { turns: job.turns + turns, tokens: job.tokens + tokens, cost: job.cost + cost })
    }
  }
  return dearestFirst(jobs).map(([id, { name, runs, failures, ...use }]) => ({ job_id: id, name, runs, failures, ...useToWire(use) }))
}

function dearestFirst<K, T extends Use> (uses: Map<K, T>): Array<[K, T]> {
  return [...uses].sort(([, a], [, b]) => b.cost - a.cost || b.tokens - a.tokens)
}

export const useToWire = ({ turns, tokens, cost }: Use) => ({ turns, total_tokens: tokens, cost: toMoney(cost) })

export function promptsToWire (counts: readonly PromptCount[]): Breakdown['prompts'] {
  return (['approval', 'clarify'] as const).map((kind) => {
    const sum = (fits: (entry: PromptCount) => boolean): number => counts.filter((entry) => entry.kind === kind && fits(entry)).reduce((total, { count }) => total + count, 0)
    const answered = (entry: PromptCount): boolean => entry.state === 'answered'
    const isApproval = kind === 'approval'
    return {
      kind,
      asked: sum(() => true),
      allowed: isApproval ? sum((entry) => answered(entry) && entry.isDenied === 0) : 0,
      denied: isApproval ? sum((entry) => answered(entry) && entry.isDenied === 1) : 0,
      answered: sum(answered),
      expired: sum(({ state }) => state === 'expired'),
      cancelled: sum(({ state }) => state === 'cancelled'),
      open: sum(({ state }) => state === 'open' || state === 'answering')
    }
  })
}
