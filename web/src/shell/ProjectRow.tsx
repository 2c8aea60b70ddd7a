import { useSignal } from '@preact/signals'
import { type Group } from '../core/sessions/row-groups.js'
import { Icon } from '../ui/Icon.js'
import { Ellipsis, Folder, FolderOpen } from '../ui/icons.js'
import { words } from '../words/index.js'
import { InPlaceName } from './InPlaceName.js'
import { draggedChats } from './dragging.js'
import { projects } from './projects.js'
import { railMenu, renaming } from './rail-state.js'

/** A project in the list: it expands in place, and accepts chats that are dropped on it. */
export function ProjectRow ({ group, isOpen, onToggle }: { group: Group & { kind: 'project' }, isOpen: boolean, onToggle: () => void }) {
  const isOver = useSignal(false)
  const w = words.value.shell
  const project = projects.value.find(({ project_id: id }) => id === group.projectId)
  if (project === undefined) return null
  const { name, color, project_id: id } = project
  const count = group.families.reduce((sum, { branches }) => sum + 1 + branches.length, 0)
  const renamed = renaming.value
  if (renamed?.of === 'project' && renamed.id === id) return <div class='rail-entry'><InPlaceName name={name} /></div>
  return (
    <div
      class='rail-entry' data-over={isOver.value || undefined} data-project={id}
      onDragOver={(event) => {
        if (draggedChats(event) === null) return
        event.preventDefault()
        isOver.value = true
      }}
      onDragLeave={() => { isOver.value = false }}
      onDrop={(event) => {
        isOver.value = false
        const ids = draggedChats(event)
        if (ids === null) return
        event.preventDefault()
        void import('./chat-actions.js').then(async ({ moveChats }) => await moveChats(ids, id))
      }}
    >
      <button type='button' class='rail-row' aria-expanded={isOpen} onClick={onToggle}>
        <span class='rail-project-icon' style={color === null ? undefined : { '--project': color }}><Icon of={isOpen ? FolderOpen : Folder} /></span>
        <span class='rail-row-title' dir='auto'>{name}<span class='visually-hidden'>, {w.chatsIn(count)}</span></span>
        <span class='rail-row-end' aria-hidden='true'>{count === 0 ? null : count}</span>
      </button>
      <button
        type='button' class='rail-entry-menu' aria-haspopup='menu' aria-label={w.actionsOf(name)}
        onClick={({ currentTarget }) => { railMenu.value = { of: 'project', project, anchor: { current: currentTarget } } }}
      >
        <Icon of={Ellipsis} />
      </button>
    </div>
  )
}
