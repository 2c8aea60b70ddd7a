import { useEffect, useMemo } from 'preact/hooks'
import { navigate } from 'wouter-preact/use-browser-location'
import { api } from '../app.js'
import { sayProblem } from '../conversation/say-problem.js'
import { places } from '../shell/places.js'
import { Button } from '../ui/Button.js'
import { ErrorState } from '../ui/ErrorState.js'
import { TextField } from '../ui/Field.js'
import { Icon } from '../ui/Icon.js'
import { Link } from '../ui/Link.js'
import { ArrowLeft } from '../ui/icons.js'
import { Segmented } from '../ui/Segmented.js'
import { toast } from '../ui/toasts.js'
import { useReading } from '../ui/use-reading.js'
import { useRequest } from '../ui/use-request.js'
import { screenWords } from '../words/index.js'
import { times } from '../words/times.js'
import { Advanced } from './Advanced.js'
import { costOfRun, runsOfMonth } from './costs.js'
import { dropDraft, formFor, isChanged, keepDraft } from './drafts.js'
import { Results } from './Results.js'
import { say } from './say.js'
import { createSchedulePreview, type Previewed } from './schedule-preview.js'
import { TaskActions, useTaskActions } from './TaskActions.js'
import { bodyOf, deliveryOf, isComplete, scheduleOf, stateOf, type Delivery, type Task, type TaskForm } from './task-form.js'
import { histories, tasks } from './tasks.js'
import { What } from './What.js'
import { When } from './When.js'

/** The choices for a task. */
interface Choices {
  skills: readonly string[]
  profiles: readonly string[]
  deliveries: readonly Delivery[]
}

async function readChoices (): Promise<Choices> {
  const [skills, profiles, deliveries] = await Promise.all([
    api.get('/api/skills'), api.get('/api/profiles'), api.get('/api/crons/delivery-options')
  ])
  return {
    skills: skills.skills.filter(({ disabled }) => !disabled).map(({ name }) => name),
    profiles: profiles.profiles.map(({ name }) => name),
    deliveries: deliveries.platforms.flatMap(({ value }) => deliveryOf(value.replace(':', '')) ?? [])
  }
}

/** A task: its message, its schedule, where the answer goes, and its results. `null`: a task that is being created. */
export function TaskPane ({ task }: { task: Task | null }) {
  const form = formFor(task)
  const change = (values: Partial<TaskForm>): void => keepDraft(task, { ...form, ...values })
  const { isBusy, error, run } = useRequest()
  const choices = useReading(readChoices, [])
  const preview = useMemo(() => createSchedulePreview(api), [])
  useEffect(() => preview.close, [preview])
  const schedule = scheduleOf(form, say)
  useEffect(() => { void preview.look(schedule, form.profile) }, [schedule, form.profile])
  const previewed = preview.previewed.value
  // An unchanged schedule can be saved again, even if its time has passed.
  const isRead = schedule === task?.schedule.expression || (preview.looked.value === schedule && previewed?.kind !== 'refused')
  const isEdited = isChanged(task)
  const canSave = isComplete(form) && isRead && (isEdited || task === null)
  const actions = useTaskActions(task)
  const w = screenWords.value.tasks
  const save = async (): Promise<Task> => {
    const body = bodyOf(form, say)
    const { job } = task === null
      ? await api.postOnce('/api/crons/create', body)
      : await api.post('/api/crons/update', { ...body, job_id: task.id })
    await tasks.refresh()
    dropDraft(task)
    if (task === null) navigate(places.task(job.id), { replace: true })
    return job
  }
  const submit = (): Promise<void> => canSave
    ? run(async () => {
      const { name, next_run_at: next, schedule: { timezone } } = await save()
      toast(next === null ? w.saved(name) : w.savedNext(name, times.next(Date.parse(next) / 1_000, { zone: timezone })), { kind: 'good' })
    })
    : Promise.resolve()
  const tryNow = (): Promise<void> => run(async () => {
    const { id } = isEdited || task === null ? await save() : task
    if (!(await api.post('/api/crons/run', { job_id: id })).ok) toast(w.runsAlready)
    await tasks.refresh()
  })
  const isRunning = task !== null && ['running', 'queued'].includes(stateOf(task))
  return (
    <section class='task-pane' aria-label={task?.name ?? w.create}>
      <form class='task-form' onSubmit={(event) => { event.preventDefault(); void submit() }}>
        <div class='task-head'>
          <Link href={places.tasks} class='task-back' aria-label={w.back} title={w.back}><Icon of={ArrowLeft} /></Link>
          <TextField
            bare class='task-title' label={w.name} value={form.name} maxLength={200} placeholder={w.create} dir='auto'
            onValue={(name) => change({ name })}
          />
          {task === null ? null : <TaskActions task={task} actions={actions} />}
        </div>
        {task === null ? null : <Problems task={task} />}
        {error === null ? null : <ErrorState error={error} />}
        {choices.error.value === null
          ? null
          : <ErrorState error={choices.error.value} busy={choices.isLoading.value} onRetry={() => { void choices.refresh() }} />}
        <What form={form} skills={choices.value.value?.skills ?? []} isNew={task === null} onChange={change} />
        <When form={form} saved={task?.schedule.expression ?? null} previewed={previewed} onChange={change} />
        <Where form={form} task={task} deliveries={choices.value.value?.deliveries} onChange={change} />
        <div class='field'>
          <span class='task-question'>{w.ask}</span>
          <Segmented
            label={w.ask} chosen={form.ask} onChoose={(ask) => change({ ask })}
            choices={[{ key: 'wait', text: w.asks.wait }, { key: 'deny', text: w.asks.deny }]}
          />
        </div>
        <Advanced form={form} task={task} previewed={previewed} profiles={choices.value.value?.profiles ?? []} onChange={change} />
        <div class='task-save'>
          <Button kind={canSave ? 'primary' : 'plain'} type='submit' busy={isBusy} disabled={!canSave}>{w.save}</Button>
          {task?.state === 'completed'
            ? null
            : (
              <Button
                busy={isBusy || isRunning} disabled={!isComplete(form) || !isRead} onClick={() => { void tryNow() }}
              >
                {isRunning ? w.states.running : isEdited || task === null ? w.saveAndTry : w.tryNow}
              </Button>
              )}
          {isEdited
            ? <Button kind='quiet' onClick={() => { dropDraft(task); if (task === null) navigate(places.tasks) }}>{w.discard}</Button>
            : null}
          <Cost task={task} previewed={previewed} />
        </div>
      </form>
      {task === null ? null : <Results jobId={task.id} />}
      {actions.dialog}
    </section>
  )
}

