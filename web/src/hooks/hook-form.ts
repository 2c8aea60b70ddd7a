import { signal } from '@preact/signals'
import { deliveryOf, modelKey, type Delivery } from '../tasks/task-form.js'
import { type Hook } from './hooks.js'
import { senderOf, type Sender } from './senders.js'

/** The key of a hook that is being created. */
export const newHook = 'new'

/** A hook in the fields of its form. */
export interface HookForm {
  name: string
  sender: Sender
  /** The template of the run's message. It has the same name as in the form of a task. */
  prompt: string
  events: readonly string[]
  match: ReadonlyArray<{ path: string, value: string }>
  workspace: string
  /** `provider model`; empty: the profile's default. */
  model: string
  skills: readonly string[]
  ask: 'deny' | 'wait'
  delivery: Delivery
  webhookUrl: string
  /** US dollars per day, as typed; empty: the profile's budget. */
  budget: string
}

const emptyForm: HookForm = {
  name: '', sender: 'github', prompt: '', events: [], match: [], workspace: '', model: '', skills: [], ask: 'deny', delivery: 'local',
  webhookUrl: '', budget: ''
}

const webhook = 'webhook:'

function formOf (hook: Hook): HookForm {
  const isWebhook = hook.deliver.startsWith(webhook)
  return {
    name: hook.name,
    sender: senderOf(hook),
    prompt: hook.template,
    events: hook.events,
    match: Object.entries(hook.match).map(([path, value]) => ({ path, value })),
    workspace: hook.workspace ?? '',
    model: modelKey(hook.provider, hook.model),
    skills: hook.skills,
    ask: hook.ask,
    delivery: isWebhook ? 'webhook' : deliveryOf(hook.deliver) ?? 'local',
    webhookUrl: isWebhook ? hook.deliver.slice(webhook.length) : '',
    budget: hook.daily_budget_usd === null ? '' : String(hook.daily_budget_usd)
  }
}

/** Returns the values that a call must have, in the service's form; entries without a path are omitted. */
export const matchOf = ({ match }: Pick<HookForm, 'match'>): Record<string, string> =>
  Object.fromEntries(match.filter(({ path }) => path.trim() !== '').map(({ path, value }) => [path.trim(), value]))

export function bodyOf (form: HookForm) {
  const [provider = '', ...model] = form.model.split(' ')
  return {
    name: form.name.trim(),
    template: form.prompt,
    events: [...form.events],
    match: matchOf(form),
    workspace: form.workspace.trim(),
    model: model.join(' '),
    provider,
    skills: [...form.skills],
    ask: form.ask,
    deliver: form.delivery === 'webhook' ? `${webhook}${form.webhookUrl.trim()}` : form.delivery,
    daily_budget_usd: form.budget.trim() === '' ? 0 : Number(form.budget)
  }
}

export const isBudget = (text: string): boolean => text.trim() === '' || (Number(text) > 0 && Number(text) <= 1_000_000)

/** Whether a form can be sent; the service checks the rest. */
export const isComplete = ({ name, prompt, delivery, webhookUrl, budget }: HookForm): boolean =>
  name.trim() !== '' && prompt.trim() !== '' && (delivery !== 'webhook' || webhookUrl.trim() !== '') && isBudget(budget)

const drafts = signal<ReadonlyMap<string, HookForm>>(new Map())

/** Returns the form of a hook: the unsaved draft, or the hook's own values. */
export const formFor = (hook: Hook | null): HookForm => drafts.value.get(hook?.id ?? newHook) ?? (hook === null ? emptyForm : formOf(hook))

export function keepDraft (hook: Hook | null, form: HookForm | null): void {
  const kept = new Map(drafts.peek())
  if (form === null) kept.delete(hook?.id ?? newHook)
  else kept.set(hook?.id ?? newHook, form)
  drafts.value = kept
}

/** Returns whether the form has unsaved changes. */
export function isChanged (hook: Hook | null): boolean {
  const draft = drafts.value.get(hook?.id ?? newHook)
  const saved = hook === null ? emptyForm : formOf(hook)
  // The sender is not stored with a hook.
  return draft !== undefined && JSON.stringify({ ...draft, sender: saved.sender }) !== JSON.stringify(saved)
}
