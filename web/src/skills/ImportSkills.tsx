import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { sendForm, uploadForm } from '../core/composer/uploads.js'
import { type Wire } from '../core/service/api.js'
import { api } from '../app.js'
import { sizeText } from '../side/format.js'
import { attempt } from '../ui/attempt.js'
import { Badge } from '../ui/Badge.js'
import { Button } from '../ui/Button.js'
import { Dialog } from '../ui/Dialog.js'
import { Disclosure } from '../ui/Disclosure.js'
import { ErrorState } from '../ui/ErrorState.js'
import { SelectField } from '../ui/Field.js'
import { FileArchive, Folder } from '../ui/icons.js'
import { toast } from '../ui/toasts.js'
import { useRequest } from '../ui/use-request.js'
import { screenWords, words } from '../words/index.js'
import { choicesFor, firstChoice, type Choice } from './importing.js'
import { refreshSkills } from './skills.js'
import { packed, tarOf } from './tar.js'

type Inspection = Wire<'SkillInspection'>
type Inspected = Wire<'InspectedSkill'>

/** Imports skills from an archive or a folder: shows what is in it before anything is saved. */
export function ImportSkills ({ onClose }: { onClose: () => void }) {
  const found = useSignal<Inspection | null>(null)
  const chosen = useSignal<ReadonlyMap<string, Choice>>(new Map())
  const { isBusy, error, problemAt, setProblem, form: list, run } = useRequest<HTMLUListElement>()
  const w = screenWords.value.skills
  const look = (files: readonly File[]): Promise<void> => run(async () => {
    const [file] = files
    if (file === undefined) return
    const isArchive = file.webkitRelativePath === '' && !/\.md$/i.test(file.name)
    const name = file.webkitRelativePath === '' ? file.name : file.webkitRelativePath.split('/')[0] ?? ''
    const archive = isArchive ? file : new File([tarOf(await packed(files))], `${name.replace(/\.md$/i, '')}.tar`)
    const inspection = await sendForm<Inspection>(api, '/api/skills/inspect', uploadForm(archive, {}), () => {}, () => w.uploadFailed).answer
    chosen.value = new Map(inspection.skills.map((skill) => [skill.id, firstChoice(skill)]))
    found.value = inspection
  })
  const inspection = found.value
  const leave = (): void => {
    onClose()
    // Nothing was saved; what was uploaded is removed now instead of in a day.
    if (inspection !== null) void api.post('/api/skills/import/undo', { id: inspection.id }).catch(() => {})
  }
  const taken = (inspection?.skills ?? []).flatMap(({ id }) => {
    const choice = chosen.value.get(id)
    return choice === undefined || choice === 'skip' ? [] : [{ id, choice }]
  })
  const save = (): Promise<void> => run(async () => {
    if (inspection === null) return
    if (taken.some(({ choice }) => choice === 'ask')) return setProblem(w.choiceMissing, 'choice')
    const { imported } = await api.post('/api/skills/import', {
      id: inspection.id, category: null,
      skills: taken.map(({ id, choice }) => ({ id, ...choice === 'replace' || choice === 'keep_both' ? { on_conflict: choice } : {} }))
    })
    refreshSkills()
    onClose()
    const back = () => attempt(async () => {
      await api.post('/api/skills/import/undo', { id: inspection.id })
      refreshSkills()
    })
    toast(w.imported(imported.map(({ name }) => name).join(', ')), {
      kind: 'good', action: { text: words.value.common.undo, onPick: () => { void back() } }
    })
  })
  return (
    <Dialog
      open keep={inspection !== null} onClose={leave} title={w.importTitle} note={inspection === null ? w.importNote : w.importReview} size='wide'
      actions={inspection === null
        ? undefined
        : (
          <>
            <Button onClick={leave}>{words.value.common.cancel}</Button>
            <Button kind='primary' busy={isBusy} disabled={taken.length === 0} onClick={() => { void save() }}>
              {w.importCount(taken.length)}
            </Button>
          </>
          )}
    >
      <div class='skill-view'>
        {error === null ? null : <ErrorState error={error} />}
        {inspection === null
          ? <Sources isBusy={isBusy} onFiles={(files) => { void look(files) }} />
          : (
            <>
              <ul ref={list} class='skills-list'>
                {inspection.skills.map((skill) => (
                  <InspectedRow
                    key={skill.id} skill={skill} choice={chosen.value.get(skill.id) ?? 'skip'} missing={problemAt('choice')}
                    onChoice={(choice) => { chosen.value = new Map(chosen.value).set(skill.id, choice) }}
                  />
                ))}
              </ul>
              {inspection.other_files === 0 ? null : <p class='skills-note'>{w.otherFiles(inspection.other_files)}</p>}
            </>
            )}
      </div>
    </Dialog>
  )
}

