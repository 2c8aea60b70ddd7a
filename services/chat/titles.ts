import { firstCharacters } from '../ground/redaction/index.js'

const provisionalChars = 64
const titleWords = 6

/** The title until the automatic one: the message's beginning, without the marker of attached files. */
export function provisionalTitle (message: string): string {
  const text = message.replace(/\[Attached files:[\s\S]*?\]/g, '').replaceAll(/\s+/g, ' ').trim() || attachedName(message)
  return firstCharacters(text, provisionalChars).trim()
}

/** A message that is nothing but files is called after the first of them. */
function attachedName (message: string): string {
  return /\[Attached files:\s*(?:[^\],]*\/)?([^\],/]+)/.exec(message)?.[1]?.trim() ?? ''
}

/** A title without a model: the first words of the question. */
export function firstWords (message: string): string {
  const words = provisionalTitle(message).split(' ')
  return words.slice(0, titleWords).join(' ') + (words.length > titleWords ? '…' : '')
}

/** What the title model reads: the beginning of the conversation. */
export function titleInput (question: string, answer: string): string {
  return `User: ${question.slice(0, 2_000)}\n\nAssistant: ${answer.slice(0, 2_000)}`
}
