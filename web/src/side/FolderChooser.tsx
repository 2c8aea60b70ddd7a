import { type ComponentChildren } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { api } from '../app.js'
import { KnownWorkspaces, type Workspace } from '../core/machines/known-workspaces.js'
import { pathThere } from '../core/machines/location.js'
import { groupFolders, type FolderGroup } from '../core/machines/machines.js'
import { visible } from '../core/files/paths.js'
import { sayState } from '../machines/say.js'
import { useMachines } from '../machines/store.js'
import { Button } from '../ui/Button.js'
import { Dialog } from '../ui/Dialog.js'
import { ErrorState } from '../ui/ErrorState.js'
import { TextField } from '../ui/Field.js'
import { Icon } from '../ui/Icon.js'
import { Ellipsis, Folder, FolderCheck } from '../ui/icons.js'
import { MachineBadge } from '../ui/MachineBadge.js'
import { Menu } from '../ui/Menu.js'
import { Skeleton } from '../ui/Skeleton.js'
import { screenWords, words } from '../words/index.js'
import { useAction, type Action } from './action.js'
import { FolderPath } from './FolderPath.js'
import './side.css'

export interface FolderChooserProps {
  onClose: () => void
  onChosen: (workspace: Workspace) => void
  /** The current folder. */
  current?: string | undefined
  /** The dialog's title; that of a chat by default. */
  title?: string
}

/** Chooses a folder: a known one, or another one by browsing or typing, on this machine or on a connected one. Mounted while it is open. */
export function FolderChooser ({ onClose, onChosen, current, title }: FolderChooserProps) {
  const known = useMemo(() => new KnownWorkspaces(api), [])
  const action = useAction()
  const machines = useMachines()
  /** A removed folder. The offer to undo is shown in the dialog, because nothing beneath a dialog can be pressed, including toasts. */
  const [taken, setTaken] = useState<Taken | null>(null)
  useEffect(() => { void known.list.refresh() }, [known])
  const w = screenWords.value.files.folders
  const list = known.list.value.value
  const choose = (workspace: Workspace): void => {
    onClose()
    onChosen(workspace)
  }
  const groups = list === undefined ? [] : groupFolders(list.workspaces, machines.value.value)
  return (
    <Dialog open title={title ?? w.title} onClose={onClose}>
      {action.problem !== null && <p class='side-problem' role='alert'>{action.problem}</p>}
      {list === undefined &&
        (known.list.error.value === null
          ? <Skeleton />
          : <ErrorState error={known.list.error.value} onRetry={() => { void known.list.refresh() }} />)}
      {groups.map((group) => (
        <Group key={group.name} group={group} isAlone={groups.length === 1 && group.name === null}>
          {group.folders.map((workspace) => (
            <Known
              key={workspace.path} workspace={workspace} group={group} known={known} action={action}
              isCurrent={workspace.path === current} isLast={workspace.path === list?.last}
              isOnly={list?.workspaces.length === 1} onPick={() => choose(workspace)} onTaken={setTaken}
            />
          ))}
        </Group>
      ))}
      {machines.error.value !== null && groups.some(({ name }) => name !== null) && (
        <p class='side-muted' role='status'>{screenWords.value.machines.unread(machines.error.value.message)}</p>
      )}
      {taken !== null && (
        <p class='side-actions' role='status'>
          <span class='side-muted side-grow'>{taken.text}</span>
          <Button onClick={() => { setTaken(null); void action.run('undo', taken.undo) }}>{words.value.common.undo}</Button>
        </p>
      )}
      <FolderPath known={known} machines={machines.value.value} action={action} onAdded={choose} />
    </Dialog>
  )
}

/** The folders of one machine; without a heading if there is only this one. */
function Group ({ group: { name, absence }, isAlone, children }: { group: FolderGroup, isAlone: boolean, children: ComponentChildren }) {
  const w = screenWords.value
  const heading = name === null ? w.machines.here : visible(name)
  return (
    <>
      {!isAlone && <p class='folder-heading'><bdi>{heading}</bdi>{absence !== null && ` · ${sayState(absence)}`}</p>}
      <ul class='folder-list' aria-label={isAlone ? w.files.folders.known : `${w.files.folders.known}: ${heading}`}>{children}</ul>
    </>
  )
}

interface KnownProps {
  workspace: Workspace
  group: FolderGroup
  known: KnownWorkspaces
  action: Action
  isCurrent: boolean
  isLast: boolean
  isOnly: boolean
  onPick: () => void
  onTaken: (taken: Taken) => void
}
interface Taken { text: string, undo: () => Promise<void> }

function Known ({ workspace, group, known, action, isCurrent, isLast, isOnly, onPick, onTaken }: KnownProps) {
  const [name, setName] = useState<string | null>(null)
  const { common } = words.value
  const { files: { folders: w, rename } } = screenWords.value
  const shown = visible(workspace.name)
  const remove = (): Promise<void> => action.run('remove', async () => {
    const order = (known.list.value.peek()?.workspaces ?? []).map(({ path }) => path)
    await known.remove(workspace.path)
    onTaken({ text: w.taken(shown), undo: async () => await known.bringBack(workspace, order) })
  })
  const saveName = (): Promise<void> => action.run('rename', async () => {
    if (name === null) return
    await known.rename(workspace.path, name.trim())
    setName(null)
  })
  if (name !== null) {
    return (
      <li>
        <form class='folder-item' onSubmit={(event) => { event.preventDefault(); void saveName() }}>
          <TextField class='side-grow' bare label={w.rename(shown)} value={name} onValue={setName} maxLength={1_000} autofocus />
          <Button type='submit' kind='primary' busy={action.doing === 'rename'}>{rename}</Button>
          <Button onClick={() => setName(null)}>{common.cancel}</Button>
        </form>
      </li>
    )
  }
  return (
    <li class='folder-item'>
      <button
        type='button' class='folder-pick' aria-current={isCurrent ? 'true' : undefined}
        aria-disabled={group.absence !== null || undefined}
        onClick={() => { if (group.absence === null) onPick() }}
      >
        <Icon of={isCurrent ? FolderCheck : Folder} />
        <span>
          <span class='side-lead'><bdi>{shown}</bdi>{group.name !== null && <> <MachineBadge name={group.name} /></>}</span>
          <span class='side-muted'>
            <bdi>{visible(pathThere(workspace.path))}</bdi>
            {isLast && ` · ${w.last}`}
            {group.absence !== null && <span class='visually-hidden'>, {sayState(group.absence)}</span>}
          </span>
        </span>
      </button>
      <Menu
        label={screenWords.value.files.actionsFor(shown)} icon={Ellipsis}
        items={[
          { text: w.rename(shown), onPick: () => setName(workspace.name) },
          {
            text: w.take(shown), danger: true, disabled: isOnly, onPick: () => { void remove() },
            ...(isOnly && { note: screenWords.value.files.lastOne })
          }
        ]}
      />
    </li>
  )
}
