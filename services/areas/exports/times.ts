import { html, type Markup } from './markup.js'

/** Writes the times of one page: always the time of day, and the day when it differs from the previous one. */
export type ShowTime = (epochS: number | null) => Markup | null

export function createTimes (): ShowTime {
  let shownDay = ''
  return (epochS) => {
    const iso = isoTime(epochS)
    if (iso === null) return null
    const [day, time] = [iso.slice(0, 10), iso.slice(11, 16)]
    const text = day === shownDay ? time : `${day} ${time}`
    shownDay = day
    return html`<time datetime="${iso}">${text}</time>`
  }
}

/** Writes day and time in full; null if the time is not in a four-digit year. */
export function fullTime (epochS: number | null | undefined): Markup | null {
  const iso = isoTime(epochS ?? null)
  return iso === null ? null : html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC</time>`
}

export function duration (seconds: number): string {
  if (seconds < 0.1) return `${Math.max(1, Math.round(seconds * 1000))} ms`
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
}

function isoTime (epochS: number | null): string | null {
  if (epochS === null || !(epochS > 0 && epochS < 253_402_300_800)) return null
  return new Date(epochS * 1000).toISOString()
}
