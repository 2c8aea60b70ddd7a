import { en, type ScreenWords, type StartWords } from './en/index.js'

/** A language of the app. Its words are loaded when it is chosen; those of English come with the app. */
interface LanguageOfApp {
  /** What it calls itself. */
  readonly name: string
  /** For the page and for times, as BCP 47 has it. */
  readonly tag: string
  /** The words that the start of the app needs. */
  readonly start: () => Promise<StartWords>
  /** The words of parts that are loaded on first use. */
  readonly screens: () => Promise<ScreenWords>
}

/** Every language of the app, in the order in which they are offered. docs/development.md says how one is added. */
export const languages = {
  en: {
    name: 'English', tag: 'en',
    start: async () => await Promise.resolve(en), screens: async () => await import('./en/screens.js')
  },
  zh: {
    name: '简体中文', tag: 'zh-CN',
    start: async () => (await import('./zh/index.js')).zh, screens: async () => await import('./zh/screens.js')
  },
  de: {
    name: 'Deutsch', tag: 'de',
    start: async () => (await import('./de/index.js')).de, screens: async () => await import('./de/screens.js')
  },
  fr: {
    name: 'Français', tag: 'fr',
    start: async () => (await import('./fr/index.js')).fr, screens: async () => await import('./fr/screens.js')
  },
  es: {
    name: 'Español', tag: 'es',
    start: async () => (await import('./es/index.js')).es, screens: async () => await import('./es/screens.js')
  },
  ja: {
    name: '日本語', tag: 'ja',
    start: async () => (await import('./ja/index.js')).ja, screens: async () => await import('./ja/screens.js')
  }
} as const satisfies Record<string, LanguageOfApp>

export type Language = keyof typeof languages

export const isLanguage = (value: unknown): value is Language => typeof value === 'string' && Object.hasOwn(languages, value)

export const languageCodes: readonly Language[] = Object.keys(languages).filter(isLanguage)

/** The language of a tag such as `zh-CN`; null where the app does not speak it. */
export function languageOf (tag: unknown): Language | null {
  const code = String(tag).toLowerCase().split('-')[0]
  return isLanguage(code) ? code : null
}
