import { oneRow, type Database } from '../../ground/database/index.js'

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
  /** 1: the kind is known by the turn alone. */
  isByTurn: number
}

/** A conversation's last sign of life. */
export interface Activity { id: string, atS: number, messages: number }

/** One of another front end of this machine; what its use has cost is not known. */
export interface ForeignActivity extends Activity {
  model: string
  inputTokens: number
  outputTokens: number
  cacheReadTokens: number
  /** 1: it goes on as a session of ours as well, which is counted as such; what was used for that is not in here. */
  isAttached: number
}

export interface PromptCount { kind: 'approval' | 'clarify', state: string, isDenied: number, count: number }

export interface ToolSum { tool: string, calls: number, failures: number, durationS: number }

/** A scheduled job's runs that have ended on a day; `name`: as it was called then. */
export interface JobRuns { jobId: string, name: string, runs: number, failures: number }

/** A project, and the sessions that are in it. */
export interface ProjectSessions { projectId: string, name: string, sessions: string[] }

/** A time from its first second up to, and without, its last (epoch seconds); a profile, or null for all. */
export interface Within { fromS: number, toS: number, profile: string | null }

/** A day, YYYY-MM-DD, of a profile, or of all. */
interface OfDate { date: string, profile: string | null }

/** So many rows are added up at once. */
const portion = 500

/**
 * What is counted, read from the tables of others with statements of its own: sums over a hundred thousand rows are not to
 * become objects first. Nothing is written.
 */
