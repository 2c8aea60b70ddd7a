import { computed, signal, type ReadonlySignal } from '@preact/signals'
import { en, type Words } from './en/index.js'

export { type Words }

export const languages = { en: 'English', zh: '简体中文' } as const
export type Language = keyof typeof languages

const spoken = signal<{ language: Language, words: Words }>({ language: 'en', words: en })

/** What the app says, in the language that is chosen: `words.value.composer.send`. Read while drawing, it follows a change of language. */
export const words: ReadonlySignal<Words> = computed(() => spoken.value.words)
export const language: ReadonlySignal<Language> = computed(() => spoken.value.language)

/** Speaks another language from now on, and the next time. */
export async function speak (chosen: Language): Promise<void> {
  const words = chosen === 'zh' ? (await import('./zh/index.js')).zh : en
  spoken.value = { language: chosen, words }
  document.documentElement.lang = chosen === 'zh' ? 'zh-CN' : 'en'
  localStorage.setItem('language', chosen)
}

/** The language that was chosen, or else the browser's. */
export function usualLanguage (): Language {
  const chosen = localStorage.getItem('language')
  if (chosen === 'en' || chosen === 'zh') return chosen
  return /^zh\b/i.test(navigator.language) ? 'zh' : 'en'
}
