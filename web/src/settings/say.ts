import { languages, screenWords } from '../words/index.js'
import { isLanguage } from '../words/languages.js'
import { type Setting } from './table.js'

/** Returns the text of a choice; a value that the app does not know is shown as it is. */
export function shownChoice ({ key }: Setting, choice: string): string {
  const w = screenWords.value.settings
  if (key === 'own_language' && choice === '') return w.asService
  return isLanguage(choice) ? languages[choice].name : w.choice(choice)
}
