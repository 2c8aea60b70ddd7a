import { useRef } from 'preact/hooks'
import { sortKeys } from '../core/files/folder-view.js'
import { Button } from '../ui/Button.js'
import { TextField } from '../ui/Field.js'
import { Ellipsis, Plus, Upload } from '../ui/icons.js'
import { Menu, type MenuEntry } from '../ui/Menu.js'
import { screenWords } from '../words/index.js'
import { download } from './EntryRow.js'
import { type FileActionsHere } from './FileDialogs.js'
import { look, type SideModel } from './side-model.js'

/** The actions on the shown folder as a whole. */
export function FileTools ({ model, actions, onTrash }: { model: SideModel, actions: FileActionsHere, onTrash: () => void }) {
  const files = useRef<HTMLInputElement>(null)
  const archives = useRef<HTMLInputElement>(null)
  const { folder } = model
  const w = screenWords.value.files
  const fixed = model.row?.read_only === true
  const more = (): MenuEntry[] => [
    { heading: w.sortBy },
    ...sortKeys.map((key) => ({
      text: w.sort[key], checked: look.sorting.value.key === key,
      onPick: () => { look.sorting.value = { key, descending: key !== 'name' } }
    })),
    {
      text: w.descending, checked: look.sorting.value.descending,
      onPick: () => { look.sorting.value = { ...look.sorting.value, descending: !look.sorting.value.descending } }
    },
    'line',
    { text: w.showHidden, checked: look.hidden.value, onPick: () => { look.hidden.value = !look.hidden.value } },
    'line',
    { text: w.downloadZip, onPick: () => download(model.actions.zipUrl(folder.path.peek())) },
    { text: w.refresh, onPick: () => { void model.changed() } },
    ...(fixed ? [] : [{ text: w.trash, onPick: onTrash }])
  ]
  const add = (): MenuEntry[] => [
    { text: w.newFile, onPick: () => actions.ask({ kind: 'file' }) },
    { text: w.newFolder, onPick: () => actions.ask({ kind: 'folder' }) },
    { text: w.uploadArchive, onPick: () => archives.current?.click() }
  ]
  const picked = (input: HTMLInputElement, unpack: boolean): void => {
    const chosen = [...input.files ?? []]
    input.value = ''
    if (chosen.length > 0) actions.bring(chosen, { unpack })
  }
  return (
    <div class='side-tools'>
      <TextField
        class='side-grow' bare label={w.filter} placeholder={w.filter} type='search' value={folder.filter.value}
        onValue={(value) => { folder.filter.value = value }}
      />
      {!fixed && (
        <>
          <Button kind='quiet' icon={Upload} label={w.upload} onClick={() => files.current?.click()} />
          <Menu label={w.create} icon={Plus} items={add} />
          <input
            ref={files} type='file' multiple hidden class='files-picker' aria-label={w.upload}
            onChange={({ currentTarget }) => picked(currentTarget, false)}
          />
          <input
            ref={archives} type='file' hidden accept='.zip,.tar,.tgz,.gz' class='files-archive-picker'
            aria-label={w.uploadArchive}
            onChange={({ currentTarget }) => picked(currentTarget, true)}
          />
        </>
      )}
      <Menu label={w.moreForFolder} icon={Ellipsis} items={more} />
    </div>
  )
}
