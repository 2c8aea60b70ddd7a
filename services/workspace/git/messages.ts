import { posix } from 'node:path'
import { Conflict } from '../../ground/errors.js'
import { type Log } from '../../ground/log.js'
import { redact } from '../../ground/redaction/index.js'
import { wholeTo } from '../../ground/text/whole-characters.js'
import { type ChangesToDescribe } from './engine.js'

/** `source`: whether a language model wrote it, or it was composed by rules from the names of the files alone. */
export interface CommitMessage { message: string, truncated: boolean, source: 'model' | 'summary' }

/** The input for the model. Credentials are masked. */
export interface CommitMaterial { diff: string, files: string[], truncated: boolean }

export interface CommitMessagesOptions {
  /**
   * Asks a model of the session's profile. Resolves to null if there is none, or none that
   * answers. Throws Conflict if no model may be asked.
   */
  ask: (sessionId: string, material: CommitMaterial) => Promise<string | null>
  log: Log
}

export function createCommitMessages ({ ask, log }: CommitMessagesOptions) {
  return {
    /**
     * Writes a message. Without an answer from a model, the message only says which files have changed.
     * Throws Conflict when no model may be asked.
     */
    async write (sessionId: string, changes: ChangesToDescribe): Promise<CommitMessage> {
      const material = { diff: redact(changes.diff), files: changes.files.map(fileLine), truncated: changes.truncated }
      const answer = await ask(sessionId, material).catch((error: unknown) => {
        if (error instanceof Conflict) throw error
        log('a commit message could not be generated', { sessionId, reason: String(error) })
        return null
      })
      const message = answer === null ? '' : cleanMessage(answer)
      return message === ''
        ? { message: redact(summaryMessage(changes.files)), truncated: changes.truncated, source: 'summary' }
        : { message: redact(message), truncated: changes.truncated, source: 'model' }
    }
  }
}

export type CommitMessages = ReturnType<typeof createCommitMessages>

const longestMessage = 4_000
const bodyColumns = 72
const listedFiles = 20

/**
 * Extracts a commit message from a model's answer: removes fences, quotation marks, labels and surrounding talk, and puts the subject on
 * a line of its own. Returns an empty string if nothing usable is left. Pure.
 */
export function cleanMessage (answer: string): string {
  const text = answer.replaceAll(/\r\n?/g, '\n').replaceAll(/[^\P{Cc}\n\t]/gu, '')
  const all = text.split('\n')
  const lines = (fencedIn(all) ?? all).map((line) => line.trimEnd())
  const begin = lines.findIndex((line) => line !== '' && !isTalk(line))
  const end = lines.findLastIndex((line) => line !== '' && !isAfterthought(line)) + 1
  const [first = '', ...rest] = begin === -1 ? [] : lines.slice(begin, end)
  const subject = first.replace(/^[\s#*]*(?:(?:commit )?(?:message|subject|title)\s*:)?[\s*"'`“]*/i, '').replace(/[\s"'`”*]+$/, '').replace(
    /(?<=\w)\.$/, ''
  )
  if (subject === '') return ''
  const body = rest.join('\n').replace(/^\n+/, '').replaceAll(/\n{3,}/g, '\n\n').replace(/^(?:body|description)\s*:\s*/i, '').replace(
    /["`]+$/, ''
  )
  const message = body === '' ? subject : `${subject}\n\n${body}`
  return wholeTo(message, longestMessage).trimEnd()
}

/** Returns the lines of the first code block that is closed; null if there is none. */
function fencedIn (lines: readonly string[]): string[] | null {
  for (const [at, line] of lines.entries()) {
    const [, marks] = /^[ \t]*(`{3,}|~{3,}(?!~))[^`]*$/.exec(line) ?? []
    const end = marks === undefined ? -1 : lines.findIndex((later, index) => index > at && later.trimEnd().endsWith(marks))
    const last = lines[end]
    if (marks !== undefined && last !== undefined) return [...lines.slice(at + 1, end), last.trimEnd().slice(0, -marks.length)]
  }
  return null
}

/** Whether a line is an introduction such as `Here is the commit message:`. */
function isTalk (line: string): boolean {
  return /^(?:(?:sure|certainly|of course|okay|ok)\b[^]*|(?:here(?:'s| is| are)|below is|this is|the following)\b[^]*:|(?:\W*(?:suggested |generated |proposed )?(?:git )?commit message\W*))$/i.test(line.trim())
}

function isAfterthought (line: string): boolean {
  return /^(?:let me know|feel free|i hope|hope this|would you like|this (?:commit )?message (?:follows|describes|summari[sz]es)|note: (?:this|the) (?:message|diff))\b/i.test(line.trim())
}

/** Describes changes by the names of the files alone. Pure. */
export function summaryMessage (files: ChangesToDescribe['files']): string {
  const lines = files.slice(0, listedFiles).map((file) => `- ${fileLine(file)}`)
  const more = files.length > listedFiles ? [`- and ${files.length - listedFiles} more`] : []
  return files.length === 1 ? subjectOf(files) : `${subjectOf(files)}\n\n${[...lines, ...more].join('\n')}`
}

function subjectOf (files: ChangesToDescribe['files']): string {
  const kinds = new Set(files.map(({ status }) => verbs[status] ?? 'Update'))
  const [kind = 'Update'] = kinds.size === 1 ? kinds : ['Update']
  const [only] = files
  if (files.length === 1 && only !== undefined) {
    const subject = only.oldPath !== null && kind === 'Rename'
      ? `${kind} ${oneLine(only.oldPath)} to ${oneLine(only.path)}`
      : `${kind} ${oneLine(only.path)}`
    return subject.length <= bodyColumns ? subject : `${kind} ${oneLine(posix.basename(only.path))}`
  }
  const folder = commonFolder(files.map(({ path }) => path))
  const subject = `${kind} ${files.length} files${folder === '' ? '' : ` in ${oneLine(folder)}`}`
  return subject.length <= bodyColumns ? subject : `${kind} ${files.length} files`
}

const verbs: Record<string, string> = { A: 'Add', '??': 'Add', D: 'Delete', R: 'Rename', C: 'Copy' }

function fileLine ({ path, oldPath, status, additions, deletions }: ChangesToDescribe['files'][number]): string {
  const lines = additions + deletions === 0 ? '' : ` (+${additions} -${deletions})`
  return `${(verbs[status] ?? 'Update').toLowerCase()} ${oldPath === null ? '' : `${oneLine(oldPath)} to `}${oneLine(path)}${lines}`
}

function commonFolder (paths: string[]): string {
  const folders = paths.map((path) => path.split('/').slice(0, -1))
  const [first = []] = folders
  let depth = 0
  while (depth < first.length && folders.every((parts) => parts[depth] === first[depth])) depth++
  return first.slice(0, depth).join('/')
}

function oneLine (name: string): string {
  return name.replaceAll(/[\p{Cc}\s]+/gu, ' ')
}
