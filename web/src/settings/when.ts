import { language } from '../words/index.js'

/** Formats a time in epoch seconds. */
export const when = (seconds: number): string =>
  new Intl.DateTimeFormat(language.value === 'zh' ? 'zh-CN' : 'en', { dateStyle: 'medium', timeStyle: 'short' }).format(seconds * 1_000)
