import { type Static } from '@sinclair/typebox'
import { type Hook as HookSchema } from '../../../schemas/hooks.js'
import { type Hook } from './hooks.js'

/** A hook as clients know it; its secret is not part of it. */
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
