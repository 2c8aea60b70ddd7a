import { visible } from '../../ground/visible.js'
import { type Line } from './check.js'

/** Lines with a heading, such as those of the service. */
export interface Section { heading: string, lines: ReadonlyArray<Pick<Line, 'title' | 'about' | 'status' | 'message' | 'fix'>> }

const marks: Record<Line['status'], string> = { ok: '✓', warning: '!', error: '✗', skipped: '-' }

/** A report as plain text: a line for each check, and what to do below it. */
export function reportText (sections: readonly Section[]): string {
  const lines = sections.flatMap((section) => section.lines)
  const count = (wanted: Line['status']): number => lines.filter(({ status }) => status === wanted).length
  const [errors, warnings] = [count('error'), count('warning')]
  const summary = errors + warnings === 0
    ? 'No problems found.'
    : `${errors} ${errors === 1 ? 'problem' : 'problems'}, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}.`
  return [...sections.map(sectionText), summary].join('\n\n')
}

function sectionText ({ heading, lines }: Section): string {
  return [heading, ...lines.flatMap(({ title, about, status, message, fix }) => [
    `${marks[status]} ${title}${about === null ? '' : ` (${about})`}: ${visible(message)}`,
    ...fix === null ? [] : visible(fix).split('\n').map((line) => `    ${line}`)
  ])].join('\n')
}
