import { wholeEnd, wholeTo } from '../../ground/text/whole-characters.js'

/**
 * How texts of a conversation are shown to a model that judges or summarises them: as quoted material, marked line by line.
 * Each such task has an instruction whose first line names the task; the offline demo recognises tasks by it.
 */
export const compressionMark = 'Task: summarise the earlier part of a conversation.'
export const earlierSummaryLabel = 'earlier summary'
export const userLabel = 'user'
export const callLabel = 'assistant calls'

export const judgeMark = 'Task: judge whether a goal is met.'
export const visionMark = 'Task: describe an image.'
export const extractMark = 'Task: extract what matters from a web page.'
export const recallMark = 'Task: sum up what earlier conversations say.'
export const commitMark = 'Task: write a commit message.'
export const pullMark = 'Task: write a pull request.'
export const curateMark = 'Task: tidy a document.'
export const compareMark = 'Task: compare attempts at a task.'
export const reviewMark = 'Task: review the work of another model.'
export const answerLabel = 'last answer of the assistant'
export const turnsLabel = 'turns so far'

/** Returns a text under a label. Every line of it is marked, so nothing in it can pass for a label or an instruction. */
export function quoted (label: string, text: string): string {
  const lines = text.trim() === '' ? ['(empty)'] : text.replaceAll(/\r\n?|[\u2028\u2029]/g, '\n').split('\n')
  return `${label}:\n${lines.map((line) => `> ${line}`).join('\n')}`
}

/** Reads back what `quoted` wrote. */
export function readQuoted (text: string): Array<{ label: string, text: string }> {
  const blocks: Array<{ label: string, lines: string[] }> = []
  let open = false
  for (const line of text.split('\n')) {
    if (line.startsWith('> ')) {
      if (open) blocks.at(-1)?.lines.push(line.slice(2))
    } else {
      open = line.endsWith(':')
      if (open) blocks.push({ label: line.slice(0, -1), lines: [] })
    }
  }
  return blocks.map(({ label, lines }) => ({ label, text: lines.join('\n') }))
}

/** Shortens a text that is too long to its beginning and end, with a note of how much is missing between. Splits no character. */
export function cutMiddle (text: string, limit: number): string {
  if (text.length <= limit) return text
  const half = Math.floor(limit / 2)
  const head = wholeTo(text, half)
  const tail = wholeEnd(text, half)
  return `${head}\n[… ${text.length - head.length - tail.length} characters left out …]\n${tail}`
}
