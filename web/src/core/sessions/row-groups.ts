import { type Row } from './session-list.js'

/** A session in the list, with the sessions that branched off it. */
export interface Family { row: Row, branches: readonly Row[] }

/** A group of the list. `project` has its id, `month` its first day. */
export type Group =
  | { kind: 'waiting' | 'pinned' | 'today' | 'yesterday' | 'week', families: Family[] }
  | { kind: 'project', projectId: string, families: Family[] }
  | { kind: 'month', year: number, month: number, families: Family[] }

export interface GroupOptions { waiting: ReadonlySet<string>, projectIds: readonly string[], now: Date }

const dayMs = 86_400_000
const activeAtS = (row: Row): number => row.last_message_at ?? row.updated_at

/**
 * Groups the list: waiting sessions, pinned ones, projects in their order (including empty ones), and the rest by the day of their last
 * message, in local time. Branches are listed with the session that they began from, unless they wait, are pinned, or are in another
 * project.
 */
export function groupRows (rows: readonly Row[], options: GroupOptions): Group[] {
  const { projectIds, now } = options
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime()
  const groups = new Map<string, Group>([['waiting', { kind: 'waiting', families: [] }], ['pinned', { kind: 'pinned', families: [] }]])
  for (const projectId of projectIds) groups.set(`project ${projectId}`, { kind: 'project', projectId, families: [] })
  for (const family of familiesOf(rows, options)) {
    const group = groupOf(family)
    const key = keyOfGroup(group)
    const known = groups.get(key)
    if (known === undefined) groups.set(key, group)
    else known.families.push(family)
  }
  return [...groups.values()].filter(({ kind, families }) => kind === 'project' || families.length > 0)

  function groupOf (family: Family): Group {
    const { row } = family
    const families = [family]
    if (options.waiting.has(row.session_id)) return { kind: 'waiting', families }
    if (row.pinned) return { kind: 'pinned', families }
    if (row.project_id !== null && projectIds.includes(row.project_id)) return { kind: 'project', projectId: row.project_id, families }
    const at = new Date(lastOf(family) * 1_000)
    if (at.getTime() >= midnight) return { kind: 'today', families }
    // Not 24 hours earlier: days with a clock change are longer or shorter.
    if (at.getTime() >= new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1).getTime()) return { kind: 'yesterday', families }
    if (at.getTime() >= midnight - 6 * dayMs) return { kind: 'week', families }
    return { kind: 'month', year: at.getFullYear(), month: at.getMonth(), families }
  }
}

/** Identifies a group among the others. */
export const keyOfGroup = (group: Group): string => group.kind === 'project'
  ? `project ${group.projectId}`
  : group.kind === 'month' ? `month ${group.year} ${group.month}` : group.kind

/** Returns families, the most recently active first; activity in any of their sessions counts. */
function familiesOf (rows: readonly Row[], { waiting }: GroupOptions): Family[] {
  const known = new Map(rows.map((row) => [row.session_id, row]))
  const families = new Map<string, Family & { branches: Row[] }>()
  const familyOf = (row: Row): Family & { branches: Row[] } => {
    const family = families.get(row.session_id) ?? { row, branches: [] }
    families.set(row.session_id, family)
    return family
  }
  for (const row of rows) {
    const first = standsAlone(row, waiting) ? row : firstOf(row, known, waiting)
    const family = familyOf(first)
    if (first !== row) family.branches.push(row)
  }
  return [...families.values()].toSorted((a, b) => lastOf(b) - lastOf(a))
}

/** Returns the session from which the branches that led to this one began, as far back as it is known and in the same group. */
function firstOf (row: Row, known: ReadonlyMap<string, Row>, waiting: ReadonlySet<string>): Row {
  const passed = new Set([row.session_id])
  let first = row
  for (;;) {
    const parent = first.parent_session_id === null ? undefined : known.get(first.parent_session_id)
    if (parent === undefined || parent.project_id !== row.project_id) return first
    // A cycle is impossible, so a session that claims one is listed alone.
    if (passed.has(parent.session_id)) return row
    passed.add(parent.session_id)
    first = parent
    if (standsAlone(first, waiting)) return first
  }
}

const standsAlone = ({ session_id: id, pinned }: Row, waiting: ReadonlySet<string>): boolean => pinned || waiting.has(id)

const lastOf = ({ row, branches }: Family): number => Math.max(activeAtS(row), ...branches.map(activeAtS))
