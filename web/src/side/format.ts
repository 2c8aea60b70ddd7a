import { language } from '../words/index.js'

const units = ['B', 'KB', 'MB', 'GB', 'TB']

/** Formats a size, such as `3.4 KB`. */
export function sizeText (sizeBytes: number): string {
  let amount = sizeBytes
  let unit = 0
  while (amount >= 999.5 && unit < units.length - 1) {
    amount /= 1000
    unit++
  }
  return `${unit === 0 || amount >= 99.5 ? Math.round(amount) : amount.toPrecision(2)} ${units[unit]}`
}

/** Formats a time of today as the time, any other as the date, in the app's language. */
export function timeText (epochS: number): string {
  const locale = language.value === 'zh' ? 'zh-CN' : 'en'
  const date = new Date(epochS * 1000)
  const now = new Date()
  if (date.toDateString() === now.toDateString()) return date.toLocaleTimeString(locale, { hour: '2-digit', minute: '2-digit' })
  return date.toLocaleDateString(locale, {
    day: 'numeric', month: 'short', ...(date.getFullYear() !== now.getFullYear() && { year: 'numeric' as const })
  })
}
