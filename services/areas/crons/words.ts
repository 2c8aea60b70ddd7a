import { sayInEnglish } from '../../../schedules/english.js'
import { saidOfExpression } from '../../../schedules/expression.js'
import { type JobRow } from './job-rows.js'

/**
 * When a job runs, for a person: as it was typed where that was in words, and otherwise in those that can be typed as well. Only
 * of a cron expression that words do not say, a description is told (or itself, if there is none) that no schedule is read from.
 */
export function scheduleWords ({
  kind, expression, display, words
}: Pick<JobRow, 'kind' | 'expression' | 'display' | 'words'>): string {
  const said = kind === 'once' ? null : saidOfExpression(expression)
  if (said !== null && (said.kind === 'interval' || display === expression)) return sayInEnglish(said)
  return display !== expression ? display : words ?? display
}
