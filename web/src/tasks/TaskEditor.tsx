import { useSignal, type Signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { api } from '../app.js'
import { createResource } from '../core/service/resource.js'
import { FolderField, LazyFolderChooser } from '../side/FolderField.js'
import { Button } from '../ui/Button.js'
import { Dialog } from '../ui/Dialog.js'
import { Disclosure } from '../ui/Disclosure.js'
import { ErrorState } from '../ui/ErrorState.js'
import { SelectField, Switch, TextArea, TextField } from '../ui/Field.js'
import { toast } from '../ui/toasts.js'
import { useRequest } from '../ui/use-request.js'
import { screenWords, words } from '../words/index.js'
import { sayRefused, sayWhen } from './say.js'
import { createSchedulePreview, type Previewed } from './schedule-preview.js'
import { bodyOf, deliveryOf, isComplete, kindOfSchedule, modelKey, type Delivery, type Task, type TaskForm } from './task-form.js'
import { tasks } from './tasks.js'

/** The choices of the form. */
interface Choices {
  models: ReadonlyArray<{ key: string, text: string, group: string }>
  skills: readonly string[]
  profiles: readonly string[]
  deliveries: readonly Delivery[]
}

async function readChoices (): Promise<Choices> {
  const [models, skills, profiles, deliveries] = await Promise.all([
    api.get('/api/models'), api.get('/api/skills'), api.get('/api/profiles'), api.get('/api/crons/delivery-options')
  ])
  return {
    models: models.groups.flatMap(({ name, provider_id: provider, models, extra_models: extra }) =>
      [...models, ...extra].map(({ id, label }) => ({ key: modelKey(provider, id.replace(/^@[^:]+:/, '')), text: label, group: name }))),
    skills: skills.skills.filter(({ disabled }) => !disabled).map(({ name }) => name),
    profiles: profiles.profiles.map(({ name }) => name),
    deliveries: deliveries.platforms.flatMap(({ value }) => deliveryOf(value.replace(':', '')) ?? [])
  }
}

/** Creates or edits a task. If the service refuses it, the form stays. */
export function TaskEditor ({ task, form: first, onClose }: { task: Task | null, form: TaskForm, onClose: () => void }) {
  const form = useSignal(first)
  const { isBusy, error, run } = useRequest()
  const isChoosing = useSignal(false)
  const choices = useMemo(() => createResource(readChoices), [])
  useEffect(() => { void choices.refresh() }, [])
  const preview = useMemo(() => createSchedulePreview(api), [])
  useEffect(() => preview.close, [preview])
  const { schedule, profile } = form.value
  useEffect(() => { void preview.look(schedule, profile) }, [schedule, profile])
  // An unchanged schedule is saved again, even if its time has passed.
  const isRead = schedule === task?.schedule.expression ||
    (preview.looked.value === schedule.trim() && preview.previewed.value?.kind !== 'refused')
  const canSave = isComplete(form.value) && isRead
  const w = screenWords.value.tasks
  const save = async (): Promise<void> => {
    if (!canSave) return
    await run(async () => {
      const body = bodyOf(form.value)
      const { job } = task === null
        ? await api.postOnce('/api/crons/create', body)
        : await api.post('/api/crons/update', { ...body, job_id: task.id })
      await tasks.refresh()
      toast(job.next_run_at === null ? w.saved(job.name) : w.savedNext(job.name, new Date(job.next_run_at), job.schedule.timezone), {
        kind: 'good'
      })
      onClose()
    })
  }
  return (
    <Dialog
      open keep onClose={onClose} title={task === null ? w.create : w.editTitle(task.name)} size='wide'
      actions={(
        <>
          <Button onClick={onClose}>{words.value.common.cancel}</Button>
          <Button kind='primary' busy={isBusy} disabled={!canSave} onClick={() => { void save() }}>{words.value.common.save}</Button>
        </>
      )}
    >
      <form class='task-form' onSubmit={(event) => { event.preventDefault(); void save() }}>
        {error === null ? null : <ErrorState error={error} />}
        <Essentials form={form} task={task} previewed={preview.previewed.value} />
        <Disclosure summary={w.moreSettings} open={task !== null || undefined}>
          <MoreSettings form={form} task={task} choices={choices.value.value} onChooseFolder={() => { isChoosing.value = true }} />
        </Disclosure>
        {choices.error.value === null
          ? null
          : <ErrorState error={choices.error.value} busy={choices.isLoading.value} onRetry={() => { void choices.refresh() }} />}
        <button type='submit' hidden />
      </form>
      {isChoosing.value
        ? <LazyFolderChooser
            title={w.folderTitle} current={form.value.workspace}
            onClose={() => { isChoosing.value = false }}
            onChosen={({ path }) => set(form, 'workspace')(path)}
          />
        : null}
    </Dialog>
  )
}

const set = <Key extends keyof TaskForm>(form: Signal<TaskForm>, key: Key) => (value: TaskForm[Key]): void => {
  form.value = { ...form.value, [key]: value }
}

function Essentials ({ form, task, previewed }: { form: Signal<TaskForm>, task: Task | null, previewed: Previewed | null }) {
  const w = screenWords.value.tasks
  const { name, prompt, schedule } = form.value
  const kind = kindOfSchedule(schedule)
  const isSame = task !== null && schedule === task.schedule.expression
  return (
    <>
      <TextField label={w.name} optional value={name} maxLength={200} onValue={set(form, 'name')} dir='auto' />
      <TextArea label={w.prompt} value={prompt} onValue={set(form, 'prompt')} hint={w.promptHint} rows={4} autofocus dir='auto' />
      <TextField
        label={w.schedule} value={schedule} onValue={set(form, 'schedule')}
        placeholder={w.scheduleExamples[0]} autoComplete='off' spellcheck={false}
        hint={isSame
          ? sayWhen(task)
          : previewed?.kind === 'understood' ? sayWhen(previewed.preview) : kind === null ? w.scheduleHint : w.scheduleKinds[kind]}
      />
      <SchedulePreview previewed={previewed} />
      <div class='task-examples' role='group' aria-label={w.examples}>
        {w.scheduleExamples.map((example) => (
          <Button key={example} size='small' pressed={schedule === example} onClick={() => set(form, 'schedule')(example)}>
            {example}
          </Button>
        ))}
      </div>
    </>
  )
}

/** Shows when the schedule would run, or why it would not. */
function SchedulePreview ({ previewed }: { previewed: Previewed | null }) {
  const w = screenWords.value.tasks
  return (
    <div class='task-preview' role='status'>
      {previewed === null
        ? null
        : previewed.kind === 'refused'
          ? sayRefused(previewed)
          : w.nextRuns(previewed.preview.next_runs.map((at) => new Date(at)), previewed.preview.schedule.timezone)}
    </div>
  )
}

function MoreSettings ({ form, task, choices, onChooseFolder }: {
  form: Signal<TaskForm>
  task: Task | null
  choices: Choices | undefined
  onChooseFolder: () => void
}) {
  const w = screenWords.value.tasks
  const { profile, workspace, model, delivery, webhookUrl, times, ask, toast } = form.value
  const models = choices?.models ?? []
  const deliveries = choices?.deliveries ?? ['local', 'origin', 'webhook']
  return (
    <div class='task-more'>
      <SelectField
        label={w.delivery} value={delivery} onValue={set(form, 'delivery')}
        choices={[...new Set([...deliveries, delivery])].filter((one) => one !== 'origin' ||
          delivery === 'origin' || (task?.origin ?? null) !== null)
          .map((key) => ({ key, text: w.deliveries[key] }))}
      />
      {delivery === 'webhook'
        ? <TextField
            label={w.webhook} type='url' value={webhookUrl} onValue={set(form, 'webhookUrl')}
            placeholder='https://example.org/hook' hint={w.webhookHint}
          />
        : null}
      <SelectField
        label={w.model} value={model} onValue={set(form, 'model')}
        choices={[
          { key: '', text: w.usualModel },
          ...(model === '' || models.some(({ key }) => key === model) ? [] : [{ key: model, text: model.trim() }]),
          ...models
        ]}
      />
      {choices !== undefined && choices.profiles.length > 1
        ? <SelectField
            label={w.profile} value={profile} onValue={set(form, 'profile')}
            choices={[
              ...(task === null ? [{ key: '', text: w.thisProfile }] : []),
              ...choices.profiles.map((name) => ({ key: name, text: name }))
            ]}
          />
        : null}
      <FolderField
        label={w.workspace} optional value={workspace} onValue={set(form, 'workspace')} placeholder={w.usualFolder}
        onChoose={onChooseFolder}
      />
      <TextField label={w.repeat} optional value={times} onValue={set(form, 'times')} inputMode='numeric' placeholder={w.forever} />
      <SkillChoice form={form} skills={choices?.skills ?? []} />
      <Switch label={w.ask} hint={w.askHint} checked={ask === 'wait'} onChecked={(on) => set(form, 'ask')(on ? 'wait' : 'deny')} />
      <Switch label={w.toast} checked={toast} onChecked={set(form, 'toast')} />
    </div>
  )
}

function SkillChoice ({ form, skills }: { form: Signal<TaskForm>, skills: readonly string[] }) {
  const { skills: chosen } = form.value
  const all = [...new Set([...chosen, ...skills])]
  if (all.length === 0) return null
  const toggle = (name: string): void => set(form, 'skills')(
    chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name]
  )
  return (
    <fieldset class='task-skills'>
      <legend class='field-label'>{screenWords.value.tasks.skills}</legend>
      <div class='task-examples'>
        {all.map((name) => <Button key={name} size='small' pressed={chosen.includes(name)} onClick={() => toggle(name)}>{name}</Button>)}
      </div>
    </fieldset>
  )
}
