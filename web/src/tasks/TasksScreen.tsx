import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Page } from '../shell/Page.js'
import { Button } from '../ui/Button.js'
import { EmptyState } from '../ui/EmptyState.js'
import { ErrorState } from '../ui/ErrorState.js'
import { Clock, Plus } from '../ui/icons.js'
import { Skeleton } from '../ui/Skeleton.js'
import { Switch } from '../ui/Field.js'
import { screenWords, words } from '../words/index.js'
import { emptyForm, formOf, sortTasks, type Task, type TaskForm } from './task-form.js'
import { TaskEditor } from './TaskEditor.js'
import { TaskView } from './TaskView.js'
import { followTasks, tasks } from './tasks.js'
import './tasks.css'

/** Lists scheduled tasks, their next runs and their results. */
export function TasksScreen () {
  useEffect(followTasks, [])
  const edited = useSignal<{ task: Task | null, form: TaskForm } | null>(null)
  const isAll = useSignal(false)
  const w = screenWords.value.tasks
  const list = tasks.value.value
  const error = tasks.error.value
  const create = (form: TaskForm = emptyForm): void => { edited.value = { task: null, form } }
  const shown = list?.jobs.filter(({ profile }) => isAll.value || profile === list.active_profile) ?? []
  const hasOthers = list !== undefined && list.jobs.some(({ profile }) => profile !== list.active_profile)
  return (
    <Page title={words.value.shell.tasks} actions={<Button kind='primary' icon={Plus} onClick={() => create()}>{w.create}</Button>}>
      {error === null ? null : <ErrorState error={error} busy={tasks.isLoading.value} onRetry={() => { void tasks.refresh() }} />}
      {list === undefined && error === null ? <Skeleton lines={6} /> : null}
      {hasOthers ? <Switch label={w.allProfiles} checked={isAll.value} onChecked={(on) => { isAll.value = on }} /> : null}
      {list !== undefined && shown.length === 0
        ? (
          <EmptyState
            icon={Clock} title={w.empty}
            actions={<Button onClick={() => create({ ...emptyForm, ...w.example })}>{w.exampleButton(w.example.name)}</Button>}
          >
            {w.emptyText}
          </EmptyState>)
        : null}
      {shown.length === 0
        ? null
        : (
          <ul class='tasks'>
            {sortTasks(shown).map((task) => (
              <TaskView
                key={task.id} task={task} isElsewhere={task.profile !== list?.active_profile}
                onEdit={() => { edited.value = { task, form: formOf(task) } }}
              />
            ))}
          </ul>)}
      {edited.value === null
        ? null
        : <TaskEditor
            key={edited.value.task?.id ?? 'new'} task={edited.value.task} form={edited.value.form}
            onClose={() => { edited.value = null }}
          />}
    </Page>
  )
}