/** Missing in the types of preact. */
const folders = { webkitdirectory: true }

function Sources ({ isBusy, onFiles }: { isBusy: boolean, onFiles: (files: readonly File[]) => void }) {
  const archive = useRef<HTMLInputElement>(null)
  const folder = useRef<HTMLInputElement>(null)
  const w = screenWords.value.skills
  const picked = (input: HTMLInputElement): void => {
    const files = [...input.files ?? []]
    input.value = ''
    onFiles(files)
  }
  return (
    <div class='skill-buttons'>
      <Button icon={FileArchive} busy={isBusy} onClick={() => archive.current?.click()}>{w.chooseArchive}</Button>
      <Button icon={Folder} busy={isBusy} onClick={() => folder.current?.click()}>{w.chooseFolder}</Button>
      <input
        ref={archive} type='file' hidden accept='.zip,.skill,.tar,.tgz,.gz,.md' aria-label={w.chooseArchive}
        onChange={({ currentTarget }) => picked(currentTarget)}
      />
      <input
        ref={folder} type='file' hidden {...folders} aria-label={w.chooseFolder}
        onChange={({ currentTarget }) => picked(currentTarget)}
      />
    </div>
  )
}

function InspectedRow ({ skill, choice, missing, onChoice }: {
  skill: Inspected
  choice: Choice
  /** What is said where the choice is missing; null until an import was tried. */
  missing: string | null
  onChoice: (choice: Choice) => void
}) {
  const w = screenWords.value.skills
  const { name, description, warning, problem, content, files, conflict, hides } = skill
  const scripts = files.filter(({ script }) => script).length
  return (
    <li class='skill-row'>
      <div class='skill-text'>
        <div class='skill-line'>
          <strong class='skill-name'><bdi>{name}</bdi></strong>
          {scripts === 0 ? null : <Badge>{w.scripts(scripts)}</Badge>}
        </div>
        {description === '' ? null : <p class='skill-description'><bdi>{description}</bdi></p>}
        {problem === null ? null : <p class='skill-warning'>{w.cannotImport} <bdi>{problem}</bdi></p>}
        {warning === null ? null : <p class='skill-warning'><bdi>{warning}</bdi></p>}
        {conflict === null ? null : <p class='skills-note'>{conflict.same ? w.hasSame : w.hasOther}</p>}
        {hides.length === 0 ? null : <p class='skills-note'>{w.shadows(hides.map((origin) => w.origins[origin]).join(', '))}</p>}
        <Disclosure summary={w.files(files.length)}>
          {() => (
            <ul class='skill-files'>
              {files.map(({ path, size, executable, script }) => (
                <li key={path}>
                  <bdi>{path}</bdi> <span class='skills-note'>{[sizeText(size), ...executable ? [w.executable] : script ? [w.script] : []].join(' · ')}</span>
                  {content === '' || path !== 'SKILL.md' ? null : <pre class='skill-pre' tabIndex={0}>{content}</pre>}
                </li>
              ))}
            </ul>
          )}
        </Disclosure>
        {problem === null
          ? (
            <SelectField
              label={w.choiceFor(name)} value={choice} onValue={onChoice} error={choice === 'ask' ? missing : null}
              choices={choicesFor(skill).map((key) => ({ key, text: w.choices[key], disabled: key === 'ask' }))}
            />
            )
          : null}
      </div>
    </li>
  )
}
