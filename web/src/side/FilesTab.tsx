import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import { type Entry } from '../core/files/folder-view.js'
import { isWithin, visible } from '../core/files/paths.js'
import { announce } from '../ui/Announcer.js'
import { EmptyState } from '../ui/EmptyState.js'
import { ErrorState } from '../ui/ErrorState.js'
import { FolderOpen } from '../ui/icons.js'
import { Skeleton } from '../ui/Skeleton.js'
import { screenWords } from '../words/index.js'
import { Crumbs } from './Crumbs.js'
import { EntryRow } from './EntryRow.js'
import { FileTools } from './FileTools.js'
import { FileDialogs, useFileActions } from './FileDialogs.js'
import { type SideModel } from './side-model.js'
import { TrashDialog } from './TrashDialog.js'
import { UploadList } from './UploadList.js'
import { useDrops } from './use-drops.js'

/** Lists the files of a session's folder, with their operations. */
export function FilesTab ({ model }: { model: SideModel }) {
  const root = useRef<HTMLDivElement>(null)
  const actions = useFileActions(model)
  const [trash, setTrash] = useState(false)
  const dropping = useDrops(root, !model.isReadOnly, (files) => actions.bring(files))
  const { folder } = model
  const w = screenWords.value.files
  const entered = useRef(false)
  useLayoutEffect(() => {
    if (entered.current) root.current?.querySelector<HTMLElement>('.crumbs [aria-current]')?.focus()
    entered.current = false
  }, [folder.path.value])
  const open = (entry: Entry): void => {
    if (!entry.is_dir) return model.open(entry.path)
    enter(entry.path)
  }
  /** Opens a folder. This moves the focus into it; a folder that disappears does not move the focus. */
  const enter = (path: string): void => {
    model.focusPath = null
    entered.current = true
    void folder.go(path)
    announce(w.folderNamed(path === '.' ? w.workspace : visible(path)))
  }
  return (
    <div ref={root} class={dropping ? 'files side-column files-dropping' : 'files side-column'}>
      <Crumbs path={folder.path.value} onGo={enter} />
      <FileTools model={model} actions={actions} onTrash={() => setTrash(true)} />
      {actions.action.problem !== null && <p class='side-problem' role='alert'>{actions.action.problem}</p>}
      <UploadList uploads={model.uploads} />
      {folder.error.value === null || folder.entries.value !== null
        ? <List model={model} onOpen={open} actions={actions} onUp={enter} />
        : <ErrorState error={folder.error.value} onRetry={() => { void folder.refresh() }} />}
      {dropping && <p class='files-drop'>{w.dropHere}</p>}
      <FileDialogs actions={actions} />
      {trash && <TrashDialog model={model} onClose={() => setTrash(false)} />}
    </div>
  )
}

function List ({ model, onOpen, actions, onUp }: {
  model: SideModel
  onOpen: (entry: Entry) => void
  actions: ReturnType<typeof useFileActions>
  onUp: (path: string) => void
}) {
  const { folder } = model
  const list = useRef<VirtualizerHandle>(null)
  const frame = useRef<HTMLDivElement>(null)
  const shown = folder.shown.value
  const [active, setActive] = useState<string | null>(model.focusPath)
  const at = Math.max(0, shown.findIndex(({ path }) => path === active))
  useEffect(() => {
    const wanted = model.focusPath
    const found = shown.findIndex(({ path }) => path === wanted)
    if (wanted === null || found === -1) return
    model.focusPath = null
    focus(found)
  }, [shown])
  const focus = (index: number): void => {
    const entry = shown[Math.max(0, Math.min(index, shown.length - 1))]
    if (entry === undefined) return
    setActive(entry.path)
    list.current?.scrollToIndex(shown.indexOf(entry), { align: 'nearest' })
    // Rows that were far out of view are drawn only now.
    requestAnimationFrame(() => requestAnimationFrame(() => frame.current?.querySelector<HTMLElement>(
      `[data-path="${CSS.escape(entry.path)}"] .entry-open`
    )?.focus()))
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!(event.target instanceof Element) || event.target.closest('.entry') === null || event.altKey || event.ctrlKey || event.metaKey) {
      return
    }
    const entry = shown[at]
    if (entry === undefined) return
    const acts: Record<string, () => void> = {
      ArrowDown: () => focus(at + 1),
      ArrowUp: () => focus(at - 1),
      Home: () => focus(0),
      End: () => focus(shown.length - 1),
      PageDown: () => focus(at + 10),
      PageUp: () => focus(at - 10),
      F2: () => actions.ask({ kind: 'rename', entry }),
      Delete: () => { void actions.remove(entry, shown[at + 1]?.path ?? shown[at - 1]?.path ?? null) },
      Backspace: () => {
        if (folder.path.value !== '.') onUp(folder.path.value.includes('/') ? folder.path.value.replace(/\/[^/]*$/, '') : '.')
      }
    }
    const act = acts[event.key]
    if (act === undefined) return
    event.preventDefault()
    act()
  }
  if (folder.entries.value === null) return <div class='side-padded'><Skeleton lines={6} /></div>
  if (shown.length === 0) return <Empty model={model} />
  const marks = model.repository.marks.value
  const markOf = ({ path, is_dir: isFolder }: Entry): string | null => marks.get(path) ??
    (isFolder && [...marks.keys()].some((one) => isWithin(one, path)) ? 'folder' : null)
  return (
    <div ref={frame} class='files-frame side-scroll' role='list' aria-label={screenWords.value.files.list} onKeyDown={onKeyDown}>
      <Virtualizer ref={list} data={shown}>
        {(entry: Entry, index: number) => (
          <EntryRow
            key={entry.path} entry={entry} model={model} actions={actions} isActive={index === at}
            mark={markOf(entry)} size={shown.length} index={index}
            onOpen={() => { setActive(entry.path); onOpen(entry) }} onFocus={() => setActive(entry.path)}
          />
        )}
      </Virtualizer>
    </div>
  )
}

function Empty ({ model: { folder } }: { model: SideModel }) {
  const w = screenWords.value.files
  const filter = folder.filter.value.trim()
  if (filter !== '') return <EmptyState title={w.noMatch(filter)} />
  const hidden = folder.hiddenCount.value
  return <EmptyState icon={FolderOpen} title={hidden > 0 ? w.onlyHidden(hidden) : w.empty}>{w.emptyNote}</EmptyState>
}
