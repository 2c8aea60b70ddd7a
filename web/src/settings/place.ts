import { places } from '../shell/places.js'
import { type Setting } from './table.js'

/** The parts that are shown on other screens. */
const elsewhere: Readonly<Record<string, string>> = { default_model: places.models, provider_keys: places.models }

/** Returns the address of a setting: its page, and its position on it. */
export const addressOf = ({ key, page }: Setting): string => elsewhere[key] ?? `${places.settings}/${page}#${key}`

/** Whether choices are few and short enough to be shown side by side. */
export const isBrief = (choices: ReadonlyArray<{ text: string }>): boolean =>
  choices.length <= 4 && choices.reduce((sum, { text }) => sum + text.length, 0) <= 36
