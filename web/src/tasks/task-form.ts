import { sayInEnglish } from '../../../schedules/english.js'
import { atHour, type Said } from '../../../schedules/said.js'
import { readSchedule } from '../../../schedules/reading.js'
import { type Wire } from '../core/service/api.js'

export type Task = Wire<'CronJob'>

/** The destinations for the answers of a task; a webhook's address is separate. */
const deliveries = ['local', 'origin', 'push', 'webhook'] as const
export type Delivery = typeof deliveries[number]

/** Returns the delivery of that name; null for one that this app does not know. */
export const deliveryOf = (name: string): Delivery | null => deliveries.find((delivery) => delivery === name) ?? null

/** A task in the fields of its form. */
export interface TaskForm {
  name: string
  prompt: string
  /** As typed, or the expression of an unchanged schedule. */
  schedule: string
  /** The hour that the person chose if the schedule names none; null: the default hour. */
  hour: number | null
  /** Empty: the client's profile. */
  profile: string
  workspace: string
  /** `provider model`, as in the choices; empty: the profile's default. */
  model: string
  skills: readonly string[]
  delivery: Delivery
  webhookUrl: string
  /** Empty: no limit. */
  times: string
  ask: 'deny' | 'wait'
  toast: boolean
}

export const emptyForm: TaskForm = {
  name: '', prompt: '', schedule: '', hour: null, profile: '', workspace: '', model: '', skills: [], delivery: 'local', webhookUrl: '', times: '',
  ask: 'deny', toast: true
}

const webhook = 'webhook:'

/** Returns a model and its provider as one key, for lists. */
export const modelKey = (provider: string | null, model: string | null): string =>
  model === null || model === '' ? '' : `${provider ?? ''} ${model}`

export function formOf (task: Task): TaskForm {
  const isWebhook = task.deliver.startsWith(webhook)
  return {
    name: task.name,
    prompt: task.prompt,
    schedule: task.schedule.expression,
    hour: null,
    profile: task.profile ?? '',
    workspace: task.workspace ?? '',
    model: modelKey(task.provider, task.model),
    skills: task.skills,
    delivery: isWebhook ? 'webhook' : deliveryOf(task.deliver) ?? 'local',
    webhookUrl: isWebhook ? task.deliver.slice(webhook.length) : '',
    times: task.repeat.times === null ? '' : String(task.repeat.times),
    ask: task.ask,
    toast: task.toast_notifications
  }
}

/** Returns the schedule to send. `say` describes one in words that the service understands. */
export function scheduleOf ({ schedule, hour }: Pick<TaskForm, 'schedule' | 'hour'>, say: (said: Said) => string): string {
  const read = hour === null ? null : readSchedule(schedule)
  return hour === null || read === null || !('said' in read) ? schedule.trim() : say(atHour(read.said, hour))
}

/** Returns the request of a form. */
export function bodyOf (form: TaskForm, say: (said: Said) => string = sayInEnglish) {
  const [provider = '', ...model] = form.model.split(' ')
  return {
    name: form.name.trim(),
    prompt: form.prompt,
    schedule: scheduleOf(form, say),
    workspace: form.workspace.trim(),
    model: model.join(' '),
    provider,
    skills: [...form.skills],
    deliver: form.delivery === 'webhook' ? `${webhook}${form.webhookUrl.trim()}` : form.delivery,
    repeat: form.times.trim() === '' ? 'forever' as const : Number(form.times),
    ask: form.ask,
    toast_notifications: form.toast,
    ...(form.profile === '' ? {} : { profile: form.profile })
  }
}

/** Returns the request that recreates a deleted task, without its results. */
export function bodyOfTask (task: Task) {
  return { ...bodyOf(formOf(task)), ...(task.origin === null ? {} : { session_id: task.origin.session_id }) }
}

/** Whether a form can be sent; the service checks the rest. */
export const isComplete = ({ prompt, schedule, delivery, webhookUrl, times }: TaskForm): boolean =>
  prompt.trim() !== '' && schedule.trim() !== '' && (delivery !== 'webhook' || webhookUrl.trim() !== '') &&
    /^(?:[1-9]\d{0,5})?$/.test(times.trim())

/** The state of a task, as shown in its row. */
export type TaskState = 'running' | 'queued' | 'paused' | 'completed' | 'failed' | 'undelivered' | 'blocked' | 'scheduled'

export function stateOf (task: Task): TaskState {
  const { status } = task.latest_execution ?? {}
  if (status === 'running' || status === 'queued') return status
  if (task.state === 'paused' || task.state === 'completed') return task.state
  if (task.last_status === 'blocked_config') return 'blocked'
  if (task.last_status === 'error' || task.state === 'error') return 'failed'
  return task.last_status === 'delivery_failed' ? 'undelivered' : 'scheduled'
}

/** Sorts tasks by next run; those that will not run come last, by name. */
export function sortTasks (tasks: readonly Task[]): Task[] {
  const at = ({ next_run_at: next }: Task): number => next === null ? Infinity : Date.parse(next)
  return tasks.toSorted((a, b) => at(a) === at(b) ? a.name.localeCompare(b.name) : at(a) - at(b))
}
