import { signal } from '@preact/signals'
import { Folder } from 'lucide-preact'
import { visible } from '../core/paths.js'
import { Button } from '../ui/Button.js'
import { lazy } from '../ui/lazy.js'
import { words } from '../words/index.js'

const FolderChooser = lazy(async () => (await import('./FolderChooser.js')).FolderChooser)

const isChoosing = signal(false)

/** The folder that a new chat will work in, and the way to another one. `path` undefined: the usual one. */
export function FolderButton ({ path }: { path: string | undefined }) {
  const name = path?.split('/').filter((part) => part !== '').at(-1)
  const title = words.value.shell.chooseFolder
  return <Button kind='quiet' icon={Folder} label={name === undefined ? title : `${title}: ${visible(name)}`} onClick={() => { isChoosing.value = true }}>{name === undefined ? undefined : <bdi>{visible(name)}</bdi>}</Button>
}

/** What the button opens; stands outside of the header that holds the button. */
export function FolderChoice ({ path, onChosen }: { path: string | undefined, onChosen: (path: string) => void }) {
  return isChoosing.value ? <FolderChooser current={path} onClose={() => { isChoosing.value = false }} onChosen={(workspace) => onChosen(workspace.path)} /> : null
}
