import { Invalid } from '../../ground/errors.js'
import { firstCharacters } from '../../ground/redaction/index.js'
import { tried } from '../../ground/tried.js'
import { parseSchedule, type ParsedSchedule } from './grammar.js'
import { type JobRow } from './job-rows.js'
import { columnsOf } from './jobs.js'
import { webhookPrefix } from './deliveries.js'
import { reachedWebhookUrl } from './webhook.js'

/** The fields of a job that a client sends; undefined and null change nothing. */
export interface JobFields {
  name?: string | null
  prompt?: string | null
  schedule?: string | null
  deliver?: string | null
  skills?: string[] | null
  /** Empty: none. */
  model?: string | null
  provider?: string | null
  profile?: string | null
  /** The conversation in which the job is made. */
  origin?: string | null
  /** Empty: the default one. */
  workspace?: string | null
  repeat?: number | 'forever' | 'once' | null
  ask?: 'deny' | 'wait' | null
  /** US dollars that its runs may use per day; 0: the profile's limit. */
  dailyUsd?: number | null
  toast?: boolean | null
  /** Whether the job runs on its schedule, or is paused. */
  enabled?: boolean | null
}

export interface ReadingOptions {
  isPrivateAllowed: boolean
  /** Returns the real path of a folder that may be a workspace. Throws Invalid. */
  folder: (path: string) => Promise<string>
}

/** The columns of a job that define its schedule. */
export type ScheduleColumns = ReturnType<typeof columnsOf> & Pick<JobRow, 'words' | 'anchorAt'>

const nameChars = 50

/** Returns the columns of a change that do not depend on the job. Throws Invalid. */
export async function columnsOfFields (fields: JobFields, { isPrivateAllowed, folder }: ReadingOptions): Promise<Partial<JobRow>> {
  const { name, prompt, deliver, skills, model, provider, workspace, origin, ask, toast, dailyUsd } = fields
  const said = <T>(value: T | null | undefined): value is T => value !== null && value !== undefined
  if (said(prompt) && prompt.trim() === '') throw new Invalid('prompt is required')
  return {
    ...(said(name) && name.trim() !== '' && { name: oneLine(name) }),
    ...(said(prompt) && { prompt }),
    ...(said(deliver) && { deliver: await targetOf(deliver, isPrivateAllowed) }),
    ...(said(skills) && { skills: [...new Set(skills.map(oneLine).filter((skill) => skill !== ''))] }),
    ...(said(model) && { model: model.trim() === '' ? null : model.trim() }),
    ...(said(provider) && { provider: provider.trim() === '' ? null : provider.trim() }),
    ...(said(workspace) && { workspace: workspace.trim() === '' ? null : await folder(workspace.trim()) }),
    ...(said(origin) && { origin }),
    ...(said(ask) && { ask }),
    ...(said(toast) && { toast }),
    ...(said(dailyUsd) && { dailyUsd: dailyUsd === 0 ? null : dailyUsd })
  }
}

/** Returns a name for a job without one. */
export function nameOf (prompt: string, skills: readonly string[]): string {
  return firstCharacters(oneLine(prompt), nameChars).trim() || skills[0] || 'cron job'
}

/** Returns how often a job runs; null: without end, undefined: the default of its kind. */
export function timesOf (repeat: JobFields['repeat']): number | null | undefined {
  return repeat === null || repeat === undefined ? undefined : repeat === 'forever' ? null : repeat === 'once' ? 1 : repeat
}

/** Returns the columns of a typed schedule, including its description. Throws Invalid. */
export async function scheduleColumns (text: string, { nowMs, zone }: { nowMs: number, zone: string }): Promise<ScheduleColumns> {
  const parsed = parseSchedule(text, { nowMs, zone })
  return { ...columnsOf(parsed, zone), words: await wordsOf(parsed), anchorAt: nowMs / 1000 }
}

/** Returns the columns of a job that runs only when it is called. */
export function calledColumns ({ nowMs, zone }: { nowMs: number, zone: string }): ScheduleColumns {
  return { ...columnsOf({ schedule: { kind: 'hook' }, display: 'when its hook is called' }, zone), words: null, anchorAt: nowMs / 1000 }
}

async function wordsOf ({ schedule }: ParsedSchedule): Promise<string | null> {
  if (schedule.kind !== 'cron') return null
  const { default: cronstrue } = await import('cronstrue')
  return tried(() => cronstrue.toString(schedule.expr, { use24HourTimeFormat: true }), null) // it supports less than the scheduler
}

async function targetOf (deliver: string, isPrivateAllowed: boolean): Promise<string> {
  const target = deliver.trim()
  if (target === '') return 'local'
  if (['local', 'origin', 'push'].includes(target)) return target
  if (!target.startsWith(webhookPrefix)) {
    throw new Invalid(`deliver: "${firstCharacters(oneLine(target), 60)}" is not offered here; local, origin, push and webhook:<url> are`)
  }
  return webhookPrefix + (await reachedWebhookUrl(target.slice(webhookPrefix.length).trim(), isPrivateAllowed)).href
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()
