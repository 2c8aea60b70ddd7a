import { Type, type TSchema } from '@sinclair/typebox'
import { ClientId, Closed, Flag, Id, Maybe, Nullable, OneOf, Seconds } from './common.js'

const When = (description: string) => Nullable(Type.String(), `${description}; ISO 8601 with the offset of the profile's time zone`)

const Schedule = Closed({
  kind: OneOf(['cron', 'interval', 'once', 'hook'], 'hook: the job has no schedule and runs when its hook is called'),
  expression: Type.String({ description: 'the schedule as text, in the form that requests accept' }),
  expr: Type.String({ description: 'the same as expression' }),
  display: Type.String(),
  minutes: Type.Optional(Type.Integer({ description: 'kind interval: its length in minutes' })),
  run_at: Type.Optional(Type.String({ description: 'kind once: the time of the run' })),
  timezone: Type.String({ description: 'the time zone of the schedule: `timezone` of config.yaml, or else that of the machine' }),
  words: Nullable(Type.String(), 'a cron expression in words, in English')
}, { title: 'Schedule' })

const NotUsed = Type.Null({ description: 'always null; other servers of this interface use it' })

export const CronJob = Closed({
  id: Type.String(),
  job_id: Type.String({ description: 'the same as id' }),
  name: Type.String(),
  prompt: Type.String(),
  skills: Type.Array(Type.String()),
  skill: Nullable(Type.String(), 'the first of `skills`'),
  model: Nullable(Type.String()),
  provider: Nullable(Type.String()),
  provider_snapshot: NotUsed,
  model_snapshot: NotUsed,
  base_url: NotUsed,
  script: NotUsed,
  no_agent: Type.Literal(false),
  context_from: NotUsed,
  enabled_toolsets: NotUsed,
  profile: Nullable(Type.String()),
  workspace: Nullable(Type.String(), 'null: the default folder'),
  workdir: Nullable(Type.String(), 'the same as workspace'),
  schedule: Schedule,
  schedule_display: Type.String({
    description: 'the schedule in words, such as "every weekday at 9:00", "every 30 minutes", "once at 2026-12-01 09:00"'
  }),
  repeat: Closed({ times: Nullable(Type.Integer(), 'null: unlimited'), completed: Type.Integer() }),
  enabled: Type.Boolean(),
  state: OneOf(['scheduled', 'paused', 'completed', 'error']),
  paused_at: When('when it was paused'),
  paused_reason: Nullable(Type.String()),
  created_at: When('when it was created'),
  next_run_at: When('its next scheduled time'),
  last_run_at: When('when its last run ended'),
  last_skipped_at: When('the last skipped time: the service was down too long, or a run was still in progress'),
  last_status: Nullable(OneOf(['ok', 'error', 'delivery_failed', 'blocked_config'])),
  last_error: Nullable(Type.String()),
  last_delivery_error: Nullable(Type.String()),
  failure_streak: Type.Integer({ description: 'runs that failed since the last successful one' }),
  deliver: Type.String({ description: 'local, origin, push, or webhook:<url>' }),
  origin: Nullable(Closed({ session_id: Type.String() }), 'the conversation that created the job'),
  ask: OneOf(['deny', 'wait'], 'what happens when a run asks for approval: deny refuses, wait waits for a person'),
  toast_notifications: Type.Boolean(),
  latest_execution: Nullable(Closed({
    session_id: Nullable(Type.String()), stream_id: Nullable(Type.String()),
    status: OneOf(['queued', 'running', 'ok', 'error', 'blocked_config']), started_at: When('when the run started'),
    ended_at: When('when the run ended')
  }), 'the latest run')
}, { title: 'CronJob' })

const Text = (maxLength: number, description: string) => Type.String({ maxLength, description })
const fields = {
  name: Maybe(Text(200, 'absent: the beginning of the prompt')),
  deliver: Maybe(
    Text(2_100, 'local (default), origin (the conversation in which it was created), push (every subscribed browser), or webhook:<url>')
  ),
  skills: Maybe(Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 50 })),
  model: Maybe(Text(300, 'id of the model; empty: that of the profile')),
  provider: Maybe(Text(128, 'provider of the model')),
  profile: Maybe(Text(64, 'the profile whose keys, home and settings a run uses; empty: the active one')),
  workspace: Maybe(Text(4_096, 'the folder that runs work in; empty: the default folder')),
  workdir: Maybe(Text(4_096, 'another name for workspace')),
  repeat: Maybe(Type.Union([Type.Integer({ minimum: 1, maximum: 1_000_000 }), Type.Literal('forever'), Type.Literal('once')], {
    description: 'how many times it runs, or once or forever'
  })),
  ask: Maybe(OneOf(['deny', 'wait'], 'deny (default): calls of a run that need an approval are refused; wait: they wait for a person')),
  toast_notifications: Maybe(Type.Boolean()),
  enabled: Maybe(Type.Boolean({ description: 'false pauses the job, true resumes it' }))
}
const Prompt = Text(100_000, 'the task; {{last_output}} and {{last_output:<job>}} stand for earlier answers')
const ScheduleText = Text(1_000, 'a cron expression, an interval, days with a time, or a date with a time')

