import { type RunKind, type StepUsage } from '../../agent/protocol.js'
import { oneRow, type Database } from '../../ground/database/index.js'
import { type CallKind } from './kinds.js'

/** The use of something. `cost` in US dollars; null if the price is unknown. */
interface UsageRecord {
  profile: string
  /** null if it belongs to no conversation. */
  sessionId: string | null
  jobId: string | null
  provider: string | null
  model: string | null
  usage: StepUsage
  cost: number | null
  createdAtS: number
}

/** Everything that a turn has used so far, except for calls that have rows of their own. */
export interface TurnUse extends UsageRecord { streamId: string, kind: RunKind, durationS: number, firstTokenMs: number | null }

/** A call that has a row of its own; `turnId`: the stream of the turn that it was made for. */
export interface CallUse extends UsageRecord { id: string, kind: CallKind, turnId: string | null }

/** A finished tool call; `date` as YYYY-MM-DD. */
export interface ToolCallUse { profile: string, date: string, tool: string, isError: boolean, durationS: number }

/** A finished run of a scheduled job. */
export interface JobRunUse { profile: string, date: string, jobId: string, name: string, isFailed: boolean }

/** How many tools of a profile are counted by name in a day; all others are counted as one. */
const mostTools = 300
export const otherTools = 'other'

/** All writes to `usage`, `tool_use` and `job_use`; they run inside the caller's transaction. */
export function createUsageRows ({ sqlite }: Database) {
  const ofTurn = sqlite.prepare<[string], StepUsage & { cost: number | null, firstTokenMs: number | null }>(
    `select input_tokens as inputTokens, output_tokens as outputTokens, cache_read_tokens as cacheReadTokens,
       cache_write_tokens as cacheWriteTokens, estimated, cost, first_token_ms as firstTokenMs from usage where stream_id = ?`)
  const turnsOf = sqlite.prepare<[string], number>("select count(*) from usage where session_id = ? and kind in ('chat', 'goal')").pluck()
  const save = sqlite.prepare(
    `insert or replace into usage (stream_id, kind, turn_id, session_id, profile, job_id, provider, model, input_tokens, output_tokens, cache_read_tokens,
       cache_write_tokens, cost, estimated, duration_s, first_token_ms, created_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const countCall = sqlite.prepare(
    'update tool_use set calls = calls + 1, failures = failures + ?, duration_s = duration_s + ? where profile = ? and date = ? and tool = ?'
  )
  const toolsOf = sqlite.prepare<[string, string], number>('select count(*) from tool_use where profile = ? and date = ?').pluck()
  const firstCall = sqlite.prepare('insert into tool_use (failures, duration_s, profile, date, tool, calls) values (?, ?, ?, ?, ?, 1)')
  const countRun = sqlite.prepare(
    `insert into job_use (profile, date, job_id, name, runs, failures) values (@profile, @date, @jobId, @name, 1, @failures)
     on conflict (profile, date, job_id) do update set name = excluded.name, runs = runs + 1, failures = failures + excluded.failures`)

  function store (
    id: string, kind: string, turnId: string | null, { sessionId, profile, jobId, provider, model, usage, cost, createdAtS }: UsageRecord,
    durationS: number, firstTokenMs: number | null
  ): void {
    save.run(id, kind, turnId, sessionId ?? '', profile, jobId, provider, model, usage.inputTokens, usage.outputTokens, usage.cacheReadTokens,
      usage.cacheWriteTokens, cost, usage.estimated ? 1 : 0, durationS, firstTokenMs, createdAtS)
  }

  return {
    ofTurn: (streamId: string) => ofTurn.get(streamId),
    turnsOf: (sessionId: string): number => turnsOf.get(sessionId) ?? 0,
    /** Stores what a turn has used so far. */
    saveTurn: ({ streamId, kind, durationS, firstTokenMs, ...used }: TurnUse): void =>
      store(streamId, kind, null, used, durationS, firstTokenMs),
    addCall: ({ id, kind, turnId, ...used }: CallUse): void => store(id, kind, turnId, used, 0, null),
    addToolCall ({ profile, date, tool, isError, durationS }: ToolCallUse): void {
      const count = (name: string): boolean => countCall.run(isError ? 1 : 0, durationS, profile, date, name).changes === 1
      if (count(tool)) return
      const name = tool === otherTools || oneRow(toolsOf, profile, date) < mostTools ? tool : otherTools
      if (!count(name)) firstCall.run(isError ? 1 : 0, durationS, profile, date, name)
    },
    addJobRun: ({
      profile, date, jobId, name, isFailed
    }: JobRunUse): void => { countRun.run({ profile, date, jobId, name, failures: isFailed ? 1 : 0 }) }
  }
}
