import t from '../../test/support/harness.js'
import { groupRows, type Group } from '../src/core/sessions/row-groups.js'
import { type Row } from '../src/core/sessions/session-list.js'
import { shownTitle } from '../src/core/sessions/title.js'
import { isKeyOf } from '../src/ui/menu-items.js'

const now = new Date(2026, 10, 28, 9, 41)
const dayS = 86_400
const row = (id: string, daysAgo: number, more: Partial<Row> = {}): Row => ({
  session_id: id, title: id, workspace: '/w', host: 'here', model: 'm', model_provider: 'p', profile: 'default', project_id: null, message_count: 2,
  created_at: 0, updated_at: now.getTime() / 1_000 - daysAgo * dayS, last_message_at: now.getTime() / 1_000 - daysAgo * dayS, pinned: false,
  archived: false, session_source: 'webui', source_tag: 'webui', is_cli_session: false, read_only: false, is_streaming: false, active_stream_id: null,
  attention: null, worktree_branch: null, parent_session_id: null, relationship_type: null, preview: null, ...more
})

/** The list as it is read: each group with its sessions, and what branched off them. */
const said = (groups: readonly Group[]): string[] => groups.map((group) => {
  const name = group.kind === 'project' ? group.projectId : group.kind === 'month' ? `${group.year}-${group.month + 1}` : group.kind
  return `${name}: ${group.families.map(({ row: { session_id: id }, branches }) => [id, ...branches.map((branch) => `+${branch.session_id}`)].join('')).join(' ')}`
})
const options = { waiting: new Set<string>(), projectIds: ['website', 'house'], now }

t.test('the list: what waits, what is pinned, projects in their order and also empty ones, then days by the calendar', async (t) => {
  const rows = [row('late', 0.2), row('waits', 3), row('pinned', 40, { pinned: true }), row('eve', 0.5), row('week', 6), row('old', 28), row('older', 500), row('mine', 1, { project_id: 'house' }), row('lost', 0.1, { project_id: 'gone' })]
  t.same(said(groupRows(rows, { ...options, waiting: new Set(['waits']) })), [
    'waiting: waits', 'pinned: pinned', 'website: ', 'house: mine', 'today: lost late', 'yesterday: eve', 'week: week', '2026-10: old', '2025-7: older'
  ])
})

t.test('branches stand with the session that they began from, which is as recent as its latest branch', async (t) => {
  const rows = [
    row('first', 10), row('second', 2), row('branch', 5, { parent_session_id: 'first' }), row('deeper', 0, { parent_session_id: 'branch' }),
    row('alone', 3, { parent_session_id: 'not loaded' }), row('kept', 4, { parent_session_id: 'first', pinned: true }),
    row('elsewhere', 4, { parent_session_id: 'first', project_id: 'website' }), row('asks', 9, { parent_session_id: 'second' })
  ]
  t.same(said(groupRows(rows, { ...options, waiting: new Set(['asks']) })), [
    'waiting: asks', 'pinned: kept', 'website: elsewhere', 'house: ', 'today: first+branch+deeper', 'week: second alone'
  ])
  const circle = [row('a', 0, { parent_session_id: 'b' }), row('b', 1, { parent_session_id: 'a' })]
  t.equal(groupRows(circle, options).flatMap(({ families }) => families.flatMap(({ row: one, branches }) => [one, ...branches])).length, 2, 'each is listed once')
})

t.test('a branch is not called one, a run of a task has no moment in its name, and a menu has its keys', async (t) => {
  t.same(['Tea (fork)', 'Tea (fork) (fork)', 'Tea', '(fork) in the road'].map(shownTitle), ['Tea', 'Tea', 'Tea', '(fork) in the road'])
  t.same(['Tea · 2026-11-28 15:13', '2026-11-28 15:13', 'Tea · Milk'].map(shownTitle), ['Tea', '2026-11-28 15:13', 'Tea · Milk'])
  t.ok(isKeyOf({ keys: 'P' }, 'p'))
  t.ok(isKeyOf({ keys: '⌫' }, 'Delete'))
  t.ok(isKeyOf({ keys: '›' }, 'ArrowRight'))
  t.notOk(isKeyOf({ keys: 'P', disabled: true }, 'p'))
  t.notOk(isKeyOf({ keys: 'Ctrl K' }, 'k'))
})
