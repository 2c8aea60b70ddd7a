import { fieldsOf } from '../../ground/fields.js'
import { type AuditPort } from '../audit/index.js'
import { type Chat } from '../chat/index.js'
import { type Clock } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { Invalid, NotFound } from '../../ground/errors.js'
import { type Log } from '../../ground/log.js'
import { type Sessions } from '../sessions/index.js'
import { type Skills } from '../skills/index.js'
import { type UsageLog } from '../usage/index.js'
import { createJobRows, type JobRow, type JobRows } from './job-rows.js'
import { goneReason } from './planner.js'
import { createRunRows, type RunRows } from './run-rows.js'
import { JobViews } from './job-views.js'
import { zoneOf } from '../../ground/time/zones.js'

export interface CronsOptions {
  db: Database
  clock: Clock
  audit: AuditPort
  sessions: Sessions
  usageLog: Pick<UsageLog, 'addJobRun'>
  chat: Pick<Chat, 'open' | 'cancel' | 'isParked' | 'turn' | 'turns'>
  skills: Pick<Skills, 'has' | 'invoke' | 'note'>
  /** Returns a profile's config.yaml; undefined for an unknown profile. */
  configOf: (profile: string) => Readonly<Record<string, unknown>> | undefined
  /** Returns `timezone` of a profile's config.yaml, unchecked. */
  timezoneOf: (profile: string) => unknown
  /** Undefined for an unknown profile. */
  homeOf: (profile: string) => string | undefined
  /** Returns the real path of a folder that may be a workspace. Throws Invalid. */
  folder: (path: string) => Promise<string>
  defaultFolder: () => string
  /** Returns the secret that signs a profile's webhooks, and makes it if there is none. */
  secretOf: (profile: string) => Promise<string>
  isPrivateAllowed: boolean
  /** Whether a turn is running in a conversation. */
  isBusy: (sessionId: string) => boolean
  /** Called when a run has ended, inside the transaction that ends it. `everybody`: notify every browser. Returns how many are notified. */
  ring: (job: JobRow, run: { sessionId: string | null, status: string }, everybody: boolean) => number
  areShown: () => boolean
  told: (change: CronChange) => void
  log: Log
  /** How many runs may be active at once. */
  width?: number
}

/** A change of a job; `job` is null when it was removed. */
export interface CronChange {
  jobId: string
  job: JobRow | null
  event: 'created' | 'updated' | 'removed' | 'started' | 'ended' | 'skipped' | 'delivered'
  run?: { sessionId: string | null, status: string }
}

/** What the parts of the area share: its tables, and the settings that profiles have for their jobs. */
export interface CronsContext extends CronsOptions {
  jobs: JobRows
  runs: RunRows
  views: JobViews
  /** Announces a change of a job. */
  news: (jobId: string, event: CronChange['event'], run?: CronChange['run']) => void
  /** Throws NotFound. */
  existing: (id: string) => JobRow
  /** Throws NotFound. */
  existingHome: (profile: string) => string
  /** Returns the name of an existing profile. Throws Invalid. */
  profileOf: (name: string) => string
  /** Returns the time zone of a profile's schedules. Throws Invalid if the profile names an unknown one. */
  zone: (profile: string) => string
  /** Returns how many output files a job keeps; 0: all. */
  retention: (profile: string) => number
  /** Returns the default model for a profile's jobs. Throws Invalid for a deleted profile. */
  modelOf: (profile: string) => string | undefined
}

export const usualRetention = 50

export function createContext (options: CronsOptions): CronsContext {
  const { db, configOf, homeOf } = options
  const changed = (jobId: string): void => views.forget(jobId)
  const jobs = createJobRows(db, changed)
  const runs = createRunRows(db, changed)
  const views = new JobViews({ jobs, runs, isMasked: options.sessions.isMasked })
  const cronConfig = (profile: string): Record<string, unknown> => fieldsOf(configOf(profile)?.cron)

  return {
    ...options,
    jobs,
    runs,
    views,
    news: (jobId, event, run) => options.told({ jobId, job: jobs.find(jobId) ?? null, event, ...(run && { run }) }),

    existing (id) {
      const job = jobs.find(id)
      if (job === undefined) throw new NotFound('Job not found')
      return job
    },
    existingHome (profile) {
      const home = homeOf(profile)
      if (home === undefined) throw new NotFound('Profile not found')
      return home
    },
    profileOf (name) {
      const profile = name.trim()
      if (configOf(profile) === undefined) throw new Invalid(`There is no profile named "${profile}"`)
      return profile
    },
    zone: (profile) => zoneOf(options.timezoneOf(profile)),
    retention (profile) {
      const { output_retention: kept } = cronConfig(profile)
      return typeof kept === 'number' && Number.isFinite(kept) ? Math.max(0, Math.floor(kept)) : usualRetention
    },
    modelOf (profile) {
      if (configOf(profile) === undefined) throw new Invalid(goneReason(profile))
      const { model } = cronConfig(profile)
      return typeof model === 'string' && model !== '' ? model : undefined
    }
  }
}
