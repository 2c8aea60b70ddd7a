import { sessions } from '../app.js'
import { groupRows, type Group } from '../core/sessions/row-groups.js'
import { waitingSessions } from '../home/store.js'
import { projects } from './projects.js'
import { leaving } from './rail-state.js'

/** Returns the groups of the list as shown now, without chats that are about to be deleted. A reactive read. */
export function groupsNow (): Group[] {
  const { value: gone } = leaving
  return groupRows(gone.size === 0 ? sessions.rows.value : sessions.rows.value.filter(({ session_id: id }) => !gone.has(id)), {
    waiting: waitingSessions.value,
    projectIds: projects.value.map(({ project_id: id }) => id),
    now: new Date()
  })
}
