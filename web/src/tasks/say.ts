import { screenWords } from '../words/index.js'
import { type Previewed } from './schedule-preview.js'
import { type Task } from './task-form.js'

/** When a task runs, in words as far as there are any. */
export function sayWhen ({ schedule: { kind, minutes, words: said, display } }: Pick<Task, 'schedule'>): string {
  return kind === 'interval' && minutes !== undefined ? screenWords.value.tasks.interval(minutes) : said ?? display
}

/** Why a schedule is none: for a person, where the service tells them apart. */
export function sayRefused ({ why, code }: Previewed & { kind: 'refused' }): string {
  const reasons: Readonly<Record<string, string>> = screenWords.value.tasks.scheduleRefused
  return reasons[code ?? ''] ?? why
}
