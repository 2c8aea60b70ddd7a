import { screenWords } from '../words/index.js'
import { type Setting } from './table.js'

/** Returns the words of a choice; a value that the app does not know is shown as it is. */
export function shownChoice ({ key }: Setting, choice: string): string {
  const w = screenWords.value.settings
  return key === 'own_language' && choice === '' ? w.asService : w.choice(choice)
}
