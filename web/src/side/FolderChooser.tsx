import { useEffect, useMemo, useState } from 'preact/hooks'
import { CornerLeftUp, Ellipsis, Folder, FolderCheck } from 'lucide-preact'
import { api } from '../app.js'
import { ApiError } from '../core/api.js'
import { KnownWorkspaces, type Workspace } from '../core/known-workspaces.js'
import { baseName, visible } from '../core/paths.js'
import { Button } from '../ui/Button.js'
import { Dialog } from '../ui/Dialog.js'
import { ErrorState } from '../ui/ErrorState.js'
import { Switch, TextField } from '../ui/Field.js'
import { Icon } from '../ui/Icon.js'
import { Menu } from '../ui/Menu.js'
import { Skeleton } from '../ui/Skeleton.js'
import { screenWords, words } from '../words/index.js'
import { useDeed, type Deed } from './deed.js'
import './side.css'

export interface FolderChooserProps {
  onClose: () => void
  onChosen: (workspace: Workspace) => void
  /** The folder that is chosen now. */
  current?: string | undefined
}

/** The folder of a new chat: one that is known, or another, browsed to or typed. Drawn while it is open. */
export function FolderChooser ({ onClose, onChosen, current }: FolderChooserProps) {
  const known = useMemo(() => new KnownWorkspaces(api), [])
  const deed = useDeed()
  /** Said in here: what lies beneath a dialog, notices included, cannot be pressed. */
  const [taken, setTaken] = useState<Taken | null>(null)
  useEffect(() => { void known.list.refresh() }, [known])
  const w = screenWords.value.files.folders
  const list = known.list.value.value
  const choose = (workspace: Workspace): void => {
    onClose()
    onChosen(workspace)
  }
  return (
    <Dialog open title={w.title} onClose={onClose}>
      {deed.problem !== null && <p class='side-problem' role='alert'>{deed.problem}</p>}
      {list === undefined && (known.list.error.value === null ? <Skeleton /> : <ErrorState error={known.list.error.value} onRetry={() => { void known.list.refresh() }} />)}
      {list !== undefined && (
        <ul class='folder-list' aria-label={w.known}>
          {list.workspaces.map((workspace) => <Known key={workspace.path} workspace={workspace} known={known} deed={deed} isCurrent={workspace.path === current} isLast={workspace.path === list.last} isOnly={list.workspaces.length === 1} onPick={() => choose(workspace)} onTaken={setTaken} />)}
        </ul>
      )}
      {taken !== null && <p class='side-deeds' role='status'><span class='side-muted side-grow'>{taken.text}</span><Button onClick={() => { setTaken(null); void deed.run('undo', taken.undo) }}>{words.value.common.undo}</Button></p>}
      <Other known={known} deed={deed} onAdded={choose} />
    </Dialog>
  )
}

interface KnownProps { workspace: Workspace, known: KnownWorkspaces, deed: Deed, isCurrent: boolean, isLast: boolean, isOnly: boolean, onPick: () => void, onTaken: (taken: Taken) => void }
interface Taken { text: string, undo: () => Promise<void> }

function Known ({ workspace, known, deed, isCurrent, isLast, isOnly, onPick, onTaken }: KnownProps) {
  const [name, setName] = useState<string | null>(null)
  const { common } = words.value
  const { files: { folders: w, rename } } = screenWords.value
  const shown = visible(workspace.name)
  const remove = (): Promise<void> => deed.run('remove', async () => {
    const order = (known.list.value.peek()?.workspaces ?? []).map(({ path }) => path)
    await known.remove(workspace.path)
    onTaken({ text: w.taken(shown), undo: async () => await known.bringBack(workspace, order) })
  })
  const saveName = (): Promise<void> => deed.run('rename', async () => {
    if (name === null) return
    await known.rename(workspace.path, name.trim())
    setName(null)
  })
  if (name !== null) {
    return (
      <li>
        <form class='folder-item' onSubmit={(event) => { event.preventDefault(); void saveName() }}>
          <TextField class='side-grow' bare label={w.rename(shown)} value={name} onValue={setName} maxLength={1_000} autofocus />
          <Button type='submit' kind='primary' busy={deed.doing === 'rename'}>{rename}</Button>
          <Button onClick={() => setName(null)}>{common.cancel}</Button>
        </form>
      </li>
    )
  }
  return (
    <li class='folder-item'>
      <button type='button' class='folder-pick' aria-current={isCurrent ? 'true' : undefined} onClick={onPick}>
        <Icon of={isCurrent ? FolderCheck : Folder} />
        <span><bdi class='side-lead'>{shown}</bdi><span class='side-muted'><bdi>{visible(workspace.path)}</bdi>{isLast && ` · ${w.last}`}</span></span>
      </button>
      <Menu
        label={screenWords.value.files.deedsFor(shown)} icon={Ellipsis}
        items={[{ text: w.rename(shown), onPick: () => setName(workspace.name) }, { text: w.take(shown), danger: true, disabled: isOnly, onPick: () => { void remove() }, ...(isOnly && { note: screenWords.value.files.lastOne }) }]}
      />
    </li>
  )
}

const typingPauseMs = 150

/** Another folder: its path is typed, and the folders that begin like it are offered, so that one can walk down. */
function Other ({ known, deed, onAdded }: { known: KnownWorkspaces, deed: Deed, onAdded: (workspace: Workspace) => void }) {
  const [path, setPath] = useState('')
  const [create, setCreate] = useState(false)
  const [found, setFound] = useState<readonly string[]>([])
  useEffect(() => {
    let gone = false
    const timer = setTimeout(() => {
      // One can go on typing without.
      known.suggest(path).then((next) => { if (!gone) setFound(next) }, (error: unknown) => { if (!(error instanceof ApiError)) throw error })
    }, path === '' ? 0 : typingPauseMs)
    return () => {
      gone = true
      clearTimeout(timer)
    }
  }, [path, known])
  const w = screenWords.value.files.folders
  const add = (): Promise<void> => deed.run('add', async () => {
    const wanted = path.trim()
    if (wanted !== '') onAdded(await known.add(wanted.length > 1 ? wanted.replace(/\/+$/, '') : wanted, { create }))
  })
  const above = /^(.*\/)[^/]+\/?$/.exec(path)?.[1]
  return (
    <form class='folder-form' onSubmit={(event) => { event.preventDefault(); void add() }}>
      <TextField label={w.path} hint={w.pathHint} value={path} onValue={setPath} maxLength={4_096} autocomplete='off' autocapitalize='none' spellcheck={false} />
      <div class='folder-here'>
        <p class='folder-heading'>{w.inHere}</p>
        <ul class='folder-list' aria-label={w.inHere}>
          {above !== undefined && <li class='folder-item'><button type='button' class='folder-pick' onClick={() => setPath(above)}><Icon of={CornerLeftUp} />{w.up}</button></li>}
          {found.map((one) => <li key={one} class='folder-item'><button type='button' class='folder-pick' title={visible(one)} onClick={() => setPath(one.endsWith('/') ? one : `${one}/`)}><Icon of={Folder} /><bdi>{visible(baseName(one.replace(/\/$/, '')))}</bdi></button></li>)}
          {found.length === 0 && <li class='side-muted'>{w.none}</li>}
        </ul>
      </div>
      <Switch label={w.create} checked={create} onChecked={setCreate} />
      <Button type='submit' kind='primary' busy={deed.doing === 'add'} disabled={path.trim() === ''}>{w.use}</Button>
    </form>
  )
}
