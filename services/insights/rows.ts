import { type Database } from '../ground/database/index.js'

/** What one model has used in one session within some time. */
export interface ModelUse {
  model: string
  sessionId: string
  turns: number
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

/** A part of all use. */
export interface Use { turns: number, tokens: number, cost: number }

export interface PromptCount { kind: 'approval' | 'clarify', state: string, isDenied: number, count: number }

/** A time from its first second up to, and without, its last (epoch seconds); a profile, or null for all. */
export interface Within { fromS: number, toS: number, profile: string | null }

/**
 * What is counted, read from the tables of others with statements of its own: sums over a hundred thousand rows are not to
 * become objects first. Nothing is written.
 */
export function createInsightRows ({ sqlite }: Database) {
  const within = 'usage.created_at >= @fromS and usage.created_at < @toS and (@profile is null or usage.profile = @profile)'
  const sums = 'count(*) as turns, sum(usage.input_tokens + usage.output_tokens) as tokens, coalesce(sum(usage.cost), 0) as cost'
  const used = sqlite.prepare<[Within], ModelUse>(
    `select coalesce(model, 'unknown') as model, session_id as sessionId, count(*) as turns, sum(input_tokens) as inputTokens, sum(output_tokens) as outputTokens,
       sum(cache_read_tokens) as cacheReadTokens, sum(cache_write_tokens) as cacheWriteTokens, sum(cost) as cost
     from usage indexed by usage_by_time where ${within} group by 1, 2`)
  const activeAt = 'coalesce(last_message_at, updated_at)'
  // Both values of `archived` are named so that the index, in which it stands before the time, can be used.
  const sessions = sqlite.prepare<[Omit<Within, 'toS'>], Activity>(
    `select ${activeAt} as atS, message_count as messages from sessions
     where archived in (0, 1) and ${activeAt} >= @fromS and (@profile is null or profile = @profile) and hidden = 0 and message_count > 0`)
  const foreign = sqlite.prepare<[fromS: number], ForeignActivity>(
    `select id, last_message_at as atS, message_count as messages, coalesce(model, 'unknown') as model, input_tokens as inputTokens, output_tokens as outputTokens
     from foreign_sessions where last_message_at >= ? and user_message_count > 0`)
  const byKind = sqlite.prepare<[Within], Use & { kind: string }>(
    `select coalesce(streams.kind, 'deleted') as kind, ${sums} from usage left join streams on streams.id = usage.stream_id where ${within} group by 1`)
  const byProject = sqlite.prepare<[Within], Use & { id: string | null, name: string | null }>(
    `select projects.id as id, projects.name as name, ${sums} from usage left join sessions on sessions.id = usage.session_id
     left join projects on projects.id = sessions.project_id where ${within} group by 1`)
  const prompts = sqlite.prepare<[Within], PromptCount>(
    `select kind, state, coalesce(prompts.answer = 'deny', 0) as isDenied, count(*) as count from prompts join sessions on sessions.id = session_id
     where prompts.created_at >= @fromS and prompts.created_at < @toS and (@profile is null or profile = @profile) group by 1, 2, 3`)
  const oldestOpen = sqlite.prepare<[], number | null>("select min(started_at) from streams where state <> 'closed'").pluck()
  const writes = sqlite.prepare<[], number>('select total_changes()').pluck()

  return {
    used: (within: Within): ModelUse[] => used.all(within),
    sessions: (within: Omit<Within, 'toS'>): Activity[] => sessions.all(within),
    foreign: (fromS: number): ForeignActivity[] => foreign.all(fromS),
    byKind: (within: Within) => byKind.all(within),
    byProject: (within: Within) => byProject.all(within),
    prompts: (within: Within): PromptCount[] => prompts.all(within),
    /** When the oldest turn that is not over began, null where there is none: what was used before that is settled. */
    oldestOpen: (): number | null => oldestOpen.get() ?? null,
    /** How many rows were written since the start: the same number, the same answers. */
    writes: (): number => writes.get()!
  }
}

export type InsightRows = ReturnType<typeof createInsightRows>
