import { sayInEnglish } from '../../../schedules/english.js'
import { saidOfExpression } from '../../../schedules/expression.js'
import { type JobRow } from './job-rows.js'

/**
 * Describes when a job runs: as it was typed if that was in words, and otherwise in words that could be typed too. Only a cron expression
 * without such words gets a description that is not a valid input, or is shown itself.
 */
export function scheduleWords ({
  kind, expression, display, words
}: Pick<JobRow, 'kind' | 'expression' | 'display' | 'words'>): string {
  const said = kind === 'once' ? null : saidOfExpression(expression)
  if (said !== null && (said.kind === 'interval' || display === expression)) return sayInEnglish(said)
  return display !== expression ? display : words ?? display
}
