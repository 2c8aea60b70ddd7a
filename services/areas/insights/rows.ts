import { oneRow, type Database } from '../../ground/database/index.js'

/** Use within a time by one model, in one session, for one kind of work. */
export interface UseRow {
  /** The kind of turn, or the purpose of a call; `deleted`: a turn from before kinds were stored, whose conversation is gone. */
  kind: string
  model: string
  sessionId: string
  jobId: string | null
  rows: number
  inputTokens: number
  outputTokens: number
  cacheReadTokens: number
  cacheWriteTokens: number
  /** US dollars; null if none of it has a known price. */
  cost: number | null
  /** 1 if the kind is known only from the turn. */
  isByTurn: number
}

/** A conversation's last activity. */
export interface Activity { id: string, atS: number, messages: number }

/** A conversation of another program on this machine; the cost of its use is unknown. */
export interface ForeignActivity extends Activity {
  model: string
  inputTokens: number
  outputTokens: number
  cacheReadTokens: number
  /** 1 if it has also been continued as a session of this service, which is counted there; the use of that session is not included here. */
  isAttached: number
}

export interface PromptCount { kind: 'approval' | 'clarify', state: string, isDenied: number, count: number }

export interface ToolSum { tool: string, calls: number, failures: number, durationS: number }

/** A scheduled job's runs that ended on a day; `name` is its name at that time. */
export interface JobRuns { jobId: string, name: string, runs: number, failures: number }

/** A project and its sessions. */
export interface ProjectSessions { projectId: string, name: string, sessions: string[] }

/** A time from `fromS` up to, but not including, `toS` (epoch seconds); a profile, or null for all. */
export interface Within { fromS: number, toS: number, profile: string | null }

/** A day, YYYY-MM-DD, of a profile, or of all if that is null. */
interface OfDate { date: string, profile: string | null }

/** How many rows are summed up at once. */
const portion = 500

/**
 * Reads what is counted from the tables of other areas with statements of its own, because sums over a hundred thousand rows must not turn
 * into objects first. Writes nothing.
 */
export function createInsightRows ({ sqlite }: Database) {
  const within = 'usage.created_at >= @fromS and usage.created_at < @toS and (@profile is null or usage.profile = @profile)'
  const used = sqlite.prepare<[Within], UseRow>(
    `select coalesce(usage.kind, streams.kind, 'deleted') as kind, coalesce(usage.model, 'unknown') as model, usage.session_id as sessionId, usage.job_id as jobId, count(*) as rows,
       sum(input_tokens) as inputTokens, sum(output_tokens) as outputTokens, sum(cache_read_tokens) as cacheReadTokens, sum(cache_write_tokens) as cacheWriteTokens, sum(cost) as cost,
       max(usage.kind is null) as isByTurn
     from usage indexed by usage_by_time left join streams on usage.kind is null and streams.id = usage.stream_id where ${within} group by 1, 2, 3, 4`)
  const activeAt = 'coalesce(last_message_at, updated_at)'
  // Names both values of `archived`, so that SQLite can use the index, in which it comes before the time.
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
  // One JSON text for each project: ten thousand rows would take as long as everything else.
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
  // Without the hint, SQLite searches for the oldest by time, through everything that was ever answered.
  const oldestOpen = sqlite.prepare<[], number | null>(
    "select min(started_at) from streams indexed by streams_open where state <> 'closed'"
  ).pluck()
  const oldestPrompt = sqlite.prepare<[], number | null>(
    "select min(created_at) from prompts indexed by prompts_open where state in ('open', 'answering')"
  ).pluck()
  const writes = sqlite.prepare<[], number>('select total_changes()').pluck()

  /** Returns the end of the portion that begins at `fromS`; rows with the same time stay together. */
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
    /** Returns the projects that have sessions now, with the ids of these sessions. */
    inProjects: (): ProjectSessions[] =>
      inProjects.all().map(({ sessions, ...project }) => ({ ...project, sessions: JSON.parse(sessions) as string[] })),
    promptsUpTo: portionEnd('prompts'),
    prompts: (within: Within): PromptCount[] => prompts.all(within),
    /** Sorted by the names of tools. */
    tools: (date: string, profile: string | null): ToolSum[] => tools.all({ date, profile }),
    /** Sorted by the number of runs, most first. */
    runs: (date: string, profile: string | null): JobRuns[] => runs.all({ date, profile }),
    /** Returns the current names of scheduled jobs, by id. */
    jobNames: (): Map<string, string> => new Map(jobNames.all()),
    /** Returns the first day with a stored tool call; null if there is none. */
    toolsSince: (profile: string | null): string | null => (profile === null ? toolsSince.get() : toolsSinceOf.get(profile)) ?? null,
    /** Returns when the oldest unfinished turn began, null if there is none: use from before that is settled. */
    oldestOpen: (): number | null => oldestOpen.get() ?? null,
    /** Returns the same for prompts that have not been answered yet. */
    oldestPrompt: (): number | null => oldestPrompt.get() ?? null,
    /** Returns how many rows were written since the start: as long as it stays the same, so do the answers. */
    writes: (): number => oneRow(writes)
  }
}

export type InsightRows = ReturnType<typeof createInsightRows>
