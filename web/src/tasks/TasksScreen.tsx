import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useSearch } from 'wouter-preact'
import { navigate } from 'wouter-preact/use-browser-location'
import { CreateButton, PageHeader } from '../shell/Page.js'
import { places } from '../shell/places.js'
import { Button } from '../ui/Button.js'
import { EmptyState } from '../ui/EmptyState.js'
import { Switch } from '../ui/Field.js'
import { CalendarClock } from '../ui/icons.js'
import { ResourceState } from '../ui/Loaded.js'
import { screenWords, words } from '../words/index.js'
import { keepDraft, newTask } from './drafts.js'
import { emptyForm, sortTasks } from './task-form.js'
import { TaskList } from './TaskList.js'
import { TaskPane } from './TaskPane.js'
import { followTasks, tasks } from './tasks.js'
import { Ways } from './Ways.js'
import './tasks.css'

/** Scheduled tasks: the list, with one of them beside it. */
export function TasksScreen () {
  useEffect(followTasks, [])
  const isAll = useSignal(false)
  const asked = new URLSearchParams(useSearch()).get('task')
  const w = screenWords.value.tasks
  const list = tasks.value.value
  const shown = list?.jobs.filter(({ id, profile }) => isAll.value || profile === list.active_profile || id === asked) ?? []
  const hasOthers = list !== undefined && list.jobs.some(({ profile }) => profile !== list.active_profile)
  const isNew = asked === newTask
  // Without a choice, the task that runs next is shown if there is room for both.
  const task = isNew ? null : shown.find(({ id }) => id === asked) ?? (asked === null ? sortTasks(shown)[0] : undefined)
  const open = asked !== null && (isNew || task !== undefined)
  const example = (): void => { keepDraft(null, { ...emptyForm, ...w.example }); navigate(places.task(newTask)) }
  return (
    <>
      <PageHeader title={words.value.shell.tasks}>
        <div class='page-actions'><CreateButton text={w.create} onClick={() => navigate(places.task(newTask))} /></div>
      </PageHeader>
      <main class='page task-page' data-open={open || undefined}>
        <Ways now='times' />
        <ResourceState of={tasks} lines={6}>
          {({ active_profile: active }) => shown.length === 0 && !isNew
            ? (
              <EmptyState
                icon={CalendarClock} title={w.empty} actions={<Button onClick={example}>{w.exampleButton(w.example.name)}</Button>}
              >
                {w.emptyText}
              </EmptyState>
              )
            : (
              <div class='task-layout'>
                <div class='task-aside'>
                  <TaskList tasks={shown} chosen={isNew ? newTask : task?.id ?? null} activeProfile={active} />
                  {hasOthers ? <Switch label={w.allProfiles} checked={isAll.value} onChecked={(on) => { isAll.value = on }} /> : null}
                </div>
                {task === undefined
                  ? <p class='task-note'>{w.gone}</p>
                  : <TaskPane key={task?.id ?? newTask} task={task} />}
              </div>)}
        </ResourceState>
      </main>
    </>
  )
}