export function createInsightRows ({ sqlite }: Database) {
  const within = 'usage.created_at >= @fromS and usage.created_at < @toS and (@profile is null or usage.profile = @profile)'
  const used = sqlite.prepare<[Within], UseRow>(
    `select coalesce(usage.kind, streams.kind, 'deleted') as kind, coalesce(usage.model, 'unknown') as model, usage.session_id as sessionId, usage.job_id as jobId, count(*) as rows,
       sum(input_tokens) as inputTokens, sum(output_tokens) as outputTokens, sum(cache_read_tokens) as cacheReadTokens, sum(cache_write_tokens) as cacheWriteTokens, sum(cost) as cost,
       max(usage.kind is null) as isByTurn
     from usage indexed by usage_by_time left join streams on usage.kind is null and streams.id = usage.stream_id where ${within} group by 1, 2, 3, 4`)
  const activeAt = 'coalesce(last_message_at, updated_at)'
  // Both values of `archived` are named so that the index, in which it stands before the time, can be used.
  const sessions = sqlite.prepare<[Omit<Within, 'toS'>], Activity>(
    `select id, ${activeAt} as atS, message_count as messages from sessions
     where archived in (0, 1) and ${activeAt} >= @fromS and (@profile is null or profile = @profile) and hidden = 0 and message_count > 0`)
  const foreign = sqlite.prepare<[fromS: number], ForeignActivity>(
    `with ours as (select usage.session_id, sum(usage.input_tokens) as input, sum(usage.output_tokens) as output, sum(usage.cache_read_tokens) as cache_read
         from usage join attached_sessions on attached_sessions.session_id = usage.session_id and usage.provider = agent group by 1)
     select id, last_message_at as atS, message_count as messages, coalesce(model, 'unknown') as model,
       max(0, input_tokens - coalesce(input, 0)) as inputTokens, max(0, output_tokens - coalesce(output, 0)) as outputTokens,
       max(0, cache_read_tokens - coalesce(cache_read, 0)) as cacheReadTokens, id in (select session_id from attached_sessions) as isAttached
     from foreign_sessions left join ours on ours.session_id = id where last_message_at >= ? and user_message_count > 0`)
  // One text for each project: ten thousand rows would take as long as all the rest.
  const inProjects = sqlite.prepare<[], { projectId: string, name: string, sessions: string }>(
    `select projects.id as projectId, projects.name as name, json_group_array(sessions.id) as sessions
     from sessions join projects on projects.id = sessions.project_id where sessions.project_id is not null group by sessions.project_id`)
  const prompts = sqlite.prepare<[Within], PromptCount>(
    `select kind, state, coalesce(prompts.answer = 'deny', 0) as isDenied, count(*) as count from prompts indexed by prompts_by_time join sessions on sessions.id = session_id
     where prompts.created_at >= @fromS and prompts.created_at < @toS and (@profile is null or profile = @profile) group by 1, 2, 3`)
  const tools = sqlite.prepare<[OfDate], ToolSum>(
    `select tool, sum(calls) as calls, sum(failures) as failures, sum(duration_s) as durationS from tool_use
     where date = @date and (@profile is null or profile = @profile) group by tool order by tool`)
  const runs = sqlite.prepare<[OfDate], JobRuns>(
    `select job_id as jobId, name, sum(runs) as runs, sum(failures) as failures from job_use
     where date = @date and (@profile is null or profile = @profile) group by job_id order by 3 desc`)
  const jobNames = sqlite.prepare<[], [id: string, name: string]>('select id, name from cron_jobs').raw()
  const toolsSince = sqlite.prepare<[], string | null>('select min(date) from tool_use').pluck()
  const toolsSinceOf = sqlite.prepare<[string], string | null>('select min(date) from tool_use where profile = ?').pluck()
  // Left to itself the database looks for the oldest by time, through everything that was ever answered.
  const oldestOpen = sqlite.prepare<[], number | null>(
    "select min(started_at) from streams indexed by streams_open where state <> 'closed'"
  ).pluck()
  const oldestPrompt = sqlite.prepare<[], number | null>(
    "select min(created_at) from prompts indexed by prompts_open where state in ('open', 'answering')"
  ).pluck()
  const writes = sqlite.prepare<[], number>('select total_changes()').pluck()

  /** Up to where a portion goes that begins with `fromS`; rows of the very same time stay together. */
  const portionEnd = (table: 'usage' | 'prompts') => {
    const rowAfter = sqlite.prepare<[Omit<Within, 'profile'>], number>(
      `select created_at from ${table} where created_at >= @fromS and created_at < @toS order by created_at limit 1 offset ${portion}`).pluck()
    const next = sqlite.prepare<[number], number | null>(`select min(created_at) from ${table} where created_at > ?`).pluck()
    return ({ fromS, toS }: Within): number => {
      const endS = rowAfter.get({ fromS, toS })
      if (endS === undefined) return toS
      return endS > fromS ? endS : Math.min(toS, next.get(fromS) ?? toS)
    }
  }

  return {
    usedUpTo: portionEnd('usage'),
    used: (within: Within): UseRow[] => used.all(within),
    sessions: (within: Omit<Within, 'toS'>): Activity[] => sessions.all(within),
    foreign: (fromS: number): ForeignActivity[] => foreign.all(fromS),
    /** The projects that have sessions now, with these. */
    inProjects: (): ProjectSessions[] =>
      inProjects.all().map(({ sessions, ...project }) => ({ ...project, sessions: JSON.parse(sessions) as string[] })),
    promptsUpTo: portionEnd('prompts'),
    prompts: (within: Within): PromptCount[] => prompts.all(within),
    /** By the names of tools. */
    tools: (date: string, profile: string | null): ToolSum[] => tools.all({ date, profile }),
    /** What ran most comes first. */
    runs: (date: string, profile: string | null): JobRuns[] => runs.all({ date, profile }),
    /** What scheduled jobs are called now, by their ids. */
    jobNames: (): Map<string, string> => new Map(jobNames.all()),
    /** The first day that a tool was called on in this release's books; null: none was. */
    toolsSince: (profile: string | null): string | null => (profile === null ? toolsSince.get() : toolsSinceOf.get(profile)) ?? null,
    /** When the oldest turn that is not over began, null where there is none: what was used before that is settled. */
    oldestOpen: (): number | null => oldestOpen.get() ?? null,
    /** The same of what nobody has answered yet. */
    oldestPrompt: (): number | null => oldestPrompt.get() ?? null,
    /** How many rows were written since the start: the same number, the same answers. */
    writes: (): number => oneRow(writes)
  }
}

export type InsightRows = ReturnType<typeof createInsightRows>
