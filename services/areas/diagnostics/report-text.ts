import { visible } from '../../ground/text/visible.js'
import { type Line } from './check.js'

/** Lines with a heading, such as those of the service. */
export interface Section { heading: string, lines: ReadonlyArray<Pick<Line, 'title' | 'about' | 'status' | 'message' | 'fix'>> }

const marks: Record<Line['status'], string> = { ok: '✓', warning: '!', error: '✗', skipped: '-' }

/** Formats a report as plain text: a line for each check with its fix below it, then a summary of the numbers of problems and warnings. */
export function reportText (sections: readonly Section[], summary: (errors: number, warnings: number) => string): string {
  const lines = sections.flatMap((section) => section.lines)
  const count = (wanted: Line['status']): number => lines.filter(({ status }) => status === wanted).length
  return [...sections.map(sectionText), summary(count('error'), count('warning'))].join('\n\n')
}

function sectionText ({ heading, lines }: Section): string {
  return [heading, ...lines.flatMap(({ title, about, status, message, fix }) => [
    `${marks[status]} ${title}${about === null ? '' : ` (${about})`}: ${visible(message)}`,
    ...fix === null ? [] : visible(fix).split('\n').map((line) => `    ${line}`)
  ])].join('\n')
}
