import { type Database } from '../ground/database/index.js'

/** What was used within some time by one model, in one session, for one kind of thing. */
export interface UseRow {
  /** Of a turn, or what a call was made for; `deleted`: a turn from before that was kept, whose conversation is gone. */
  kind: string
  model: string
  sessionId: string
  jobId: string | null
  rows: number
  inputTokens: number
  outputTokens: number
  cacheReadTokens: number
  cacheWriteTokens: number
  /** US dollars; null when none of it has a known price. */
  cost: number | null
}

/** A conversation's last sign of life. */
export interface Activity { atS: number, messages: number }

/** One of another front end of this machine; what its use has cost is not known. */
export interface ForeignActivity extends Activity { id: string, model: string, inputTokens: number, outputTokens: number }

export interface PromptCount { kind: 'approval' | 'clarify', state: string, isDenied: number, count: number }

/** Of a day, YYYY-MM-DD. */
export interface ToolDay extends ToolSum { date: string }
export interface ToolSum { tool: string, calls: number, failures: number, durationS: number }
export interface JobDay { date: string, jobId: string, name: string, runs: number, failures: number }

/** A time from its first second up to, and without, its last (epoch seconds); a profile, or null for all. */
export interface Within { fromS: number, toS: number, profile: string | null }
/** The same in days, YYYY-MM-DD, the last one with them. */
export interface Dates { from: string, to: string, profile: string | null }

/**
 * What is counted, read from the tables of others with statements of its own: sums over a hundred thousand rows are not to
 * become objects first. Nothing is written.
 */
export function createInsightRows ({ sqlite }: Database) {
  const within = 'usage.created_at >= @fromS and usage.created_at < @toS and (@profile is null or usage.profile = @profile)'
  const used = sqlite.prepare<[Within], UseRow>(
    `select coalesce(usage.kind, streams.kind, 'deleted') as kind, coalesce(usage.model, 'unknown') as model, usage.session_id as sessionId, usage.job_id as jobId, count(*) as rows,
       sum(input_tokens) as inputTokens, sum(output_tokens) as outputTokens, sum(cache_read_tokens) as cacheReadTokens, sum(cache_write_tokens) as cacheWriteTokens, sum(cost) as cost
     from usage indexed by usage_by_time left join streams on usage.kind is null and streams.id = usage.stream_id where ${within} group by 1, 2, 3, 4`)
  const activeAt = 'coalesce(last_message_at, updated_at)'
  // Both values of `archived` are named so that the index, in which it stands before the time, can be used.
  const sessions = sqlite.prepare<[Omit<Within, 'toS'>], Activity>(
    `select ${activeAt} as atS, message_count as messages from sessions
     where archived in (0, 1) and ${activeAt} >= @fromS and (@profile is null or profile = @profile) and hidden = 0 and message_count > 0`)
  const foreign = sqlite.prepare<[fromS: number], ForeignActivity>(
    `select id, last_message_at as atS, message_count as messages, coalesce(model, 'unknown') as model, input_tokens as inputTokens, output_tokens as outputTokens
     from foreign_sessions where last_message_at >= ? and user_message_count > 0`)
  const inProjects = sqlite.prepare<[], { id: string, projectId: string, name: string }>(
    'select sessions.id as id, projects.id as projectId, projects.name as name from sessions join projects on projects.id = sessions.project_id')
  const prompts = sqlite.prepare<[Within], PromptCount>(
    `select kind, state, coalesce(prompts.answer = 'deny', 0) as isDenied, count(*) as count from prompts indexed by prompts_by_time join sessions on sessions.id = session_id
     where prompts.created_at >= @fromS and prompts.created_at < @toS and (@profile is null or profile = @profile) group by 1, 2, 3`)
  const tools = sqlite.prepare<[Dates], ToolDay>(
    `select date, tool, sum(calls) as calls, sum(failures) as failures, sum(duration_s) as durationS from tool_use
     where date >= @from and date <= @to and (@profile is null or profile = @profile) group by date, tool order by date, tool`)
  const toolSums = sqlite.prepare<[Dates], ToolSum>(
    `select tool, sum(calls) as calls, sum(failures) as failures, sum(duration_s) as durationS from tool_use
     where date >= @from and date <= @to and (@profile is null or profile = @profile) group by tool`)
  const jobs = sqlite.prepare<[Dates], JobDay>(
    `select date, job_use.job_id as jobId, coalesce(cron_jobs.name, job_use.name) as name, runs, failures from job_use left join cron_jobs on cron_jobs.id = job_use.job_id
     where date >= @from and date <= @to and (@profile is null or job_use.profile = @profile) order by date, runs desc`)
  const toolsSince = sqlite.prepare<[{ profile: string | null }], string | null>('select min(date) from tool_use where @profile is null or profile = @profile').pluck()
  const oldestOpen = sqlite.prepare<[], number | null>("select min(started_at) from streams where state <> 'closed'").pluck()
  const oldestPrompt = sqlite.prepare<[], number | null>("select min(created_at) from prompts where state in ('open', 'answering')").pluck()
  const writes = sqlite.prepare<[], number>('select total_changes()').pluck()

  return {
    used: (within: Within): UseRow[] => used.all(within),
    sessions: (within: Omit<Within, 'toS'>): Activity[] => sessions.all(within),
    foreign: (fromS: number): ForeignActivity[] => foreign.all(fromS),
    /** The sessions that are in a project now. */
    inProjects: () => inProjects.all(),
    prompts: (within: Within): PromptCount[] => prompts.all(within),
    tools: (dates: Dates): ToolSum[] => toolSums.all(dates),
    toolDays: (dates: Dates): ToolDay[] => tools.all(dates),
    jobs: (dates: Dates): JobDay[] => jobs.all(dates),
    /** The first day that a tool was called on in this release's books; null: none was. */
    toolsSince: (profile: string | null): string | null => toolsSince.get({ profile }) ?? null,
    /** When the oldest turn that is not over began, null where there is none: what was used before that is settled. */
    oldestOpen: (): number | null => oldestOpen.get() ?? null,
    /** The same of what nobody has answered yet. */
    oldestPrompt: (): number | null => oldestPrompt.get() ?? null,
    /** How many rows were written since the start: the same number, the same answers. */
    writes: (): number => writes.get()!
  }
}

export type InsightRows = ReturnType<typeof createInsightRows>
