import { type Static } from '@sinclair/typebox'
import { type InsightsBreakdown } from '../../../schemas/insights.js'
import { type Breathe } from './breathing.js'
import { type UseByDay } from './daily-use.js'
import { type ProjectSessions, type PromptCount } from './rows.js'
import { toMoney } from './shares.js'
import { add, type Use, type UsedDay } from './used-day.js'

type Breakdown = Static<typeof InsightsBreakdown>

/** `jobNames`: the current names of jobs that still exist; `toolsSince`: the first day with a tool call, YYYY-MM-DD. */
export interface BreakdownMaterial {
  used: UseByDay
  inProjects: readonly ProjectSessions[]
  jobNames: ReadonlyMap<string, string>
  toolsSince: string | null
}

/** Breaks the same use down by kind of turn, project, tool and job, and counts how prompts ended. */
export async function breakdown ({ used, inProjects, jobNames, toolsSince }: BreakdownMaterial, breathe: Breathe): Promise<Breakdown> {
  const kinds = new Map<string, Use>()
  for (const { kinds: ofDay } of used.days) for (const [kind, use] of ofDay) add(kinds, kind, use)
  await breathe()
  const places = placesOf(used, inProjects)
  await breathe()
  const ofProjects = byProject(places, used.days)
  await breathe()
  return {
    period_days: used.days.length,
    kinds: dearestFirst(kinds).map(([kind, use]) => ({ kind, ...useToWire(use) })),
    projects: dearestFirst(ofProjects).map(([id, use]) => ({ project_id: id, name: nameIn(places, id), ...useToWire(use) })),
    tools: toolList(used),
    tools_since: toolsSince,
    jobs: jobList(used, jobNames),
    prompts: promptsToWire(used.days.flatMap(({ prompts }) => prompts))
  }
}

/** The projects that sessions are in now: `ofSession` holds, for each session's number, an index into `ids`; index 0 means no project. */
export interface Places { ids: Array<string | null>, names: Map<string, string>, ofSession: Uint32Array }

export function placesOf ({ sessions }: UseByDay, inProjects: readonly ProjectSessions[]): Places {
  const ofSession = new Uint32Array(sessions.size)
  for (const [index, { sessions: ids }] of inProjects.entries()) {
    for (const id of ids) {
      const number = sessions.find(id)
      if (number !== undefined) ofSession[number] = index + 1
    }
  }
  return {
    ids: [null, ...inProjects.map(({ projectId }) => projectId)],
    names: new Map(inProjects.map(({ projectId, name }) => [projectId, name])), ofSession
  }
}

export const nameIn = ({ names }: Places, id: string | null): string | null => id === null ? null : names.get(id) ?? null

/** Returns the use of each project's sessions; the key null is for sessions without a project. */
export function byProject ({ ids, ofSession }: Places, days: readonly UsedDay[]): Map<string | null, Use> {
  const sums = ids.map((): Use => ({ turns: 0, tokens: 0, cost: 0 }))
  const isUsed = new Uint8Array(ids.length)
  for (const { sessions: { numbers, turns, tokens, cost } } of days) {
    // An indexed loop for speed: a year has some hundred thousand entries.
    for (let index = 0; index < numbers.length; index++) {
      const place = ofSession[numbers[index] ?? 0] ?? 0
      const sum = sums[place]
      if (sum === undefined) continue
      isUsed[place] = 1
      sum.turns += turns[index] ?? 0
      sum.tokens += tokens[index] ?? 0
      sum.cost += cost[index] ?? 0
    }
  }
  return new Map(sums.map((sum, place) => [ids[place] ?? null, sum] as const).filter((_, place) => isUsed[place] === 1))
}

/** Lists tools by number of calls, most first. */
function toolList ({ days, tools }: UseByDay): Breakdown['tools'] {
  const sums = Array.from({ length: tools.size }, () => ({ calls: 0, failures: 0, seconds: 0 }))
  for (const { tools: { numbers, ...ofDay } } of days) {
    for (const [index, number] of numbers.entries()) {
      const sum = sums[number]
      if (sum !== undefined) for (const what of ['calls', 'failures', 'seconds'] as const) sum[what] += ofDay[what][index] ?? 0
    }
  }
  return sums.map(({ calls, failures, seconds }, number) => ({
    tool: tools.name(number), calls, failures, total_seconds: toMoney(seconds), mean_seconds: toMoney(seconds / calls)
  }))
    .filter(({ calls }) => calls > 0)
    .sort((a, b) => b.calls - a.calls || a.tool.localeCompare(b.tool, 'en'))
}

/** Lists jobs by cost, highest first. A job may have use without a run that has ended, and vice versa. */
function jobList ({ days }: UseByDay, names: ReadonlyMap<string, string>): Breakdown['jobs'] {
  const jobs = new Map<string, Use & { name: string | null, runs: number, failures: number }>()
  const entry = (id: string) => {
    let job = jobs.get(id)
    if (job === undefined) jobs.set(id, job = { name: null, runs: 0, failures: 0, turns: 0, tokens: 0, cost: 0 })
    return job
  }
  for (const { runs } of days) {
    for (const ran of runs) {
      const job = entry(ran.jobId)
      job.name = names.get(ran.jobId) ?? ran.name
      job.runs += ran.runs
      job.failures += ran.failures
    }
  }
  for (const { jobs: ofDay } of days) {
    for (const [jobId, { turns, tokens, cost }] of ofDay) {
      const job = entry(jobId)
      job.turns += turns
      job.tokens += tokens
      job.cost += cost
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
    const sum = (fits: (entry: PromptCount) => boolean): number =>
      counts.filter((entry) => entry.kind === kind && fits(entry)).reduce((total, { count }) => total + count, 0)
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
