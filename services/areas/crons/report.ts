import { type JobRow } from './job-rows.js'
import { isoIn } from '../../ground/time/zones.js'
import { wholeEnd, wholeTo } from '../../ground/text/whole-characters.js'

/** The result of a run. `answer` may be empty. */
export interface RunResult { status: 'ok' | 'error' | 'blocked_config', answer: string, error: string | null }

/** How much of a file answers of the interface contain. */
const mostChars = 8_000
const headChars = 200
const responseHeading = '\n## Response\n'

/** Returns the text of a run's file. The prompt is quoted, so that nothing in it can pass for the answer. */
export function reportOf (
  job: Pick<JobRow, 'id' | 'name' | 'display' | 'prompt' | 'zone'>, { status, answer, error }: RunResult, endedMs: number
): string {
  const quoted = job.prompt.split('\n').map((line) => `> ${line}`.trimEnd()).join('\n')
  return [
    `# Scheduled job: ${job.name}${status === 'ok' ? '' : ' (failed)'}`,
    '',
    `- Job: ${job.id}`,
    `- Schedule: ${job.display}`,
    `- Finished: ${isoIn(Math.floor(endedMs / 1000) * 1000, job.zone)}`,
    `- Status: ${status}`,
    '',
    '## Prompt',
    '',
    quoted,
    ...(error === null ? [] : ['', '## Error', '', error]),
    ...(answer === '' ? [] : ['', '## Response', '', answer]),
    ''
  ].join('\n')
}

/** Returns the answer in the file of a run; null if there is none. */
export function responseIn (report: string): string | null {
  const at = report.indexOf(responseHeading)
  return at === -1 ? null : report.slice(at + responseHeading.length).trim()
}

/**
 * Returns a file as lists show it: its beginning and its answer, else its end. `mask` gets somewhat more than that, so that no credential
 * is cut in two before it is masked, but not all of a large file, which would take seconds.
 */
export function boundedReport (report: string, mask: (text: string) => string): string {
  return bounded(mask(bounded(report, mostChars * 8, headChars * 20)), mostChars, headChars)
}

function bounded (report: string, mostChars: number, headChars: number): string {
  if (report.length <= mostChars) return report
  const at = report.indexOf(responseHeading)
  if (at === -1) return wholeEnd(report, mostChars)
  const head = wholeTo(report, Math.min(at, headChars))
  const gap = '\n…'
  return head + gap + wholeTo(report.slice(at), mostChars - head.length - gap.length)
}
