import { batch, signal, type ReadonlySignal } from '@preact/signals'
import { tellSignInPage } from '../core/device/sign-in-page.js'
import { en, type ScreenWords, type StartWords, type Words } from './en/index.js'
import { isLanguage, type Language, languageOf, languages } from './languages.js'

export { type Words }

export { languageCodes, languages, type Language } from './languages.js'

const start = signal<StartWords>(en)
const screens = signal<ScreenWords | null>(null)
const spoken = signal<Language>('en')

/** The words of the start in the current language: `words.value.composer.send`. Read while drawing, they follow a change of language. */
export const words: ReadonlySignal<StartWords> = start
export const language: ReadonlySignal<Language> = spoken

/** The words of parts that are loaded on first use; `lazy` loads both. */
export const screenWords = {
  get value (): ScreenWords {
    if (screens.value === null) throw new Error('These words belong to what is loaded by `lazy`')
    return screens.value
  }
}

/** Loads the words of screens in the current language. */
export async function loadScreenWords (): Promise<void> {
  const chosen = spoken.peek()
  const loaded = await languages[chosen].screens()
  if (chosen === spoken.peek()) screens.value = loaded
  // Another language was chosen meanwhile. It has not loaded its own if no part of the app had asked for them by then.
  else if (screens.peek() === null) await loadScreenWords()
}

/** Changes the language, also for the next start. Rejects if its words cannot be loaded; nothing changes then. */
export async function speak (chosen: Language): Promise<void> {
  const asked = ++asks
  const starting = await languages[chosen].start()
  // Looked at only now: a part of the app may have loaded its words meanwhile, in the language until now.
  const loaded = screens.peek() === null ? null : await languages[chosen].screens()
  // Another language was requested meanwhile, and was loaded sooner.
  if (asked !== asks) return
  batch(() => {
    spoken.value = chosen
    start.value = starting
    if (loaded !== null) screens.value = loaded
  })
  document.documentElement.lang = languages[chosen].tag
  localStorage.setItem(spokenLast, chosen)
  tellSignInPage('app_language', chosen)
}

let asks = 0
const spokenLast = 'language'
const chosenHere = 'language-chosen'
const known = (value: unknown): Language | null => isLanguage(value) ? value : null
const own = signal(known(globalThis.localStorage?.getItem(chosenHere)))

/** The language chosen on this device; null: the service's. */
export const ownLanguage: ReadonlySignal<Language | null> = own

/** Sets this device's language; null: the service's again. Rejects if its words cannot be loaded; nothing changes then. */
export async function chooseLanguage (chosen: Language | null): Promise<void> {
  if (chosen === null) localStorage.removeItem(chosenHere)
  else {
    await speak(chosen)
    localStorage.setItem(chosenHere, chosen)
  }
  own.value = chosen
}

// Another window of this browser has changed it.
globalThis.addEventListener?.('storage', ({ key, newValue }) => { if (key === chosenHere) own.value = known(newValue) })

/** The language that was used last, or else the browser's. */
export const usualLanguage = (): Language => known(localStorage.getItem(spokenLast)) ?? browserLanguage()

/**
 * The language chosen on this device, else the service's, else the browser's. `ofService`: a tag such as `zh-CN`; null: none was chosen.
 */
export const wantedLanguage = (ofService: unknown): Language =>
  own.value ?? languageOf(ofService) ?? browserLanguage()

/** The first of the browser's languages that the app speaks. */
const browserLanguage = (): Language =>
  navigator.languages.map(languageOf).find((code) => code !== null) ?? 'en'
