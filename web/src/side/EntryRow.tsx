import { useState } from 'preact/hooks'
import { type Entry } from '../core/files/folder-view.js'
import { isArchive, visible } from '../core/files/paths.js'
import { kindOf } from '../core/files/opened-file.js'
import { copyText } from '../ui/copy-text.js'
import { Icon } from '../ui/Icon.js'
import { Ellipsis, File, FileArchive, FileCode, FileImage, FileText, Folder, FolderSymlink, Link2 } from '../ui/icons.js'
import { type LucideIcon } from '../ui/lucide.js'
import { Menu, PopupMenu, type MenuEntry } from '../ui/Menu.js'
import { toast } from '../ui/toasts.js'
import { screenWords, words } from '../words/index.js'
import { times } from '../words/times.js'
import { type FileActionsHere } from './FileDialogs.js'
import { sizeText } from './format.js'
import { edits, type SideModel } from './side-model.js'

interface EntryRowProps {
  entry: Entry
  model: SideModel
  actions: FileActionsHere
  isActive: boolean
  mark: string | null
  index: number
  size: number
  onOpen: () => void
  onFocus: () => void
}

/** A file or folder of the list. Tab reaches one row; the arrow keys lead to the others. */
export function EntryRow ({ entry, model, actions, isActive, mark, index, size, onOpen, onFocus }: EntryRowProps) {
  const [point, setPoint] = useState<{ x: number, y: number } | null>(null)
  const w = screenWords.value.files
  const name = visible(entry.name)
  const isOutside = entry.target_outside_workspace === true
  const items = (): MenuEntry[] => entryItems(entry, { model, actions, onOpen, isOutside })
  const tabIndex = isActive ? 0 : -1
  const notes = notesOf(entry, model)
  const label = [
    [entry.is_dir ? w.folderNamed(name) : w.fileNamed(name), ...notes].join(' '),
    mark !== null && mark !== 'folder' && screenWords.value.files.changes.states[mark]
  ].filter(Boolean).join(', ')
  const inside = (
    <>
      <Icon of={iconOf(entry)} size={16} class={entry.is_dir ? 'entry-icon entry-folder' : 'entry-icon'} />
      <bdi class='entry-name'>{name}</bdi>
      {notes.map((note) => <span key={note} class='entry-note'>{note}</span>)}
    </>
  )
  return (
    <div
      class='entry' role='listitem' aria-setsize={size} aria-posinset={index + 1} data-path={entry.path}
      data-mark={mark ?? undefined} onFocusCapture={onFocus}
      onContextMenu={(event) => { event.preventDefault(); setPoint({ x: event.clientX, y: event.clientY }) }}
    >
      {isOutside
        ? <span class='entry-open' tabIndex={tabIndex} role='note' aria-label={label} title={name}>{inside}</span>
        : <button type='button' class='entry-open' tabIndex={tabIndex} aria-label={label} title={name} onClick={onOpen}>{inside}</button>}
      {mark !== null && (
        <span class={`entry-mark entry-mark-${mark === '??' ? 'N' : mark}`} aria-hidden>{mark === 'folder' ? '•' : mark}</span>
      )}
      <span class='entry-size'>{entry.is_dir || entry.size === null ? '' : sizeText(entry.size)}</span>
      <span class='entry-time'>{times.at(entry.modified)}</span>
      <Menu label={w.actionsFor(name)} icon={Ellipsis} items={items} size='small' class='entry-menu' />
      <PopupMenu
        open={point !== null} anchor={point ?? { x: 0, y: 0 }} label={w.actionsFor(name)} items={items} align='start'
        onClose={() => setPoint(null)}
      />
    </div>
  )
}

/** Returns the notes after the name. */
function notesOf (entry: Entry, model: SideModel): string[] {
  const w = screenWords.value.files
  const target = entry.target ?? ''
  return [
    ...(entry.type === 'symlink'
      ? [entry.target_outside_workspace === true ? w.outside : target === '' ? w.symlink : w.leadsTo(visible(target))]
      : []),
    ...(edits.has(model.sessionId, entry.path) ? [w.unsaved] : [])
  ]
}

const code = /\.(?:[cm]?[jt]sx?|py|rb|rs|go|java|kt|swift|c|h|cpp|hpp|cs|php|sh|sql|html?|css|json|ya?ml|toml|xml)$/i

function iconOf ({ name, type, is_dir: isFolder }: Entry): LucideIcon {
  if (type === 'symlink') return isFolder ? FolderSymlink : Link2
  if (isFolder) return Folder
  const kind = kindOf(name)
  if (kind === 'picture') return FileImage
  if (isArchive(name)) return FileArchive
  if (code.test(name)) return FileCode
  return kind === 'markdown' || kind === 'pdf' || kind === 'text' ? FileText : File
}

/** Downloads the file at an address. */
export function download (url: string): void {
  const link = document.createElement('a')
  link.href = url
  link.download = ''
  link.click()
}

export async function copyPath (path: string): Promise<void> {
  const copied = await copyText(path)
  toast(copied ? screenWords.value.files.pathCopied : words.value.ui.copyFailed, { kind: copied ? 'plain' : 'bad', about: 'copy' })
}

function entryItems (
  entry: Entry,
  { model, actions, onOpen, isOutside }: { model: SideModel, actions: FileActionsHere, onOpen: () => void, isOutside: boolean }
): MenuEntry[] {
  const w = screenWords.value.files
  const { path, is_dir: isFolder } = entry
  const fixed = model.row?.read_only === true
  return [
    ...(isOutside
      ? []
      : [
          { text: w.open, onPick: onOpen },
          isFolder
            ? { text: w.downloadZip, onPick: () => download(model.actions.zipUrl(path)) }
            : { text: w.download, onPick: () => download(model.actions.downloadUrl(path)) }
        ]),
    { text: w.copyPath, onPick: () => { void copyPath(path) } },
    ...(isOutside
      ? []
      : [
          {
            text: w.copyFullPath,
            onPick: () => { void actions.action.run('path', async () => await copyPath(await model.actions.absolutePath(path))) }
          }
        ]),
    ...(fixed
      ? []
      : [
          'line' as const,
          ...(!isFolder && !isOutside && isArchive(path) ? [{ text: w.unpack, onPick: () => { void actions.extract(entry) } }] : []),
          { text: w.rename, keys: 'F2', onPick: () => actions.ask({ kind: 'rename', entry }) },
          { text: w.move, onPick: () => actions.ask({ kind: 'move', entry }) },
          { text: words.value.common.delete, keys: 'Del', danger: true, onPick: () => { void actions.remove(entry) } }
        ])
  ]
}
