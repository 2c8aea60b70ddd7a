import { screenWords } from '../words/index.js'
import { type Task } from './task-form.js'

/** When a task runs, in words as far as there are any. */
export function sayWhen ({ schedule: { kind, minutes, words: said, display } }: Pick<Task, 'schedule'>): string {
  return kind === 'interval' && minutes !== undefined ? screenWords.value.tasks.interval(minutes) : said ?? display
}
