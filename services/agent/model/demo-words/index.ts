import { de } from './de.js'
import { en } from './en.js'
import { es } from './es.js'
import { fr } from './fr.js'
import { ja } from './ja.js'
import { type DemoWords } from './words.js'
import { zh } from './zh.js'

export { type DemoWords } from './words.js'

const languages: readonly DemoWords[] = [en, zh, de, fr, es, ja]

/** Returns the words for an answer to a message, in the language in which it asks for a turn of the tour, or else chosen by its script. */
export const demoWordsFor = (message: string): DemoWords =>
  languages.find(({ asks, task }) => message === task.prompt || Object.values(asks).some((form) => form.test(message))) ??
  (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(message) ? ja : /\p{Script=Han}/u.test(message) ? zh : en)

/** Returns a reply of the demo without the sentence that opens it; another text as it is. */
export function withoutDemoNotice (reply: string): string {
  const notice = languages.map((words) => words.notice).find((opening) => reply.startsWith(opening))
  return notice === undefined ? reply : reply.slice(notice.length).trimStart()
}
