import { useSignal } from '@preact/signals'
import { Link } from 'wouter-preact'
import { api } from '../app.js'
import { places } from '../shell/places.js'
import { attempt } from '../ui/attempt.js'
import { Badge, type MarkKind } from '../ui/Badge.js'
import { Button } from '../ui/Button.js'
import { Dialog } from '../ui/Dialog.js'
import { Disclosure } from '../ui/Disclosure.js'
import { Ellipsis, Pause, Pencil, Play, RotateCw, Trash } from '../ui/icons.js'
import { Menu } from '../ui/Menu.js'
import { toast } from '../ui/toasts.js'
import { screenWords, words } from '../words/index.js'
import { Runs } from './Runs.js'
import { sayWhen } from './say.js'
import { bodyOfTask, stateOf, type Task, type TaskState } from './task-form.js'
import { tasks } from './tasks.js'

const marks: Readonly<Record<TaskState, MarkKind>> = {
  running: 'accent', queued: 'accent', paused: 'neutral', completed: 'neutral', failed: 'bad',
  undelivered: 'bad', blocked: 'bad', scheduled: 'good'
}

/** Shows a task: its schedule, its last run, and its actions. */
export function TaskView ({ task, isElsewhere, onEdit }: { task: Task, isElsewhere: boolean, onEdit: () => void }) {
  const isAsked = useSignal(false)
  const isBusy = useSignal(false)
  const w = screenWords.value.tasks
  const state = stateOf(task)
  const run = async (act: () => Promise<unknown>): Promise<void> => {
    isBusy.value = true
    await attempt(act)
    await tasks.refresh()
    isBusy.value = false
  }
  const { id } = task
  const setPaused = (isPaused: boolean) => api.post(isPaused ? '/api/crons/pause' : '/api/crons/resume', { job_id: id })
  const pause = () => run(async () => {
    await setPaused(true)
    toast(w.pausedToast(task.name), { action: { text: words.value.common.undo, onPick: () => { void run(() => setPaused(false)) } } })
  })
  const runNow = () => run(async () => { if (!(await api.post('/api/crons/run', { job_id: id })).ok) toast(w.runsAlready) })
  const remove = () => run(async () => {
    isAsked.value = false
    await api.post('/api/crons/delete', { job_id: id })
    toast(w.deleted(task.name), { action: { text: words.value.common.undo, onPick: () => { void attempt(() => makeAgain(task)) } } })
  })
  // Deleting a task that has run also deletes its results, which undo does not restore.
  const askToRemove = (): void => { if (task.last_run_at === null) void remove(); else isAsked.value = true }
  const isRunning = state === 'running' || state === 'queued'
  return (
    <li class='task' aria-label={task.name}>
      <div class='task-head'>
        <h2 class='task-name'><bdi>{task.name}</bdi></h2>
        <Badge kind={marks[state]}>{w.states[state]}</Badge>
        {isElsewhere ? <Badge>{task.profile}</Badge> : null}
        <span class='task-actions'>
          {task.state === 'completed'
            ? null
            : (
              <Button
                size='small' icon={isRunning ? RotateCw : Play} busy={isBusy.value} disabled={isRunning}
                onClick={() => { void runNow() }}
              >
                {w.runNow}
              </Button>
              )}
          <Menu
            size='small' icon={Ellipsis} label={w.actionsOf(task.name)}
            items={() => [
              { text: w.edit, icon: Pencil, onPick: onEdit },
              ...(task.state === 'completed'
                ? []
                : [
                    task.state === 'paused'
                      ? { text: w.resume, icon: Play, onPick: () => { void run(() => setPaused(false)) } }
                      : { text: w.pause, icon: Pause, onPick: () => { void pause() } }
                  ]),
              'line',
              { text: words.value.common.delete, icon: Trash, danger: true, onPick: askToRemove }
            ]}
          />
        </span>
      </div>
      <p class='task-when'><Times task={task} /></p>
      <Problems task={task} />
      <p class='task-prompt'><bdi>{task.prompt}</bdi></p>
      <Disclosure summary={w.runs}>{() => <Runs jobId={id} />}</Disclosure>
      <Dialog
        open={isAsked.value} onClose={() => { isAsked.value = false }} title={w.deleteTitle} size='small'
        actions={(
          <>
            <Button onClick={() => { isAsked.value = false }}>{words.value.common.cancel}</Button>
            <Button kind='danger' busy={isBusy.value} onClick={() => { void remove() }}>{words.value.common.delete}</Button>
          </>
        )}
      >
        <p>{w.deleteText(task.name)}</p>
      </Dialog>
    </li>
  )
}

function Times ({ task }: { task: Task }) {
  const w = screenWords.value.tasks
  const session = task.latest_execution?.session_id ?? null
  return (
    <>
      <span><bdi>{sayWhen(task)}</bdi></span>
      {task.next_run_at === null ? null : <span>{w.next(new Date(task.next_run_at), task.schedule.timezone)}</span>}
      {task.last_run_at === null ? <span>{w.neverRan}</span> : <span>{w.last(new Date(task.last_run_at), task.schedule.timezone)}</span>}
      {task.repeat.times === null ? null : <span>{w.times(task.repeat.completed, task.repeat.times)}</span>}
      {session === null ? null : <Link href={places.session(session)}>{w.toChat}</Link>}
    </>
  )
}

function Problems ({
  task: {
    last_error: error, last_delivery_error: delivery, last_status: status, failure_streak: streak,
    paused_reason: reason, last_skipped_at: skipped, last_run_at: ran, schedule
  }
}: {
  task: Task
}) {
  const w = screenWords.value.tasks
  const wrong = status === 'delivery_failed' ? delivery : status === 'ok' || status === null ? null : error
  return (
    <>
      {wrong === null ? null : <p class='task-wrong'><bdi>{wrong}</bdi>{streak > 1 ? ` ${w.streak(streak)}` : ''}</p>}
      {reason === null || reason === '' ? null : <p class='task-note'><bdi>{reason}</bdi></p>}
      {skipped === null || (ran !== null && ran > skipped)
        ? null
        : <p class='task-note'>{w.skipped(new Date(skipped), schedule.timezone)}</p>}
    </>
  )
}

async function makeAgain (task: Task): Promise<void> {
  const { job } = await api.postOnce('/api/crons/create', bodyOfTask(task))
  if (task.state === 'paused') {
    await api.post('/api/crons/pause', { job_id: job.id, ...(task.paused_reason === null ? {} : { reason: task.paused_reason }) })
  }
  await tasks.refresh()
}
