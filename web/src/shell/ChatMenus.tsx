import { navigate } from 'wouter-preact/use-browser-location'
import { sessions } from '../app.js'
import { nextSession } from '../conversation/open-chat.js'
import { ShareDialog } from '../conversation/ShareDialog.js'
import { type Wire } from '../core/service/api.js'
import { Archive, Check, FolderInput, GitFork, Palette, Pencil, Pin, Plus, Settings2, Share, SquarePen, Trash } from '../ui/icons.js'
import { attempt } from '../ui/attempt.js'
import { PopupMenu, type MenuEntry } from '../ui/Menu.js'
import { lazy } from '../ui/lazy.js'
import { screenWords } from '../words/index.js'
import { archiveChats, branchChat, deleteChats, moveChats, pinChats } from './chat-actions.js'
import { chatTitle } from './chat-title.js'
import { places } from './places.js'
import { colourProject, projectColours, removeProject, type ProjectColour } from './project-actions.js'
import { inProject, projects, readProject } from './projects.js'
import { showRail } from './rail-fold.js'
import { choose, railMenu, renaming, settingUp, sharing, type ListedChat, type RailMenu } from './rail-state.js'

const ProjectDialog = lazy(async () => (await import('./ProjectDialog.js')).ProjectDialog, { waiting: null })

/** The open menu of a chat or a project, and the menus and dialogs that it leads to. */
export function ChatMenus () {
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
      {settingUp.value === null ? null : <ProjectDialog project={settingUp.value} onClose={() => { settingUp.value = null }} />}
      {sharing.value === null ? null : <ShareDialog session={sharing.value} onClose={() => { sharing.value = null }} />}
    </>
  )
}

function nameOf (menu: RailMenu): string {
  const w = screenWords.value.rail
  switch (menu.of) {
    case 'chat': return chatTitle(menu.chat.title)
    case 'move': return w.move
    case 'project': return menu.project.name
    case 'colour': return w.colour
  }
}

function itemsOf (menu: RailMenu): readonly MenuEntry[] {
  switch (menu.of) {
    case 'chat': return chatItems(menu.chat)
    case 'move': return moveItems(menu.ids)
    case 'project': return projectItems(menu.project)
    case 'colour': return colourItems(menu.project)
  }
}

function chatItems (chat: ListedChat): MenuEntry[] {
  const w = screenWords.value.rail
  const { session_id: id, pinned, read_only: isReadOnly } = chat
  const own = (items: MenuEntry[]): MenuEntry[] => isReadOnly ? [] : items
  return [
    ...own([
      { text: pinned ? w.unpin : w.pin, icon: Pin, keys: 'P', onPick: () => { void pinChats([id], !pinned) } },
      { text: w.rename, icon: Pencil, keys: 'R', onPick: () => { renaming.value = { of: 'chat', id } } },
      { text: w.move, icon: FolderInput, keys: '›', onPick: (anchor) => { railMenu.value = { of: 'move', ids: [id], anchor } } }
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
    {
      text: w.newProject, icon: Plus,
      onPick: () => {
        showRail()
        renaming.value = { of: 'new', ids }
      }
    }
  ]
}

async function setUp (projectId: string): Promise<void> {
  await attempt(async () => { settingUp.value = await readProject(projectId) ?? null })
}

function projectItems (project: Wire<'Project'>): MenuEntry[] {
  const w = screenWords.value.rail
  const { project_id: id, name } = project
  return [
    {
      text: w.newChatHere, icon: SquarePen,
      onPick: () => {
        navigate(places.newChat)
        nextSession.value = inProject(project)
      }
    },
    { text: w.rename, icon: Pencil, keys: 'R', onPick: () => { renaming.value = { of: 'project', id } } },
    { text: w.colour, icon: Palette, keys: '›', onPick: (anchor) => { railMenu.value = { of: 'colour', project, anchor } } },
    { text: w.setUp, icon: Settings2, onPick: () => { void setUp(id) } },
    'line',
    { text: w.removeProject, note: w.removeProjectNote, icon: Trash, danger: true, onPick: () => { void removeProject(id, name) } }
  ]
}

const isColour = (name: string): name is ProjectColour => name in projectColours

function colourItems ({ project_id: id, name, color }: Wire<'Project'>): MenuEntry[] {
  const w = screenWords.value.rail.colours
  return Object.keys(projectColours).filter(isColour).map((colour) => ({
    text: w[colour], swatch: projectColours[colour], checked: color === projectColours[colour],
    onPick: () => { void colourProject(id, name, colour) }
  }))
}
