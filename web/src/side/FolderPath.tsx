import { useEffect, useState } from 'preact/hooks'
import { ApiError } from '../core/service/api.js'
import { type KnownWorkspaces, type Workspace } from '../core/machines/known-workspaces.js'
import { machineOf } from '../core/machines/location.js'
import {
  absenceOf, folderAbove, folderOn, foldersFrom, otherMachines, stepName, trimFolder, type MachineList
} from '../core/machines/machines.js'
import { visible } from '../core/files/paths.js'
import { Button } from '../ui/Button.js'
import { Switch, TextField } from '../ui/Field.js'
import { Icon } from '../ui/Icon.js'
import { CornerLeftUp, Folder } from '../ui/icons.js'
import { Segmented } from '../ui/Segmented.js'
import { screenWords } from '../words/index.js'
import { type Action } from './action.js'

const typingPauseMs = 150

export interface FolderPathProps {
  known: KnownWorkspaces
  machines: MachineList | undefined
  action: Action
  onAdded: (workspace: Workspace) => void
}

/** A field for the path of another folder, with completions for browsing, on any connected machine. */
export function FolderPath ({ known, machines, action, onAdded }: FolderPathProps) {
  const [path, setPath] = useState('')
  const [create, setCreate] = useState(false)
  const [found, setFound] = useState<readonly string[]>([])
  useEffect(() => {
    let gone = false
    const timer = setTimeout(() => {
      // Typing works even without completions.
      known.suggest(path).then((next) => { if (!gone) setFound(next) }, (error: unknown) => {
        if (!(error instanceof ApiError)) throw error
      })
    }, path === '' ? 0 : typingPauseMs)
    return () => {
      gone = true
      clearTimeout(timer)
    }
  }, [path, known])
  const w = screenWords.value.files.folders
  const add = (): Promise<void> => action.run('add', async () => {
    const wanted = trimFolder(path)
    if (wanted !== '') onAdded(await known.add(wanted, { create }))
  })
  const above = folderAbove(path, machines)
  const offered = foldersFrom(path, found, machines)
  const isShared = machines?.enabled === true && otherMachines(machines).length > 0
  return (
    <form class='folder-form' onSubmit={(event) => { event.preventDefault(); void add() }}>
      {isShared && <MachineChoice machines={machines} path={path} onPath={setPath} />}
      <TextField
        label={w.path} hint={isShared ? w.pathHintMachines : w.pathHint} value={path} onValue={setPath}
        maxLength={4_096} autocomplete='off' autocapitalize='none' spellcheck={false}
      />
      <div class='folder-here'>
        <p class='folder-heading'>{w.inHere}</p>
        <ul class='folder-list' aria-label={w.inHere}>
          {above !== null && (
            <li class='folder-item'>
              <button type='button' class='folder-pick' onClick={() => setPath(above)}><Icon of={CornerLeftUp} />{w.up}</button>
            </li>
          )}
          {offered.map((one) => (
            <li key={one} class='folder-item'>
              <button type='button' class='folder-pick' title={visible(one)} onClick={() => setPath(one.endsWith('/') ? one : `${one}/`)}>
                <Icon of={Folder} />
                <bdi>{visible(stepName(one, machines))}</bdi>
              </button>
            </li>
          ))}
          {offered.length === 0 && <li class='side-muted'>{w.none}</li>}
        </ul>
      </div>
      <Switch label={w.create} checked={create} onChecked={setCreate} />
      <Button type='submit' kind='primary' busy={action.doing === 'add'} disabled={path.trim() === ''}>{w.use}</Button>
    </form>
  )
}

/** Chooses the machine, which is the beginning of the path. */
function MachineChoice ({ machines, path, onPath }: { machines: MachineList, path: string, onPath: (path: string) => void }) {
  const w = screenWords.value.machines
  const others = otherMachines(machines).map(({ name }) => {
    const absence = absenceOf(name, machines)
    return { key: name, text: absence === null ? visible(name) : w.named(visible(name), absence.kind), disabled: absence !== null }
  })
  // The empty key stands for this machine, because no machine has an empty name.
  return (
    <Segmented
      class='folder-machines' label={w.where} choices={[{ key: '', text: w.here }, ...others]}
      chosen={machineOf(path) ?? ''}
      onChoose={(name) => onPath(name === '' ? '' : folderOn(name, '/'))}
    />
  )
}