export const CronsQuery = Type.Object({ all_profiles: Flag('include jobs of every profile') })
export const CronList = Closed({
  jobs: Type.Array(CronJob), active_profile: Type.String(), all_profiles: Type.Boolean(),
  other_profile_count: Type.Integer({ description: 'how many jobs other profiles have' })
}, { title: 'CronList' })
export const CreateCron = Type.Object({
  prompt: Type.String({ ...Prompt, minLength: 1 }), schedule: Type.String({ ...ScheduleText, minLength: 1 }), ...fields,
  session_id: Maybe(Type.String({ minLength: 1, maxLength: 64, description: 'the conversation that creates it, for deliver: origin' })),
  client_id: ClientId('profile')
})
export const PreviewCron = Type.Object({
  schedule: Type.String({ ...ScheduleText, minLength: 1 }),
  profile: fields.profile,
  count: Maybe(Type.Integer({ minimum: 1, maximum: 20, description: 'how many runs to list; default 5' }))
})
export const CronPreview = Closed({
  ok: Type.Literal(true),
  schedule: Schedule,
  schedule_display: Type.String(),
  next_runs: Type.Array(Type.String(), { description: 'next runs, ISO 8601 with offset; empty: the job never runs' }),
  days: Type.Array(Type.String(), { description: 'days of the next two weeks, today included, on which it runs; YYYY-MM-DD in its time zone' })
}, { title: 'CronPreview' })
export const UpdateCron = Type.Object({ job_id: Id('job'), prompt: Maybe(Prompt), schedule: Maybe(ScheduleText), ...fields })
export const CronRef = Type.Object({ job_id: Id('job') })
export const PauseCron = Type.Object({ job_id: Id('job'), reason: Maybe(Text(1_000, 'why')) })
export const CronAnswer = Closed({ ok: Type.Literal(true), job: CronJob }, { title: 'CronAnswer' })
export const DeletedCron = Closed({ ok: Type.Literal(true), job_id: Type.String() }, { title: 'DeletedCron' })
export const RunCron = Closed({
  ok: Type.Boolean({ description: 'false: it is already running' }), job_id: Type.String(), status: OneOf(['running', 'already_running']),
  elapsed: Type.Optional(Type.Number({ description: 'seconds since that run started' }))
}, { title: 'RunCron' })

export const CronStatusQuery = Type.Object({ job_id: Type.Optional(Id('job')) })
export const CronStatus = Type.Union([
  Closed({ job_id: Type.String(), running: Type.Boolean(), elapsed: Type.Number({ description: 'seconds; 0: it is not running' }) }),
  Closed({ running: Type.Record(Type.String(), Type.Number(), { description: 'running jobs: seconds since the run started, by job id' }) })
], { title: 'CronStatus' })

export const CronOutputQuery = Type.Object({ job_id: Id('job'), limit: Type.Optional(Type.String({ description: 'default 5, 1 to 500' })) })
export const CronOutput = Closed({
  job_id: Type.String(), outputs: Type.Array(Closed({
    filename: Type.String(), content: Type.String({ description: 'at most 8,000 characters' })
  }), { description: 'newest first' })
}, { title: 'CronOutput' })

const Usage = Nullable(Closed({
  input_tokens: Type.Integer(), output_tokens: Type.Integer(), cache_read_tokens: Type.Integer(), cache_write_tokens: Type.Integer(),
  estimated_cost: Nullable(Type.Number(), 'US dollars'), model: Nullable(Type.String())
}), 'usage of the turn of the run')
export const CronHistoryQuery = Type.Object({
  job_id: Id('job'), offset: Type.Optional(Type.String({ description: 'default: 0' })),
  limit: Type.Optional(Type.String({ description: 'default 50, 1 to 500' }))
})
export const CronHistory = Closed({
  job_id: Type.String(),
  runs: Type.Array(Closed({ filename: Type.String(), size: Type.Integer({ description: 'bytes' }), modified: Seconds(), usage: Usage })),
  total: Type.Integer(),
  offset: Type.Integer()
}, { title: 'CronHistory' })
export const CronRunQuery = Type.Object({ job_id: Id('job'), filename: Id('file of the run') })
export const CronRun = Closed({
  job_id: Type.String(), filename: Type.String(), content: Type.String({ description: 'the complete output' }),
  snippet: Type.String({ description: 'at most 8,000 characters' }), usage: Usage
}, { title: 'CronRun' })
export const CronRecentQuery = Type.Object({
  since: Type.Optional(Type.String({ description: 'epoch seconds; default 0' })), all_profiles: Flag('include jobs of every profile')
})
export const CronRecent = Closed({
  completions: Type.Array(Closed({
    job_id: Type.String(), name: Type.String(), status: Nullable(Type.String()), completed_at: Seconds(),
    toast_notifications: Type.Boolean(),
    session_id: Nullable(Type.String()), message_count: Type.Optional(Type.Integer())
  }), { description: 'the last 200, oldest first' }),
  since: Type.Number()
}, { title: 'CronRecent' })
export const DeliveryOptions = Closed({
  platforms: Type.Array(Closed({ value: Type.String(), label: Type.String() }))
}, { title: 'DeliveryOptions' })

/** Frames on the stream of everything; see schemas/feed.ts. */
export const cronFrames = {
  cron: Closed({
    job_id: Type.String(),
    profile: Nullable(Type.String(), 'null: the job was deleted'),
    name: Nullable(Type.String()),
    event: OneOf(['created', 'updated', 'removed', 'started', 'ended', 'skipped', 'delivered']),
    status: Nullable(Type.String(), 'how the run ended; null: none has ended'),
    session_id: Nullable(Type.String(), 'the session of the run'),
    toast: Type.Boolean({ description: 'true: clients show a message' }),
    at: Seconds()
  }, { title: 'CronChange', description: 'a job has changed, or one of its runs started, ended or was skipped; sent once' })
} satisfies Record<string, TSchema>
