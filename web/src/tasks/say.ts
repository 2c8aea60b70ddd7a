import { saidOfExpression } from '../../../schedules/expression.js'
import { type Said } from '../../../schedules/said.js'
import { language, screenWords } from '../words/index.js'
import { times } from '../words/times.js'
import { type Previewed } from './schedule-preview.js'
import { type Task } from './task-form.js'

/** Describes a schedule in the language of the app, in words that are parsed as the same schedule. */
export const say = (said: Said, isExact = false): string =>
  screenWords.value.tasks.say(said, { isExact })

/** Returns a schedule as a person would type it. */
export function typedAs (expression: string): string {
  const said = saidOfExpression(expression)
  return said === null ? expression : say(said)
}

interface Described {
  schedule: Pick<Task['schedule'], 'expression' | 'words' | 'display'> & Partial<Pick<Task['schedule'], 'run_at' | 'timezone'>>
}

/** Describes a schedule, in words if possible. `isExact` names the days of the week. */
export function sayWhen ({ schedule }: Described, isExact = false): string {
  const { expression, words: described, display, run_at: runAt, timezone: zone } = schedule
  if (runAt !== undefined) return screenWords.value.tasks.once(times.next(Date.parse(runAt) / 1_000, zone === undefined ? {} : { zone }))
  const said = saidOfExpression(expression)
  const text = said !== null ? say(said, isExact) : (language.value === 'en' ? described : null) ?? display
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Explains why a schedule was refused, in the app's words for known codes. */
export function sayRefused ({ why, code }: Previewed & { kind: 'refused' }): string {
  const reasons: Readonly<Record<string, string>> = screenWords.value.tasks.scheduleRefused
  return reasons[code ?? ''] ?? why
}
