import { stripVTControlCharacters } from 'node:util'
import { materialBlock } from '../../ground/quoted-material.js'
import { wholeTo } from '../../ground/text/whole-characters.js'
import { redact } from '../../ground/redaction/index.js'
import { visible, visibleProse, withoutUnseenWords } from '../../ground/text/visible.js'
import { type Check, type LogTail, type Pull, type Thread } from './forge.js'

/** How much of each log and of each comment a model reads. */
const logChars = 12_000
const commentChars = 4_000
/** The author of a check chooses its name: the limit keeps it from being a text of its own beside the request. */
const nameChars = 80

/** Prepares a text of a forge for people: credentials masked, unseen words removed, and signs in place of invisible characters. */
export const maskedText = (text: string): string => visibleProse(withoutUnseenWords(redact(stripVTControlCharacters(text))))

/** Does the same for a text that may be long, and cuts it. */
export function shownWithin (text: string, chars: number): string {
  const cut = wholeTo(text, chars)
  return cut.length < text.length ? `${maskedText(cut)} […]` : maskedText(cut)
}

/** Returns a log as plain text: without colours, section marks, times at the beginning of lines, and overwritten text. */
export function plainLog (text: string): string {
  const lines = stripVTControlCharacters(text.replaceAll(/section_(?:start|end):\d+:[^\r\n]*\r/g, '')).split('\n').map((line) =>
    lastWritten(line).replace(/^\uFEFF?\d{4}-\d\d-\d\dT[\d:.]+Z /, '').replace(/^##\[(?:group|endgroup)\]/, ''))
  return visible(redact(lines.join('\n'))).trimEnd()
}

/** Returns the final content of a line that was overwritten, as progress lines are. */
function lastWritten (line: string): string {
  const ended = line.replace(/(?<!\r)\r+$/, '')
  return ended.slice(ended.lastIndexOf('\r') + 1)
}

/**
 * Returns the message of a turn that fixes checks, or does what comments ask for. Texts by others are quoted as material, not as
 * instructions.
 */
export function requestToMend (
  { number, title }: Pull,
  { asked, failed, threads }: { asked: string, failed: ReadonlyArray<{ check: Check, log: LogTail }>, threads: readonly Thread[] }
): string {
  const name = `pull request #${number}`
  const nameOf = (check: Check): string => wholeTo(maskedText(check.name), nameChars)
  const usual = [
    failed.length > 0 &&
      `These checks of ${name} failed: ${failed.map(({ check }) => JSON.stringify(nameOf(check))).join(', ')}. Find the cause, fix it in this folder, and run what the check runs.`,
    threads.length > 0 &&
      `Look at the comments on ${name} below. Change what is right about them, and say for each what you did or why you did nothing.`
  ].filter((part) => part !== false).join(' ')
  return [
    `${asked.trim() === '' ? usual : asked.trim()} Do not push.`,
    ...failed.map(({ check, log }) => materialBlock('check_log', { job: nameOf(check), text: lastOf(log) }, logChars + 200)),
    ...threads.map(({ path, line, comments }) => materialBlock('pull_comments', {
      job: path === null ? maskedText(title) : `${maskedText(path)}${line === null ? '' : `:${line}`}`,
      text: comments.map(({ author, body }) => `${maskedText(author)}: ${wholeTo(maskedText(body), commentChars)}`).join('\n\n')
    }, 4 * commentChars))
  ].join('\n\n')
}

function lastOf ({ text, isCut }: LogTail): string {
  const plain = plainLog(text)
  if (plain.trim() === '') return '(the log is empty)'
  if (plain.length <= logChars) return isCut ? `[… earlier lines left out …]\n${plain}` : plain
  const end = plain.slice(-logChars)
  return `[… earlier lines left out …]\n${end.slice(end.indexOf('\n') + 1)}`
}

/** Splits a message with a subject and a body into title and text of a pull request. */
export function titleAndBody (message: string): { title: string, body: string } {
  const [title = '', ...rest] = message.split('\n')
  return { title: title.slice(0, 250), body: rest.join('\n').trim() }
}

/** Describes a branch without a model: by its only commit, or by its name and the subjects. */
export function summaryOf (branch: string, commits: readonly string[]): { title: string, body: string } {
  const [only] = commits
  if (commits.length === 1 && only !== undefined) return titleAndBody(only)
  const name = branch.replace(/^.*\//, '').replaceAll(/[-_]+/g, ' ').trim()
  return {
    title: name === '' ? branch : name[0]?.toUpperCase() + name.slice(1),
    body: [...commits].reverse().map((message) => `- ${message.split('\n', 1)[0] ?? ''}`).join('\n')
  }
}
