import { useEffect, useState } from 'preact/hooks'
import { lineCount, whyFixed, type OpenedFile } from '../core/files/opened-file.js'
import { baseName, folderOf, visible } from '../core/files/paths.js'
import { Button } from '../ui/Button.js'
import { EmptyState } from '../ui/EmptyState.js'
import { ErrorState } from '../ui/ErrorState.js'
import { ArrowLeft, Copy, Download, ExternalLink, FileText, Pencil } from '../ui/icons.js'
import { Segmented } from '../ui/Segmented.js'
import { Skeleton } from '../ui/Skeleton.js'
import { toast } from '../ui/toasts.js'
import { screenWords, words } from '../words/index.js'
import { useDeed, type Deed } from './deed.js'
import { copyPath, download } from './EntryRow.js'
import { FileBody } from './FileBody.js'
import { sizeText } from './format.js'
import { openSide } from './open.js'
import { type SideModel } from './side-model.js'

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
  const deed = useDeed()
  const [asSource, setAsSource] = useState(model.line.value !== null)
  const w = screenWords.value.files
  const name = visible(baseName(opened.path))
  const isEditing = opened.edit.value !== null
  const file = opened.file.value
  const isText = file !== null && !file.is_binary && file.preview === null
  const why = isText ? whyFixed(file) : null
  const save = (overwrite = false): Promise<void> => deed.run('save', async () => {
    if (await opened.save({ overwrite })) toast(w.preview.saved, { kind: 'good', about: 'saved' })
  })
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 's' || !(event.ctrlKey || event.metaKey) || !isEditing) return
    event.preventDefault()
    void save()
  }
  const facts = file === null ? [] : [sizeText(file.size), ...(isText ? [w.preview.lines(lineCount(file.content))] : [])]
  return (
    <section class='preview side-column' aria-label={name} onKeyDown={onKeyDown}>
      <header class='preview-head'>
        <Button kind='quiet' icon={ArrowLeft} label={w.preview.fromFiles} onClick={onBack} />
        <span class='side-grow preview-title'>
          <b title={visible(opened.path)}><bdi>{name}</bdi></b>
          <span class='side-muted'>{facts.join(' · ')}</span>
        </span>
        {isEditing
          ? <EditTools opened={opened} deed={deed} onSave={() => { void save() }} />
          : <ReadTools model={model} opened={opened} fixed={!isText || why !== null || model.row?.read_only === true} />}
      </header>
      {!isEditing && (opened.kind === 'markdown' || opened.kind === 'table') && isText && (
        <div class='side-tools'>
          <Segmented
            label={name} chosen={asSource ? 'source' : 'rendered'} onChoose={(key) => setAsSource(key === 'source')}
            choices={[{ key: 'rendered', text: w.preview.rendered }, { key: 'source', text: w.preview.source }]}
          />
        </div>
      )}
      {opened.conflict.value && <Conflict opened={opened} deed={deed} onSaveAnyway={() => { void save(true) }} />}
      {deed.problem !== null && <p class='side-problem' role='alert'>{deed.problem}</p>}
      {!isEditing && why !== null && <p class='side-note'>{w.preview[why]}</p>}
      {isEditing
        ? <Editor opened={opened} />
        : opened.error.value !== null && file === null
          ? (
            <ErrorState error={opened.error.value} onRetry={() => { void opened.load() }}>
              <Button icon={Download} onClick={() => download(model.deeds.downloadUrl(opened.path))}>{w.download}</Button>
            </ErrorState>
            )
          : file === null && ['text', 'markdown', 'table'].includes(opened.kind)
            ? <div class='side-padded'><Skeleton lines={8} /></div>
            : <FileBody model={model} opened={opened} asSource={asSource} />}
    </section>
  )
}

function ReadTools ({ model, opened, fixed }: { model: SideModel, opened: OpenedFile, fixed: boolean }) {
  const w = screenWords.value.files
  return (
    <>
      {!fixed && <Button icon={Pencil} onClick={() => { opened.begin() }}>{w.preview.edit}</Button>}
      <Button kind='quiet' icon={Copy} label={w.copyPath} onClick={() => { void copyPath(opened.path) }} />
      {opened.kind === 'pdf' && (
        <Button
          kind='quiet' icon={ExternalLink} label={w.preview.openInTab}
          onClick={() => { window.open(model.deeds.rawUrl(opened.path), '_blank', 'noopener') }}
        />
      )}
      <Button kind='quiet' icon={Download} label={w.download} onClick={() => download(model.deeds.downloadUrl(opened.path))} />
    </>
  )
}

function EditTools ({ opened, deed, onSave }: { opened: OpenedFile, deed: Deed, onSave: () => void }) {
  const { common } = words.value
  const { files } = screenWords.value
  const cancel = (): void => {
    const dropped = opened.drop()
    deed.tell(null)
    if (dropped !== null && dropped.text !== dropped.original) {
      toast(files.preview.dropped, { action: { text: common.undo, onPick: () => opened.resume(dropped) } })
    }
  }
  return (
    <>
      <Button onClick={cancel}>{common.cancel}</Button>
      <Button kind='primary' busy={opened.isSaving.value} onClick={onSave}>{common.save}</Button>
    </>
  )
}

/** Offers to resolve a conflict: someone else, mostly the agent, has written the file. */
function Conflict ({ opened, deed, onSaveAnyway }: { opened: OpenedFile, deed: Deed, onSaveAnyway: () => void }) {
  const { common } = words.value
  const { files: { preview: w } } = screenWords.value
  const showTheirs = (): void => {
    const mine = opened.drop()
    deed.tell(null)
    if (mine !== null) toast(w.dropped, { action: { text: common.undo, onPick: () => opened.resume(mine) } })
  }
  return (
    <div class='preview-conflict' role='alert'>
      <p>{w.conflict}</p>
      <div class='side-deeds'>
        <Button onClick={showTheirs}>{w.showTheirs}</Button>
        <Button onClick={onSaveAnyway}>{w.saveAnyway}</Button>
        <Button kind='quiet' onClick={() => { opened.conflict.value = false }}>{w.keepMine}</Button>
      </div>
    </div>
  )
}

function Editor ({ opened }: { opened: OpenedFile }) {
  const edit = opened.edit.value
  useEffect(() => { document.querySelector<HTMLTextAreaElement>('.preview-editor')?.focus() }, [])
  return (
    <textarea
      class='preview-editor' spellcheck={false} autocomplete='off' autocapitalize='off'
      aria-label={screenWords.value.files.preview.textOf(
        visible(baseName(opened.path))
      )}
      value={edit?.text ?? ''}
      onInput={({ currentTarget }) => opened.type(currentTarget.value)}
    />
  )
}
