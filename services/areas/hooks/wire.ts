import { type Static } from '@sinclair/typebox'
import { type Hook as HookSchema, type LoggedCall as LoggedCallSchema } from '../../../schemas/hooks.js'
import { type Hook } from './hooks.js'
import { type LoggedCall } from './rows.js'

/** The outcome of a call, as clients see it. */
export function callToWire ({ at, outcome, event, count, runId, sessionId, state, status }: LoggedCall): Static<typeof LoggedCallSchema> {
  return { at, outcome, event, count, run_id: runId, session_id: sessionId, state, status }
}

/** A hook as clients see it, without its secret. */
export function hookToWire ({ hook, job }: Hook): Static<typeof HookSchema> {
  return {
    id: hook.id,
    path: `/api/hooks/${hook.id}`,
    job_id: job.id,
    name: job.name,
    template: job.prompt,
    events: hook.events,
    match: hook.matches,
    profile: job.profile,
    workspace: job.workspace,
    model: job.model,
    provider: job.provider,
    skills: job.skills,
    ask: job.ask,
    daily_budget_usd: job.dailyUsd,
    deliver: job.deliver,
    enabled: job.state === 'scheduled',
    created_at: hook.createdAt,
    calls: hook.calls,
    last_call_at: hook.lastCallAt,
    last_outcome: hook.lastOutcome,
    last_run_at: job.lastRunAt,
    last_status: job.lastStatus,
    last_error: job.lastError
  }
}
