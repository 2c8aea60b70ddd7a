import { type Static } from '@sinclair/typebox'
import { type CronHistory, type CronJob, type CronRecent } from '../../../schemas/crons.js'
import { type ScheduleColumns } from './fields.js'
import { type JobRow } from './job-rows.js'
import { isEnabled, toMs } from './jobs.js'
import { type OutputFile } from './output.js'
import { type Completion, type JobRunRow, type RunUsage } from './run-rows.js'
import { scheduleWords } from './words.js'
import { isoIn } from '../../ground/time/zones.js'

type JobWire = Static<typeof CronJob>

/** Keys of the record that jobs of this service always leave at their defaults. */
const unusedHere = {
  provider_snapshot: null, model_snapshot: null, base_url: null, script: null, no_agent: false as const, context_from: null,
  enabled_toolsets: null
}

/** Returns a job in the form of the interface; `newest` is its newest run. */
export function jobToWire (job: JobRow, newest: JobRunRow | undefined): JobWire {
  const when = (atS: number | null): string | null => atS === null ? null : isoIn(toMs(atS), job.zone)
  return {
    id: job.id,
    job_id: job.id,
    name: job.name,
    prompt: job.prompt,
    skills: job.skills,
    skill: job.skills[0] ?? null,
    model: job.model,
    provider: job.provider,
    ...unusedHere,
    profile: job.profile,
    workspace: job.workspace,
    workdir: job.workspace,
    schedule: scheduleToWire(job),
    schedule_display: scheduleWords(job),
    repeat: { times: job.repeatTimes, completed: job.repeatCompleted },
    enabled: isEnabled(job),
    state: job.state,
    paused_at: when(job.pausedAt),
    paused_reason: job.pausedReason,
    created_at: when(job.createdAt),
    next_run_at: when(job.nextRunAt),
    last_run_at: when(job.lastRunAt),
    last_skipped_at: when(job.lastSkippedAt),
    last_status: job.lastStatus,
    last_error: job.lastError,
    last_delivery_error: job.lastDeliveryError,
    failure_streak: job.failureStreak,
    deliver: job.deliver,
    origin: job.origin === null ? null : { session_id: job.origin },
    ask: job.ask,
    toast_notifications: job.toast,
    latest_execution: newest === undefined
      ? null
      : {
          session_id: newest.sessionId, stream_id: newest.streamId, status: statusOf(newest), started_at: when(newest.startedAt),
          ended_at: when(newest.endedAt)
        }
  }
}

/** Returns a schedule in the form of the interface. */
export function scheduleToWire ({ kind, expression, display, minutes, runAt, zone, words }: ScheduleColumns): JobWire['schedule'] {
  return {
    kind,
    expression,
    expr: expression,
    display,
    ...(minutes === null ? {} : { minutes }),
    ...(runAt === null ? {} : { run_at: isoIn(toMs(runAt), zone) }),
    timezone: zone,
    words
  }
}

function statusOf ({ state, status }: JobRunRow): NonNullable<JobWire['latest_execution']>['status'] {
  return state === 'queued' || state === 'running' ? state : status ?? 'error'
}

export function usageToWire (usage: RunUsage | undefined): Static<typeof CronHistory>['runs'][number]['usage'] {
  if (usage === undefined) return null
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, cost, model } = usage
  return {
    input_tokens: inputTokens, output_tokens: outputTokens, cache_read_tokens: cacheReadTokens, cache_write_tokens: cacheWriteTokens,
    estimated_cost: cost, model
  }
}

export function fileToWire (
  { filename, sizeBytes, modifiedMs }: OutputFile, usage: RunUsage | undefined
): Static<typeof CronHistory>['runs'][number] {
  return { filename, size: sizeBytes, modified: modifiedMs / 1000, usage: usageToWire(usage) }
}

export function completionToWire ({
  jobId, name, status, endedAt, toast, sessionId, messageCount
}: Completion): Static<typeof CronRecent>['completions'][number] {
  return {
    job_id: jobId, name, status, completed_at: endedAt, toast_notifications: toast === 1, session_id: sessionId,
    ...(messageCount === null ? {} : { message_count: messageCount })
  }
}
