import { useSignal } from '@preact/signals'
import { api } from '../app.js'
import { ApiError, type Wire } from '../core/service/api.js'
import { Markdown } from '../markdown/Markdown.js'
import { attempt } from '../ui/attempt.js'
import { Badge } from '../ui/Badge.js'
import { Button } from '../ui/Button.js'
import { Dialog } from '../ui/Dialog.js'
import { Disclosure } from '../ui/Disclosure.js'
import { ErrorState } from '../ui/ErrorState.js'
import { Download, Pencil, Trash } from '../ui/icons.js'
import { ResourceState } from '../ui/Loaded.js'
import { toast } from '../ui/toasts.js'
import { useReading } from '../ui/use-reading.js'
import { screenWords, words } from '../words/index.js'
import { splitFrontMatter } from './catalog.js'
import { type Draft } from './NewSkill.js'
import { SkillForm } from './SkillForm.js'
import { sayDescription } from './say-description.js'
import { downloadSkills, refreshSkills } from './skills.js'

type View = Wire<'SkillView'>

async function readSkill (name: string): Promise<View> {
  const view = await api.get('/api/skills/content', { name })
  if ('success' in view && view.success && 'version' in view) return view
  throw new ApiError('error' in view ? String(view.error) : '', 404)
}

/** Shows, edits and deletes a skill; a skill that does not belong to the profile is copied first. */
export function SkillDialog ({ name, onClose, onCopy }: { name: string, onClose: () => void, onCopy: (copy: Draft) => void }) {
  const skill = useReading(() => readSkill(name), [name])
  const isEditing = useSignal(false)
  const isAsked = useSignal(false)
  const view = skill.value.value
  const w = screenWords.value.skills
  const remove = async (it: View): Promise<void> => {
    const isDone = await attempt(() => api.post('/api/skills/delete', { name }))
    refreshSkills()
    if (!isDone) return
    onClose()
    const back = () => attempt(async () => {
      await api.post('/api/skills/save', { name, content: it.content, category: it.category, version: 'none' })
      refreshSkills()
    })
    toast(w.deleted(name), { ...(hasFiles(it) ? {} : { action: { text: words.value.common.undo, onPick: () => { void back() } } }) })
  }
  const actions = view === undefined || isEditing.value
    ? undefined
    : isAsked.value
      ? (
        <>
          <span class='dialog-far'>{w.deleteFiles}</span>
          <Button onClick={() => { isAsked.value = false }}>{words.value.common.cancel}</Button>
          <Button kind='danger' onClick={() => { void remove(view) }}>{words.value.common.delete}</Button>
        </>
        )
      : view.read_only
        ? (
          <>
            <Button class='dialog-far' icon={Download} onClick={() => downloadSkills([view.name])}>{w.exportOne}</Button>
            <Button onClick={() => onCopy({ name: view.name, category: view.category, content: view.content })}>{w.changeCopy}</Button>
          </>
          )
        : (
          <>
            <Button
              class='dialog-far' kind='danger' icon={Trash}
              onClick={() => { if (hasFiles(view)) isAsked.value = true; else void remove(view) }}
            >
              {words.value.common.delete}
            </Button>
            <Button icon={Download} onClick={() => downloadSkills([view.name])}>{w.exportOne}</Button>
            <Button kind='primary' icon={Pencil} onClick={() => { isEditing.value = true }}>{w.edit}</Button>
          </>)
  return (
    <Dialog
      open onClose={onClose} keep={isEditing.value} title={name}
      note={view === undefined ? undefined : <bdi>{sayDescription(view.description)}</bdi>} size='wide' actions={actions}
    >
      <ResourceState of={skill} lines={8}>
        {(it) => isEditing.value
          ? <Editor view={it} onDone={() => { isEditing.value = false; void skill.refresh(); refreshSkills() }} />
          : <Shown view={it} />}
      </ResourceState>
    </Dialog>
  )
}

const hasFiles = ({ linked_files: files }: View): boolean => Object.values(files).some((of) => of.length > 0)

function Shown ({ view }: { view: View }) {
  const w = screenWords.value.skills
  const { front, body } = splitFrontMatter(view.content)
  const files = Object.values(view.linked_files).flat()
  return (
    <div class='skill-view'>
      <p class='skill-line'>
        <Badge>{w.origins[view.origin]}</Badge>
        {view.disabled ? <Badge>{w.off}</Badge> : null}
        {view.tags.map((tag) => <Badge key={tag}>{tag}</Badge>)}
        <span class='skills-note'><bdi>{view.path}</bdi></span>
      </p>
      {view.warning === null ? null : <p class='skill-warning'><bdi>{view.warning}</bdi></p>}
      <Markdown text={body} headingLevel={3} />
      {front === '' ? null : <Disclosure summary={w.views.source}><pre class='skill-pre' tabIndex={0}>{view.content}</pre></Disclosure>}
      {files.map((file) => <Disclosure key={file} summary={<bdi>{file}</bdi>}>{() => <File name={view.name} file={file} />}</Disclosure>)}
    </div>
  )
}

function File ({ name, file }: { name: string, file: string }) {
  const text = useReading(async () => (await api.get('/api/skills/content', { name, file })).content, [name, file])
  return <ResourceState of={text}>{(content) => <pre class='skill-pre' tabIndex={0}>{content}</pre>}</ResourceState>
}

/** Edits the text of a skill. If someone else has saved meanwhile, the person decides which version stays. */
function Editor ({ view, onDone }: { view: View, onDone: () => void }) {
  const text = useSignal(view.content)
  const error = useSignal<ApiError | null>(null)
  const isBusy = useSignal(false)
  const theirs = useSignal<View | null>(null)
  const w = screenWords.value.skills
  const save = async (version: string): Promise<void> => {
    if (isBusy.value) return
    isBusy.value = true
    error.value = null
    try {
      await api.post('/api/skills/save', { name: view.name, content: text.value, version })
      toast(w.saved(view.name), { kind: 'good' })
      onDone()
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure
      theirs.value = failure.code === 'changed' ? await readSkill(view.name).catch(() => null) : null
      if (theirs.value === null) error.value = failure
    } finally {
      isBusy.value = false
    }
  }
  const other = theirs.value
  return (
    <form class='skill-view' onSubmit={(event) => { event.preventDefault(); void save(view.version) }}>
      {other === null
        ? null
        : (
          <div class='skill-conflict' role='alert'>
            <p>{w.conflict}</p>
            <div class='skill-buttons'>
              <Button busy={isBusy.value} onClick={() => { void save(other.version) }}>{w.keepMine}</Button>
              <Button onClick={onDone}>{w.takeTheirs}</Button>
            </div>
            <Disclosure summary={w.theirs}><pre class='skill-pre' tabIndex={0}>{other.content}</pre></Disclosure>
          </div>)}
      <SkillForm content={text.value} onContent={(typed) => { text.value = typed }} />
      {error.value === null ? null : <ErrorState error={error.value} busy={isBusy.value} onRetry={() => { void save(view.version) }} />}
      <div class='skill-buttons'>
        <Button kind='primary' type='submit' busy={isBusy.value} disabled={text.value === view.content || other !== null}>
          {words.value.common.save}
        </Button>
        <Button onClick={onDone}>{words.value.common.cancel}</Button>
      </div>
    </form>
  )
}
