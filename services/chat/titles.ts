const provisionalChars = 64
const titleWords = 6

/** The title until the automatic one: the message's beginning, without the marker of attached files. */
export function provisionalTitle (message: string): string {
  const text = message.replace(/\[Attached files:[\s\S]*?\]/g, '').replaceAll(/\s+/g, ' ').trim()
  return [...text].slice(0, provisionalChars).join('').trim()
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
