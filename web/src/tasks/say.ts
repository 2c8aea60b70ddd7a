import { screenWords } from '../words/index.js'
import { type Previewed } from './schedule-preview.js'
import { type Task } from './task-form.js'

/** Describes a schedule, in words if there are any. */
export function sayWhen ({ schedule: { kind, minutes, words: said, display } }: Pick<Task, 'schedule'>): string {
  return kind === 'interval' && minutes !== undefined ? screenWords.value.tasks.interval(minutes) : said ?? display
}

/** Explains why a schedule is refused, in the app's words for known codes. */
export function sayRefused ({ why, code }: Previewed & { kind: 'refused' }): string {
  const reasons: Readonly<Record<string, string>> = screenWords.value.tasks.scheduleRefused
  return reasons[code ?? ''] ?? why
}
