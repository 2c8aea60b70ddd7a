import { type Row } from './session-list.js'

/** The group of a row in the list. `project` has its id, `month` its first day. */
export type Group =
  | { kind: 'waiting' | 'pinned' | 'today' | 'yesterday' | 'week', rows: Row[] }
  | { kind: 'project', projectId: string, rows: Row[] }
  | { kind: 'month', year: number, month: number, rows: Row[] }

const dayMs = 86_400_000

/**
 * Groups the list: waiting sessions, pinned ones, projects in their order, and the rest by the day of their last message, in local time.
 */
export function groupRows (
  rows: readonly Row[], { waiting, projectIds, now }: { waiting: ReadonlySet<string>, projectIds: readonly string[], now: Date }
): Group[] {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime()
  const groups = new Map<string, Group>([['waiting', { kind: 'waiting', rows: [] }], ['pinned', { kind: 'pinned', rows: [] }]])
  for (const projectId of projectIds) groups.set(`project ${projectId}`, { kind: 'project', projectId, rows: [] })
  for (const row of rows) {
    const group = groupOf(row)
    const key = group.kind === 'project'
      ? `project ${group.projectId}`
      : group.kind === 'month' ? `month ${group.year} ${group.month}` : group.kind
    const known = groups.get(key)
    if (known === undefined) groups.set(key, group)
    else known.rows.push(row)
  }
  return [...groups.values()].filter((group) => group.rows.length > 0)

  function groupOf (row: Row): Group {
    const at = new Date((row.last_message_at ?? row.updated_at) * 1_000)
    if (waiting.has(row.session_id)) return { kind: 'waiting', rows: [row] }
    if (row.pinned) return { kind: 'pinned', rows: [row] }
    if (row.project_id !== null && projectIds.includes(row.project_id)) return { kind: 'project', projectId: row.project_id, rows: [row] }
    if (at.getTime() >= midnight) return { kind: 'today', rows: [row] }
    // Not 24 hours earlier: days with a clock change are longer or shorter.
    if (at.getTime() >= new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1).getTime()) return { kind: 'yesterday', rows: [row] }
    if (at.getTime() >= midnight - 6 * dayMs) return { kind: 'week', rows: [row] }
    return { kind: 'month', year: at.getFullYear(), month: at.getMonth(), rows: [row] }
  }
}
