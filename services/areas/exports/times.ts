import { html, type Markup } from './markup.js'
import { saidDay } from './page-texts.js'

/** Writes the times of one page, in UTC: the time of day when its minute differs from the previous one, with the day when that differs. */
export type ShowTime = (epochS: number | null) => Markup | null

export function createTimes (): ShowTime {
  let shown = ''
  return (epochS) => {
    const iso = isoTime(epochS)
    const minute = iso?.slice(0, 16) ?? shown
    if (iso === null || minute === shown) return null
    const isSameDay = minute.startsWith(shown.slice(0, 10)) && shown !== ''
    shown = minute
    return html`<time datetime="${iso}">${isSameDay ? null : html`${saidDay(iso.slice(0, 10))} `}${clockOf(iso)}</time>`
  }
}

/** Writes day and time in full; null if the time is not in a four-digit year. */
export function fullTime (epochS: number | null | undefined): Markup | null {
  const iso = isoTime(epochS ?? null)
  return iso === null ? null : html`<time datetime="${iso}">${saidDay(iso.slice(0, 10))} ${clockOf(iso)} UTC</time>`
}

export function duration (seconds: number): string {
  if (seconds < 0.1) return `${Math.max(1, Math.round(seconds * 1000))} ms`
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
}

/** As the app writes it: `9:41`. */
const clockOf = (iso: string): string => iso.slice(11, 16).replace(/^0/, '')

function isoTime (epochS: number | null): string | null {
  if (epochS === null || !(epochS > 0 && epochS < 253_402_300_800)) return null
  return new Date(epochS * 1000).toISOString()
}
