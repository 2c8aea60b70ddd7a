import { useEffect, useRef, useState } from 'preact/hooks'
import { isRead, isRendered } from '../core/files/file-kinds.js'
import { lineCount, whyFixed, type OpenedFile } from '../core/files/opened-file.js'
import { baseName, folderOf, visible } from '../core/files/paths.js'
import { announce } from '../ui/Announcer.js'
import { Button } from '../ui/Button.js'
import { EmptyState } from '../ui/EmptyState.js'
import { ErrorState } from '../ui/ErrorState.js'
import { FileName } from '../ui/FileName.js'
import { ArrowLeft, Copy, Download, Ellipsis, ExternalLink, FileText, Pencil } from '../ui/icons.js'
import { lazy } from '../ui/lazy.js'
import { Menu, type MenuEntry } from '../ui/Menu.js'
import { Segmented } from '../ui/Segmented.js'
import { Skeleton } from '../ui/Skeleton.js'
import { toast } from '../ui/toasts.js'
import { screenWords, words } from '../words/index.js'
import { useAction, type Action } from './action.js'
import { copyPath, download } from './EntryRow.js'
import { FileBody } from './FileBody.js'
import { sizeText } from './format.js'
import { openSide } from './open.js'
import { type SideModel } from './side-model.js'

const CodeEditor = lazy(async () => await import('./editor/CodeEditor.js').then(({ CodeEditor: loaded }) => loaded, () => PlainEditor))

/** Shows one file according to its kind, and edits text. */
export function PreviewTab ({ model }: { model: SideModel }) {
  const opened = model.opened.value
  const w = screenWords.value.files.preview
  const toFiles = (): void => {
    if (opened !== null) {
      model.focusPath = opened.path
      void model.folder.go(folderOf(opened.path))
    }
    openSide('files')
  }
  if (opened === null) {
    return <EmptyState icon={FileText} title={w.none} actions={<Button onClick={toFiles}>{w.fromFiles}</Button>}>{w.noneNote}</EmptyState>
  }
  return <Preview key={`${model.sessionId} ${opened.path}`} model={model} opened={opened} onBack={toFiles} />
}

function Preview ({ model, opened, onBack }: { model: SideModel, opened: OpenedFile, onBack: () => void }) {
  const action = useAction()
  const [asSource, setAsSource] = useState(model.line.value !== null || opened.kind === 'page')
  const w = screenWords.value.files
  const name = visible(baseName(opened.path))
  const isEditing = opened.edit.value !== null
  const file = opened.file.value
  const isText = file !== null && !file.is_binary && file.preview === null
  const why = isText ? whyFixed(file) : null
  const save = (overwrite = false): Promise<void> => action.run('save', async () => {
    if (await opened.save({ overwrite })) announce(w.preview.saved)
  })
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 's' || !(event.ctrlKey || event.metaKey) || !isEditing) return
    event.preventDefault()
    void save()
  }
  return (
    <section class='preview side-column' aria-label={name} tabIndex={-1} onKeyDown={onKeyDown}>
      <header class='preview-head'>
        <Button kind='quiet' icon={ArrowLeft} label={w.preview.fromFiles} onClick={onBack} />
        <span class='side-grow preview-title'>
          <FileName path={opened.path} />
          <span class='side-muted'>{factsOf(opened).join(' · ')}</span>
        </span>
        {isEditing
          ? <EditTools opened={opened} action={action} onSave={() => { void save() }} />
          : <ReadTools model={model} opened={opened} fixed={!isText || why !== null || model.row?.read_only === true} />}
      </header>
      {!isEditing && isRendered(opened.kind) && isText && (
        <div class='side-tools'>
          <Segmented
            label={name} chosen={asSource ? 'source' : 'rendered'} onChoose={(key) => setAsSource(key === 'source')}
            choices={[{ key: 'rendered', text: w.preview.rendered }, { key: 'source', text: w.preview.source }]}
          />
        </div>
      )}
      {opened.conflict.value && <Conflict opened={opened} action={action} onSaveAnyway={() => { void save(true) }} />}
      {action.problem !== null && <p class='side-problem' role='alert'>{action.problem}</p>}
      {!isEditing && why !== null && <p class='side-note'>{w.preview[why]}</p>}
      <Content model={model} opened={opened} asSource={asSource} onSource={() => setAsSource(true)} />
    </section>
  )
}

