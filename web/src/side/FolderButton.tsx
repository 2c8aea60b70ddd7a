import { signal } from '@preact/signals'
import { folderName, machineOf } from '../core/machines/location.js'
import { visible } from '../core/files/paths.js'
import { Button } from '../ui/Button.js'
import { Folder } from '../ui/icons.js'
import { lazy } from '../ui/lazy.js'
import { MachineBadge } from '../ui/MachineBadge.js'
import { words } from '../words/index.js'

const FolderChooser = lazy(async () => (await import('./FolderChooser.js')).FolderChooser)

const isChoosing = signal(false)

/** Shows the folder of a new chat, and opens the chooser. `path` undefined: the default folder. */
export function FolderButton ({ path }: { path: string | undefined }) {
  const name = path === undefined ? undefined : folderName(path)
  const machine = path === undefined ? null : machineOf(path)
  const title = words.value.shell.chooseFolder
  const label = [title, name, machine].flatMap((part) => part == null ? [] : visible(part)).join(': ')
  return (
    <Button kind='quiet' icon={Folder} label={label} onClick={() => { isChoosing.value = true }}>
      {name === undefined ? undefined : <><bdi>{visible(name)}</bdi>{machine === null ? null : <> <MachineBadge name={machine} /></>}</>}
    </Button>
  )
}

/** The chooser that the button opens; placed outside of the header that contains the button. */
export function FolderChoice ({ path, onChosen }: { path: string | undefined, onChosen: (path: string) => void }) {
  return isChoosing.value
    ? <FolderChooser current={path} onClose={() => { isChoosing.value = false }} onChosen={(workspace) => onChosen(workspace.path)} />
    : null
}
