import { signal } from '@preact/signals'
import { emptyForm, formOf, type Task, type TaskForm } from './task-form.js'

/** The key of a task that is being created. */
export const newTask = 'new'

const drafts = signal<ReadonlyMap<string, TaskForm>>(new Map())

/** Returns the form of a task: the unsaved draft, or the task's own values. */
export const formFor = (task: Task | null): TaskForm => drafts.value.get(task?.id ?? newTask) ?? (task === null ? emptyForm : formOf(task))

export function keepDraft (task: Task | null, form: TaskForm): void {
  drafts.value = new Map(drafts.value).set(task?.id ?? newTask, form)
}

export function dropDraft (task: Task | null): void {
  const kept = new Map(drafts.value)
  kept.delete(task?.id ?? newTask)
  drafts.value = kept
}

/** Returns whether the form has unsaved changes. */
export const isChanged = (task: Task | null): boolean => {
  const draft = drafts.value.get(task?.id ?? newTask)
  return draft !== undefined && JSON.stringify(draft) !== JSON.stringify(task === null ? emptyForm : formOf(task))
}
