import { countsInWords, type Problem } from './problems/index.js'
import { type CheckRunRow } from './rows.js'

/** A run as it is reported to the agent. */
export interface SentRun extends Pick<CheckRunRow, 'name' | 'command' | 'state' | 'exitCode' | 'output' | 'errors' | 'warnings' | 'infos'> {
  problems: readonly Problem[]
  /** Whether a person has picked these problems from all. */
  isPicked?: boolean
}

const states: Readonly<Record<CheckRunRow['state'], string>> = {
  waiting: 'waits', running: 'runs', passed: 'passed', failed: 'failed', timed_out: 'was stopped at its time limit',
  over_limit: 'was stopped: it used too much memory, or had too many processes', cancelled: 'was stopped', interrupted: 'was cut off'
}
const mostProblems = 100
const mostPicked = 500
const longestEnd = 6_000

/** Builds the one message with the results: what each check found, with file, line and text, and the end of its output. */
export function messageOf (runs: readonly SentRun[], { note = '', isByItself = false }: { note?: string, isByItself?: boolean }): string {
  const head = isByItself
    ? 'These checks ran by themselves after your changes, and did not pass.'
    : 'These are the results of checks in the workspace.'
  const how = 'Fix the cause of what they report. Change a check itself only where it is wrong, and say so.'
  return [head, ...note.trim() === '' ? [] : [note.trim()], how, ...runs.map(textOf)].join('\n\n')
}

function textOf ({ name, command, state, exitCode, output, problems, errors, warnings, infos, isPicked = false }: SentRun): string {
  const counts = countsInWords({ error: errors, warning: warnings, info: infos })
  const how = state === 'failed' && exitCode !== null ? `failed with exit code ${exitCode}` : states[state]
  const most = isPicked ? mostPicked : mostProblems
  const more = problems.length - most
  const end = output.length <= longestEnd ? output : output.slice(-longestEnd).replace(/^[^\n]*\n/, '[…]\n')
  const fence = '`'.repeat(Math.max(2, ...[...end.matchAll(/`+/g)].map(([run]) => run.length)) + 1)
  return [
    `## ${name}`,
    `\`${command.replaceAll('`', "'").replaceAll('\n', ' ')}\` ${how}${counts === '' ? '' : `: ${counts}`}.`,
    isPicked ? 'Fix only these of them, which a person has picked:' : '',
    problems.slice(0, most).map(lineOf).join('\n') + (more > 0 ? `\n- and ${more} more` : ''),
    // The output also mentions all the other problems.
    isPicked || end.trim() === '' ? '' : `The end of what it printed:\n\n${fence}\n${end}\n${fence}`
  ].filter((part) => part !== '').join('\n\n')
}

function lineOf ({ path, file, line, column, severity, text, code }: Problem): string {
  const at = [path ?? file, ...line === null ? [] : [line], ...line === null || column === null ? [] : [column]].join(':')
  return `- ${at} ${severity}${code === null ? '' : ` ${code}`}: ${text.replaceAll('\n', ' ')}`
}
