import { ranked, type Searchable } from '../core/screen/palette-search.js'
import { screenWords } from '../words/index.js'
import { groupNames, groups, settingsTable, type PageName, type Setting } from './table.js'
import { shownChoice } from './say.js'
import { valueOf } from './store.js'
import { synonyms } from './synonyms/index.js'

/** A setting with the words by which it is found: its label, and all other texts about it. */
interface FoundSetting extends Searchable { readonly setting: Setting }

/** Returns all settings, searchable in the current language and by their synonyms in all languages. */
export function searchableSettings (): FoundSetting[] {
  const w = screenWords.value.settings
  return settingsTable.map((setting) => {
    const { key, page, choices = [] } = setting
    const [label = key, note = ''] = w.keys[key] ?? []
    const value = valueOf(setting)
    const said = [note, w.pages[page], ...choices.map((choice) => shownChoice(setting, choice)), synonyms[key] ?? '', key, page]
    return { setting, text: label, keywords: [...said, typeof value === 'string' || typeof value === 'number' ? value : ''].join(' ') }
  })
}

/** Returns the settings that match the typed text, the best first; none for an empty text. */
export const findSettings = (typed: string): Setting[] =>
  typed.trim() === '' ? [] : ranked(searchableSettings(), typed).map(({ setting }) => setting)

/** Returns the location of a setting, such as `You, Appearance`. */
export function placeOf (page: PageName): string {
  const w = screenWords.value.settings
  const group = groupNames.find((name) => groups[name].some((one) => one === page))
  return group === undefined ? w.pages[page] : w.inGroup(w.groups[group], w.pages[page])
}
