import { isBlank } from '../../ground/text/visible.js'
import { isDocument } from '../../workspace/files/index.js'
import { planPath } from '../plans/index.js'

/** A comment as the agent reads it. */
export interface SentComment {
  id: string
  /** The present path of its file. */
  path: string
  side: 'old' | 'new'
  line: number
  endLine: number
  lines: readonly string[]
  text: string
}

const longestAnswer = 2_000

/** Removes characters that control a terminal or change the reading direction. */
export const plainText = (text: string): string =>
  text.replaceAll('\r\n', '\n').replace(/(?![\n\t])[\p{Cc}\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu, '')

/** Returns a fence that no line of the text can close. */
function fenceFor (text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  return '`'.repeat(longest + 1)
}

/** Builds the one message of a review: each comment with its id, file, side and quoted lines. */
export function messageOf (comments: readonly SentComment[], note: string): string {
  const files = new Set(comments.map(({ path }) => path)).size
  const head = `Review: ${counted(comments.length, 'comment')} on ${counted(files, 'file')}.`
  const isOfPlan = comments.every(({ path }) => path === planPath)
  const how = `Work through every comment: ${isOfPlan ? 'change the plan with write_plan' : 'change the code'}, or answer. End with one line for each, which begins with its id in brackets ` +
    'and says what you did or answers it, such as `[id] Renamed it.`'
  return [head, ...(isBlank(note) ? [] : [plainText(note).trim()]), how, ...comments.map(commentText)].join('\n\n')
}

/** The beginning of a comment in the message, by which the message is known that has it: a person may write only its id. */
export const headingOf = (id: string): string => `### [${id}] `

function commentText ({ id, path, side, line, endLine, lines, text }: SentComment): string {
  const at = endLine > line ? `lines ${line} to ${endLine}` : `line ${line}`
  const there = isDocument(path) ? `${at} of its text` : at
  const of = side === 'old' ? `${there} before the change` : there
  const quoted = lines.map(plainText).join('\n')
  const fence = fenceFor(quoted)
  const said = plainText(text).trim().split('\n').map((said) => `> ${said}`.trimEnd()).join('\n')
  return [`${headingOf(id)}${inCode(path)}, ${of}`, ...(quoted === '' ? [] : [`${fence}\n${quoted}\n${fence}`]), said].join('\n\n')
}

function inCode (path: string): string {
  const name = plainText(path).replaceAll('\n', ' ').replaceAll('\t', ' ')
  const fence = '`'.repeat(Math.max(0, ...[...name.matchAll(/`+/g)].map(([run]) => run.length)) + 1)
  return fence === '`' ? `\`${name}\`` : `${fence} ${name} ${fence}`
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

const answerStart = /^\s*(?:[-*+>]\s+|\d+[.)]\s+|#{1,6}\s+)?[*_`]*\[([\w-]{1,64})\](.*)$/

/** Returns the answer to each of these ids: the last line that begins with the id, and the lines below it up to an empty one. */
export function answersIn (answer: string, ids: readonly string[]): Map<string, string> {
  const wanted = new Set(ids)
  const found = new Map<string, string[]>()
  let at: string[] | null = null
  let fence: string | null = null
  for (const line of answer.split('\n')) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1]
    if (mark !== undefined) {
      if (fence === null) fence = mark
      else if (mark.startsWith(fence)) fence = null
      at = null
      continue
    }
    if (fence !== null) continue
    const [, id = '', rest = ''] = answerStart.exec(line) ?? []
    const said = rest.replace(/^[*_`]*\s*[:.—–-]?\s*/, '')
    if (wanted.has(id)) {
      at = said === '' ? [] : [said]
      found.set(id, at)
    } else if (line.trim() === '') {
      // Below a heading, the answer begins after an empty line.
      if (at !== null && at.length > 0) at = null
    } else if (/^\s*#{1,6}\s/.test(line)) at = null
    else at?.push(line.trim())
  }
  return new Map([...found].map(([id, lines]) => [id, lines.join('\n').trim().slice(0, longestAnswer)] as const)
    .filter(([, said]) => said !== ''))
}