function Where ({ form: { delivery, webhookUrl }, task, deliveries = ['local', 'webhook'], onChange }: {
  form: TaskForm
  task: Task | null
  deliveries: readonly Delivery[] | undefined
  onChange: (change: Partial<TaskForm>) => void
}) {
  const w = screenWords.value.tasks
  const hasOrigin = delivery === 'origin' || (task?.origin ?? null) !== null
  const choices = [...new Set([...deliveries, delivery])].filter((one) => one !== 'origin' || hasOrigin)
  return (
    <div class='field'>
      <span class='task-question'>{w.delivery}</span>
      <Segmented
        label={w.delivery} chosen={delivery} onChoose={(delivery) => onChange({ delivery })}
        choices={choices.map((key) => ({ key, text: w.deliveries[key] }))}
      />
      {delivery === 'webhook'
        ? <TextField
            label={w.webhook} type='url' value={webhookUrl} onValue={(webhookUrl) => onChange({ webhookUrl })}
            placeholder='https://example.org/hook' hint={w.webhookHint}
          />
        : <p class='field-hint'>{w.deliveryNotes[delivery]}</p>}
    </div>
  )
}

/** Shows what the task costs, estimated from its runs so far. */
function Cost ({ task, previewed }: { task: Task | null, previewed: Previewed | null }) {
  const runs = task === null ? [] : histories.of(task.id).value.value?.runs ?? []
  const cost = costOfRun(runs)
  if (cost === null) return null
  const month = previewed?.kind === 'understood' ? runsOfMonth(previewed.preview.next_runs) : null
  return <span class='task-cost'>{screenWords.value.tasks.cost(cost, month === null ? null : cost * month)}</span>
}

function Problems ({
  task: {
    deliver, last_error: error, last_delivery_error: delivery, last_status: status, failure_streak: streak,
    paused_reason: reason, last_skipped_at: skipped, last_run_at: ran, schedule
  }
}: {
  task: Task
}) {
  const w = screenWords.value.tasks
  const wrong = status === 'delivery_failed' ? delivery : status === 'ok' || status === null ? null : error
  return (
    <>
      {wrong === null
        ? null
        : (
          <p class='task-wrong'>
            <bdi>{sayProblem({ type: null, message: wrong, about: undefined }) ?? wrong}</bdi>{streak > 1 ? ` ${w.streak(streak)}` : ''}
            {wrong === delivery && deliver === 'push'
              ? <> <Link href={`${places.settings}/notifications`}>{screenWords.value.settings.pages.notifications}</Link></>
              : null}
          </p>
          )}
      {reason === null || reason === '' ? null : <p class='task-note'><bdi>{reason}</bdi></p>}
      {skipped === null || (ran !== null && ran > skipped)
        ? null
        : <p class='task-note'>{w.skipped(times.at(Date.parse(skipped) / 1_000, { zone: schedule.timezone }))}</p>}
    </>
  )
}
