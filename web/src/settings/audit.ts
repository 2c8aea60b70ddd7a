import { signal } from '@preact/signals-core'
import { api } from '../app.js'
import { type Wire } from '../core/service/api.js'
import { createResource } from '../core/service/resource.js'
import { times } from '../words/times.js'

export type AuditEntry = Wire<'AuditEntry'>
/** The first part of a kind. */
type Group = AuditEntry['kind'] extends `${infer First}.${string}` ? First : never

/** Returns a function for lists that contain every member of `Whole`: the compiler rejects an incomplete list. */
const allOf = <Whole extends string>() => <const List extends readonly Whole[]>(list: [Whole] extends [List[number]] ? List : never) => list

export const groups = allOf<Group>()([
  'auth', 'passkey', 'device', 'pairing', 'approval', 'question', 'grant', 'yolo', 'settings', 'config', 'key', 'mcp', 'plugin', 'skill',
  'memory', 'profile', 'job', 'session', 'project', 'share', 'file', 'trash', 'checkpoint', 'git', 'backup', 'update', 'machine', 'attempts',
  'check', 'pull', 'hook', 'plan', 'mode', 'audit'
])
/** The second part of a kind: what was done. */
type Action = AuditEntry['kind'] extends `${string}.${infer Second}` ? Second : never

export const partsOf = (kind: AuditEntry['kind']): [Group, Action] => kind.split('.') as [Group, Action]

/** Returns what was done, more exactly where the details say it: which way something was switched, how a server changed. */
export function actionOf ({ kind, details }: Pick<AuditEntry, 'kind' | 'details'>): Action | 'switchedOn' | 'switchedOff' {
  const [, action] = partsOf(kind)
  if (action === 'switched' && 'on' in details) return details.on ? 'switchedOn' : 'switchedOff'
  if (action === 'switched' && 'mode' in details) return details.mode === 'plan' ? 'switchedOn' : 'switchedOff'
  const change = action === 'server' && 'change' in details ? details.change : null
  if (change === 'on' || change === 'off') return change === 'on' ? 'switchedOn' : 'switchedOff'
  return change === 'added' || change === 'changed' || change === 'removed' ? change : action
}

/** Details that say in a person's words what an entry is about, the most telling first; the others are ids and figures. */
const telling = [
  'command', 'question', 'name', 'label', 'skill', 'plugin', 'server', 'variable', 'pattern_key', 'path', 'repository', 'machine', 'message',
  'backup', 'section', 'profile'
]

/** Returns the first line of what an entry is about; null if only ids say it. */
export function subjectOf (details: object): string | null {
  if ('changes' in details && Array.isArray(details.changes)) return details.changes.filter(isChange).map(({ key }) => key).join(', ')
  const found = Object.entries(details).filter(([key, value]) => typeof value === 'string' && value !== '' && telling.includes(key))
    .toSorted(([one], [other]) => telling.indexOf(one) - telling.indexOf(other))
  return (found[0]?.[1] as string | undefined)?.split('\n', 1)[0] ?? null
}

/** Returns the entries under the names of their days, in their order; `id` is the day's for the page. */
export function byDay (entries: readonly AuditEntry[]): Array<{ id: string, day: string, list: AuditEntry[] }> {
  const days: Array<{ id: string, day: string, list: AuditEntry[] }> = []
  for (const entry of entries) {
    const day = times.heading(entry.at)
    const last = days.at(-1)
    if (last?.day === day) last.list.push(entry)
    else days.push({ id: `audit-${entry.id}`, day, list: [entry] })
  }
  return days
}

/** Returns a detail as lines: a text as it is, each change of a setting as `key: before → after`, nothing as a dash, the rest as JSON. */
export function valueLines (value: unknown): string[] {
  if (value === null || (Array.isArray(value) && value.length === 0)) return ['–']
  if (!Array.isArray(value)) return [typeof value === 'string' ? value : JSON.stringify(value)]
  return value.map((one: unknown) => isChange(one) ? `${one.key}: ${one.from ?? '–'} → ${one.to ?? '–'}` : valueLines(one).join(', '))
}

interface Change { key: string, from: string | null, to: string | null }
const isChange = (value: unknown): value is Change =>
  typeof value === 'object' && value !== null && 'key' in value && 'from' in value && 'to' in value

export interface Sought { kind: Group | '', q: string }

export const sought = signal<Sought>({ kind: '', q: '' })

const page = async (before?: number): Promise<Wire<'AuditPage'>> =>
  await api.get('/api/audit', { ...filterOf(sought.peek()), ...(before !== undefined && { before: String(before) }) })

/** The entries found so far, the newest first. */
export const auditLog = createResource(async () => await page())

export async function seek (change: Partial<Sought>): Promise<void> {
  sought.value = { ...sought.peek(), ...change }
  await auditLog.refresh()
}

/** Reads the next page. Throws ApiError. */
export async function readOlder (): Promise<void> {
  const [asked, shown] = [sought.peek(), auditLog.value.peek()]
  if (shown?.next_before == null) return
  const { entries, next_before: next } = await page(shown.next_before)
  // Another search may have started by now.
  if (sought.peek() === asked) auditLog.set({ entries: [...shown.entries, ...entries], next_before: next })
}

/** Returns the address of an export of the search. */
export const exportAddress = (format: 'ndjson' | 'csv', wanted: Sought): string => api.url('/api/audit/export', { format, ...filterOf(wanted) })

function filterOf ({ kind, q }: Sought): { kind?: string, q?: string } {
  return { ...(kind !== '' && { kind }), ...(q !== '' && { q }) }
}