function Content ({ model, opened, asSource, onSource }: {
  model: SideModel
  opened: OpenedFile
  asSource: boolean
  onSource: () => void
}) {
  const { kind, path } = opened
  if (opened.edit.value !== null) return <CodeEditor key={path} opened={opened} line={model.line.value} />
  const [file, error] = [opened.file.value, opened.error.value]
  // A notebook is shown from its bytes, even if it is too large to be read as text.
  if (file !== null || !isRead(kind) || (kind === 'notebook' && error !== null && !asSource)) {
    return <FileBody model={model} opened={opened} asSource={asSource} onSource={onSource} />
  }
  if (error === null) return <div class='side-padded'><Skeleton lines={8} /></div>
  return (
    <div class='side-padded'>
      <ErrorState error={error} onRetry={() => { void opened.load() }}>
        <Button icon={Download} onClick={() => download(model.actions.downloadUrl(path))}>{screenWords.value.files.download}</Button>
      </ErrorState>
    </div>
  )
}

/** Returns the facts shown below a file's name; for an edit, whether it is saved. */
function factsOf (opened: OpenedFile): string[] {
  const w = screenWords.value.files.preview
  const [file, edit] = [opened.file.value, opened.edit.value]
  if (edit !== null) return [opened.isSaving.value ? w.saving : edit.text === edit.original ? w.allSaved : w.unsaved]
  if (file === null) return []
  const isText = !file.is_binary && file.preview === null
  return [sizeText(file.size), ...(isText ? [w.lines(lineCount(file.content))] : [])]
}

function ReadTools ({ model, opened, fixed }: { model: SideModel, opened: OpenedFile, fixed: boolean }) {
  const w = screenWords.value.files
  const { path, kind } = opened
  const more = (): MenuEntry[] => [
    ...(kind === 'pdf' || kind === 'picture'
      ? [{
          text: w.preview.openInTab, icon: ExternalLink, onPick: () => { window.open(model.actions.rawUrl(path), '_blank', 'noopener') }
        }]
      : []),
    { text: w.download, icon: Download, onPick: () => download(model.actions.downloadUrl(path)) },
    { text: w.copyPath, icon: Copy, onPick: () => { void copyPath(path) } }
  ]
  return (
    <>
      {!fixed && <Button size='small' icon={Pencil} onClick={() => { opened.begin() }}>{w.preview.edit}</Button>}
      <Menu label={w.actionsFor(visible(baseName(path)))} icon={Ellipsis} items={more} />
    </>
  )
}

function EditTools ({ opened, action, onSave }: { opened: OpenedFile, action: Action, onSave: () => void }) {
  const { common } = words.value
  const { files } = screenWords.value
  const edit = opened.edit.value
  const cancel = (): void => {
    const dropped = opened.drop()
    action.tell(null)
    if (dropped !== null) toast(files.preview.dropped, { action: { text: common.undo, onPick: () => opened.resume(dropped) } })
  }
  if (edit !== null && edit.text === edit.original) {
    return <Button size='small' onClick={() => { opened.finish() }}>{files.preview.done}</Button>
  }
  return (
    <>
      <Button kind='quiet' size='small' onClick={cancel}>{common.cancel}</Button>
      <Button size='small' busy={opened.isSaving.value} onClick={onSave}>{common.save}</Button>
    </>
  )
}

/** Offers to resolve a conflict: someone else, usually the agent, has written the file. */
function Conflict ({ opened, action, onSaveAnyway }: { opened: OpenedFile, action: Action, onSaveAnyway: () => void }) {
  const { common } = words.value
  const { files: { preview: w } } = screenWords.value
  const showTheirs = (): void => {
    const mine = opened.drop()
    action.tell(null)
    if (mine !== null) toast(w.dropped, { action: { text: common.undo, onPick: () => opened.resume(mine) } })
  }
  return (
    <div class='preview-conflict' role='alert'>
      <p>{w.conflict}</p>
      <div class='side-actions'>
        <Button size='small' onClick={showTheirs}>{w.showTheirs}</Button>
        <Button size='small' onClick={onSaveAnyway}>{w.saveAnyway}</Button>
        <Button kind='quiet' size='small' onClick={() => { opened.conflict.value = false }}>{w.keepMine}</Button>
      </div>
    </div>
  )
}

/** Replaces the editor if that cannot be loaded. */
function PlainEditor ({ opened }: { opened: OpenedFile, line: number | null }) {
  const area = useRef<HTMLTextAreaElement>(null)
  useEffect(() => { area.current?.focus() }, [])
  return (
    <textarea
      ref={area} class='preview-editor' spellcheck={false} autocomplete='off' autocapitalize='off'
      aria-label={screenWords.value.files.preview.textOf(visible(baseName(opened.path)))}
      value={opened.edit.value?.text ?? ''}
      onInput={({ currentTarget }) => opened.type(currentTarget.value)}
    />
  )
}
