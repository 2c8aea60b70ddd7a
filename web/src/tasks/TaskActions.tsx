import { useSignal } from '@preact/signals'
import { type ComponentChild } from 'preact'
import { navigate } from 'wouter-preact/use-browser-location'
import { api } from '../app.js'
import { places } from '../shell/places.js'
import { attempt } from '../ui/attempt.js'
import { Badge, type MarkKind } from '../ui/Badge.js'
import { Button } from '../ui/Button.js'
import { Dialog } from '../ui/Dialog.js'
import { Ellipsis, MessageSquare, Pause, Play, Trash } from '../ui/icons.js'
import { Menu, type MenuEntry } from '../ui/Menu.js'
import { toast } from '../ui/toasts.js'
import { screenWords, words } from '../words/index.js'
import { dropDraft } from './drafts.js'
import { bodyOfTask, stateOf, type Task, type TaskState } from './task-form.js'
import { tasks } from './tasks.js'

/** The states that get a mark. A task that waits for its time has none. */
const marks: Readonly<Partial<Record<TaskState, MarkKind>>> = {
  running: 'accent', queued: 'accent', paused: 'neutral', completed: 'neutral', failed: 'bad', undelivered: 'bad', blocked: 'bad'
}

export interface TaskMenu {
  entries: () => MenuEntry[]
  /** Asks before results are lost; place it outside of forms. */
  dialog: ComponentChild
}

/** Returns the actions on a saved task, here and in the list. */
export function useTaskActions (task: Task | null): TaskMenu {
  const isAsked = useSignal(false)
  if (task === null) return { entries: () => [], dialog: null }
  const w = screenWords.value.tasks
  const { id } = task
  const change = async (act: () => Promise<unknown>): Promise<void> => { await attempt(act); await tasks.refresh() }
  const setPaused = (isPaused: boolean) => api.post(isPaused ? '/api/crons/pause' : '/api/crons/resume', { job_id: id })
  const pause = () => change(async () => {
    await setPaused(true)
    toast(w.pausedToast(task.name), { action: { text: words.value.common.undo, onPick: () => { void change(() => setPaused(false)) } } })
  })
  const run = () => change(async () => { if (!(await api.post('/api/crons/run', { job_id: id })).ok) toast(w.runsAlready) })
  const remove = () => change(async () => {
    isAsked.value = false
    await api.post('/api/crons/delete', { job_id: id })
    dropDraft(task)
    navigate(places.tasks, { replace: true })
    toast(w.deleted(task.name), { action: { text: words.value.common.undo, onPick: () => { void attempt(() => makeAgain(task)) } } })
  })
  // Deleting a task that has run also deletes its results, which undo does not restore.
  const askToRemove = (): void => { if (task.last_run_at === null) void remove(); else isAsked.value = true }
  const session = task.latest_execution?.session_id ?? null
  return {
    entries: () => [
      ...(task.state === 'completed'
        ? []
        : [
            { text: w.runNow, icon: Play, onPick: () => { void run() } },
            task.state === 'paused'
              ? { text: w.resume, icon: Play, onPick: () => { void change(() => setPaused(false)) } }
              : { text: w.pause, icon: Pause, onPick: () => { void pause() } }
          ]),
      ...(session === null ? [] : [{ text: w.toChat, icon: MessageSquare, onPick: () => navigate(places.session(session)) }]),
      'line' as const,
      { text: words.value.common.delete, icon: Trash, danger: true, onPick: askToRemove }
    ],
    dialog: (
      <Dialog
        open={isAsked.value} onClose={() => { isAsked.value = false }} title={w.deleteTitle} size='small'
        actions={(
          <>
            <Button onClick={() => { isAsked.value = false }}>{words.value.common.cancel}</Button>
            <Button kind='danger' onClick={() => { void remove() }}>{words.value.common.delete}</Button>
          </>
        )}
      >
        <p>{w.deleteText(task.name)}</p>
      </Dialog>
    )
  }
}

/** Shows the state of a task if it needs mentioning, and its menu. */
export function TaskActions ({ task, actions }: { task: Task, actions: TaskMenu }) {
  const w = screenWords.value.tasks
  const state = stateOf(task)
  const kind = marks[state]
  return (
    <span class='task-actions'>
      {kind === undefined ? null : <Badge kind={kind}>{w.states[state]}</Badge>}
      {task.repeat.times === null ? null : <Badge>{w.times(task.repeat.completed, task.repeat.times)}</Badge>}
      <Menu icon={Ellipsis} label={w.actionsOf(task.name)} items={actions.entries} />
    </span>
  )
}

async function makeAgain (task: Task): Promise<void> {
  const { job } = await api.postOnce('/api/crons/create', bodyOfTask(task))
  if (task.state === 'paused') {
    await api.post('/api/crons/pause', { job_id: job.id, ...(task.paused_reason === null ? {} : { reason: task.paused_reason }) })
  }
  await tasks.refresh()
}
