import { useSignal } from '@preact/signals'
import { places } from '../shell/places.js'
import { Icon } from '../ui/Icon.js'
import { Link } from '../ui/Link.js'
import { CalendarClock, LoaderCircle } from '../ui/icons.js'
import { PopupMenu } from '../ui/Menu.js'
import { screenWords } from '../words/index.js'
import { times } from '../words/times.js'
import { isChanged, newTask } from './drafts.js'
import { sayWhen } from './say.js'
import { sortTasks, stateOf, type Task } from './task-form.js'
import { useTaskActions } from './TaskActions.js'

export interface TaskListProps {
  tasks: readonly Task[]
  /** The id of the task beside the list, or `new`. */
  chosen: string | null
  activeProfile: string
}

/** Lists tasks by their next run; paused and completed ones come below. */
export function TaskList ({ tasks, chosen, activeProfile }: TaskListProps) {
  const w = screenWords.value.tasks
  const isResting = ({ state }: Task): boolean => state === 'paused' || state === 'completed'
  const parts = [
    { name: null, of: sortTasks(tasks.filter((task) => !isResting(task))) },
    { name: w.paused, of: sortTasks(tasks.filter(({ state }) => state === 'paused')) },
    { name: w.finished, of: sortTasks(tasks.filter(({ state }) => state === 'completed')) }
  ]
  const hasDraft = chosen === newTask || isChanged(null)
  return (
    <nav class='task-list' aria-label={w.list}>
      {hasDraft
        ? (
          <ul>
            <li>
              <Link href={places.task(newTask)} class='task-row' aria-current={chosen === newTask ? 'page' : undefined}>
                <Icon of={CalendarClock} />
                <span class='task-name'>{w.create}</span>
                <span class='task-side'>{w.isNew}</span>
              </Link>
            </li>
          </ul>)
        : null}
      {parts.map(({ name, of }) => of.length === 0
        ? null
        : (
          <section key={name} aria-label={name ?? w.list}>
            {name === null ? null : <h2 class='task-part'>{name}</h2>}
            <ul>
              {of.map((task) => (
                <TaskRow key={task.id} task={task} isChosen={task.id === chosen} isElsewhere={task.profile !== activeProfile} />
              ))}
            </ul>
          </section>))}
    </nav>
  )
}

function TaskRow ({ task, isChosen, isElsewhere }: { task: Task, isChosen: boolean, isElsewhere: boolean }) {
  const at = useSignal<{ x: number, y: number } | null>(null)
  const actions = useTaskActions(task)
  const w = screenWords.value.tasks
  const state = stateOf(task)
  const isWrong = state === 'failed' || state === 'undelivered' || state === 'blocked'
  const side = isChanged(task)
    ? w.edited
    : state === 'running' || state === 'queued'
      ? w.states[state]
      : task.next_run_at === null ? '' : times.short(Date.parse(task.next_run_at) / 1_000, { zone: task.schedule.timezone })
  return (
    <li>
      <Link
        href={places.task(task.id)} class='task-row' aria-current={isChosen ? 'page' : undefined}
        onContextMenu={(event) => { event.preventDefault(); at.value = { x: event.clientX, y: event.clientY } }}
      >
        <Icon of={state === 'running' ? LoaderCircle : CalendarClock} />
        <span class='task-name'><bdi>{task.name}</bdi></span>
        <span class='task-side'>{side}</span>
        <span class='task-line' data-wrong={isWrong || undefined}>
          {isWrong ? w.states[state] : <bdi>{sayWhen(task)}</bdi>}{isElsewhere ? ` · ${task.profile ?? ''}` : ''}
        </span>
      </Link>
      <PopupMenu
        open={at.value !== null} anchor={at.value ?? { x: 0, y: 0 }} label={w.actionsOf(task.name)} items={actions.entries}
        onClose={() => { at.value = null }}
      />
      {actions.dialog}
    </li>
  )
}
