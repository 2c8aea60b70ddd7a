import { Type } from '@sinclair/typebox'
import { Closed, Count, Flag, Nullable, OneOf } from './common.js'

const Money = () => Type.Number({ description: 'US dollars, rounded to 6 decimals; usage without a known price counts as 0' })
const Share = () =>
  Type.Integer({ minimum: 0, maximum: 100, description: 'percent; the shares of a list add up to 100, or to 0 if nothing was used' })
const Day = () => Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'YYYY-MM-DD, in the time zone of the service' })

const ModelUse = Closed({
  model: Type.String({ description: 'id of the model; `unknown`: none was named' }),
  sessions: Count('sessions in which it answered'),
  input_tokens: Count(),
  output_tokens: Count(),
  cache_hit_percent: Nullable(Type.Integer({ minimum: 0, maximum: 100 })),
  total_tokens: Count(),
  cost: Money(),
  session_share: Share(),
  token_share: Share(),
  cost_share: Share()
}, { title: 'ModelUse' })

const DayUse = Closed({
  date: Day(),
  input_tokens: Count(),
  output_tokens: Count(),
  cache_read_tokens: Count(),
  sessions: Count('conversations whose last activity was on that day'),
  cost: Money()
}, { title: 'DayUse' })

export const Insights = Closed({
  period_days: Type.Integer({ minimum: 1, maximum: 365 }),
  total_sessions: Count('sessions, including those of other front ends, whose last activity is in the period'),
  total_messages: Count('messages of these sessions'),
  total_input_tokens: Count('tokens, including cached ones'),
  total_output_tokens: Count(),
  total_cache_read_tokens: Count(),
  total_cache_hit_percent: Nullable(Type.Integer({ minimum: 0, maximum: 100 }), 'percent; null: nothing was read from a cache'),
  total_tokens: Count(),
  total_cost: Money(),
  models: Type.Array(ModelUse, { description: 'most expensive first' }),
  daily_tokens: Type.Array(DayUse, { description: 'every day of the period, oldest first' }),
  activity_by_day: Type.Array(Closed({ day: OneOf(['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']), sessions: Count() })),
  activity_by_hour: Type.Array(Closed({ hour: Type.Integer({ minimum: 0, maximum: 23 }), sessions: Count() }))
}, { title: 'Insights', description: 'Usage of a period of whole days, in the time zone of the service' })

const period = {
  days: Type.Optional(Type.String({ maxLength: 200, description: 'length of the period in days, including today, 1 to 365; default 30' })),
  all_profiles: Flag('include all profiles')
}
export const InsightsQuery = Type.Object(period)
const exportParts = ['model', 'kind', 'project', 'tool', 'job', 'prompt'] as const
export const InsightsExportQuery = Type.Object({
  ...period, format: Type.Optional(OneOf(['csv', 'json'], 'default csv')),
  by: Type.Optional(OneOf([...exportParts], 'what each row counts, besides the day; default model'))
})

const Group = { turns: Count('turns that have ended or are running; for kinds of calls, how many calls'), total_tokens: Count(), cost: Money() }
const Project = { project_id: Nullable(Type.String()), name: Nullable(Type.String(), 'null: without a project') }
const Job = {
  job_id: Type.String(), name: Nullable(Type.String(), 'null: the job was deleted, and no run of it ended in the period'),
  runs: Count('how many have ended'), failures: Count()
}
const Prompts = {
  kind: OneOf(['approval', 'clarify']),
  asked: Count(),
  allowed: Count('approvals: allowed'),
  denied: Count('approvals: denied'),
  answered: Count('how many a person answered, in any way'),
  expired: Count(),
  cancelled: Count('how many were closed because their turn ended'),
  open: Count()
}
const Kind = {
  kind: Type.String({
    description: 'kinds of turns: chat, goal, btw, background, delegate, cron, and deleted (turns of deleted sessions from before kinds ' +
      'were recorded). Kinds of calls: retracted (a discarded retry), vision, web_extract, session_search, mcp_sampling (a request of an ' +
      'MCP server), title, judge, compress, commit_message, pull_request, curate, probe'
  })
}
const Seconds = (description: string) => Type.Number({ minimum: 0, description })
const Tool = {
  tool: Type.String({ description: 'name of the tool; `other`: names that no tool has' }), calls: Count('how many have ended'), failures: Count(),
  total_seconds: Seconds('seconds from call to result')
}

export const InsightsExport = Type.Array(Type.Union([
  Closed({
    date: Day(),
    model: Type.String(),
    turns: Count(),
    input_tokens: Count(),
    output_tokens: Count(),
    cache_read_tokens: Count(),
    cache_write_tokens: Count(),
    cost: Nullable(Money(), 'US dollars; null: no price is known')
  }),
  Closed({ date: Day(), ...Kind, ...Group }),
  Closed({ date: Day(), ...Project, ...Group }),
  Closed({ date: Day(), ...Tool }),
  Closed({ date: Day(), ...Job, ...Group }),
  Closed({ date: Day(), ...Prompts })
]), { title: 'InsightsExport' })

export const InsightsBreakdown = Closed({
  period_days: Type.Integer({ minimum: 1, maximum: 365 }),
  kinds: Type.Array(Closed({ ...Kind, ...Group })),
  projects: Type.Array(Closed({ ...Project, ...Group })),
  tools: Type.Array(Closed({ ...Tool, mean_seconds: Seconds('mean duration of a call in seconds') }), { description: 'most frequently used first' }),
  tools_since: Nullable(Day(), 'the first day on which tool calls were counted, YYYY-MM-DD; null: none yet'),
  jobs: Type.Array(Closed({ ...Job, ...Group }), { description: 'scheduled jobs, most expensive first, including deleted ones' }),
  prompts: Type.Array(Closed(Prompts))
}, { title: 'InsightsBreakdown' })
