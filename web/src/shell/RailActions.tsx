import { navigate } from 'wouter-preact/use-browser-location'
import { sessions } from '../app.js'
import { nextSession } from '../conversation/opened.js'
import { ShareDialog } from '../conversation/ShareDialog.js'
import { shownTitle } from '../core/sessions/title.js'
import { Button } from '../ui/Button.js'
import {
  Archive, Check, Download, FolderInput, GitFork, Palette, Pencil, Pin, Plus, Share, SquarePen, Trash, X
} from '../ui/icons.js'
import { PopupMenu, type MenuEntry } from '../ui/Menu.js'
import { screenWords, words } from '../words/index.js'
import { archiveChats, branchChat, deleteChats, exportChats, moveChats, pinChats } from './chat-deeds.js'
import { places } from './places.js'
import { colourProject, projectColours, removeProject, type ProjectColour } from './project-deeds.js'
import { projects } from './projects.js'
import { choose, chosen, railMenu, renaming, sharing, type ListedChat, type RailAnchor, type RailMenu } from './rail-state.js'

/** The menu of a row of the list, what it opens, and what can be done with all chats that are selected. */
export function RailActions () {
  const { value: open } = railMenu
  return (
    <>
      {open === null
        ? null
        : (
          <PopupMenu
            key={open.of} open anchor={open.anchor} align='start' label={nameOf(open)} items={itemsOf(open)}
            onClose={() => { railMenu.value = null }}
          />
          )}
      {sharing.value === null ? null : <ShareDialog session={sharing.value} onClose={() => { sharing.value = null }} />}
      {chosen.value.size === 0 ? null : <Selection ids={[...chosen.value]} />}
    </>
  )
}

function nameOf (menu: RailMenu): string {
  const w = screenWords.value.rail
  switch (menu.of) {
    case 'chat': return menu.chat.title === '' ? words.value.shell.untitled : shownTitle(menu.chat.title)
    case 'move': return w.move
    case 'project': return menu.project.name
    case 'colour': return w.colour
  }
}

function itemsOf (menu: RailMenu): readonly MenuEntry[] {
  switch (menu.of) {
    case 'chat': return chatItems(menu.chat, menu.anchor)
    case 'move': return moveItems(menu.ids)
    case 'project': return projectItems(menu)
    case 'colour': return colourItems(menu)
  }
}

function chatItems (chat: ListedChat, anchor: RailAnchor): MenuEntry[] {
  const w = screenWords.value.rail
  const { session_id: id, pinned, read_only: isReadOnly } = chat
  const own = (items: MenuEntry[]): MenuEntry[] => isReadOnly ? [] : items
  return [
    ...own([
      { text: pinned ? w.unpin : w.pin, icon: Pin, keys: 'P', onPick: () => { void pinChats([id], !pinned) } },
      { text: w.rename, icon: Pencil, keys: 'R', onPick: () => { renaming.value = { of: 'chat', id } } },
      { text: w.move, icon: FolderInput, keys: '›', onPick: () => { railMenu.value = { of: 'move', ids: [id], anchor } } }
    ]),
    { text: w.branch, icon: GitFork, keys: 'B', onPick: () => { void branchChat(id) } },
    { text: w.share, icon: Share, onPick: () => { sharing.value = chat } },
    ...own([
      { text: w.choose, icon: Check, onPick: () => choose(id, null) },
      'line',
      { text: w.archive, icon: Archive, keys: 'E', onPick: () => { void archiveChats([id]) } },
      { text: w.delete, icon: Trash, keys: '⌫', danger: true, onPick: () => deleteChats([id]) }
    ])
  ]
}

function moveItems (ids: readonly string[]): MenuEntry[] {
  const w = screenWords.value.rail
  const [first] = ids
  const now = ids.length === 1 && first !== undefined ? sessions.row(first)?.project_id ?? null : undefined
  return [
    ...projects.value.map(({ project_id: id, name, color }): MenuEntry => ({
      text: name, checked: id === now, ...(color === null ? {} : { swatch: color }), onPick: () => { void moveChats(ids, id) }
    })),
    ...(now === null ? [] : [{ text: w.noProject, checked: false, onPick: () => { void moveChats(ids, null) } }]),
    ...(projects.value.length === 0 ? [] : ['line' as const]),
    { text: w.newProject, icon: Plus, onPick: () => { renaming.value = { of: 'new', ids } } }
  ]
}

function projectItems ({ project, anchor }: RailMenu & { of: 'project' }): MenuEntry[] {
  const w = screenWords.value.rail
  const { project_id: id, name } = project
  return [
    {
      text: w.newChatHere, icon: SquarePen,
      onPick: () => {
        navigate(places.newChat)
        nextSession.value = { project_id: id }
      }
    },
    { text: w.rename, icon: Pencil, keys: 'R', onPick: () => { renaming.value = { of: 'project', id } } },
    { text: w.colour, icon: Palette, keys: '›', onPick: () => { railMenu.value = { of: 'colour', project, anchor } } },
    'line',
    { text: w.removeProject, note: w.removeProjectNote, icon: Trash, danger: true, onPick: () => { void removeProject(id, name) } }
  ]
}

const isColour = (name: string): name is ProjectColour => name in projectColours

function colourItems ({ project: { project_id: id, name, color } }: RailMenu & { of: 'colour' }): MenuEntry[] {
  const w = screenWords.value.rail.colours
  return Object.keys(projectColours).filter(isColour).map((colour) => ({
    text: w[colour], swatch: projectColours[colour], checked: color === projectColours[colour],
    onPick: () => { void colourProject(id, name, colour) }
  }))
}

function Selection ({ ids }: { ids: readonly string[] }) {
  const w = screenWords.value.rail
  const isPinned = ids.every((id) => sessions.row(id)?.pinned === true)
  const end = (): void => { chosen.value = new Set() }
  return (
    <div class='rail-selection' onKeyDown={(event) => { if (event.key === 'Escape') { event.stopPropagation(); end() } }}>
      <p role='status'>{w.chosen(ids.length)}</p>
      <Button kind='quiet' icon={Pin} label={isPinned ? w.unpin : w.pin} onClick={() => { void pinChats(ids, !isPinned) }} />
      <Button
        kind='quiet' icon={FolderInput} label={w.move} aria-haspopup='menu'
        onClick={({ currentTarget }) => { railMenu.value = { of: 'move', ids, anchor: { current: currentTarget } } }}
      />
      <Button kind='quiet' icon={Archive} label={w.archive} onClick={() => { void archiveChats(ids) }} />
      <Button kind='quiet' icon={Download} label={w.export} onClick={() => { void exportChats(ids) }} />
      <Button kind='quiet' icon={Trash} label={w.delete} onClick={() => deleteChats(ids)} />
      <Button kind='quiet' icon={X} label={w.endChoosing} onClick={end} />
    </div>
  )
}
