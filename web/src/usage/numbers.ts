import { type Wire } from '../core/service/api.js'

export type Insights = Wire<'Insights'>
export const periods = [7, 30, 90, 365] as const
export type Period = typeof periods[number]
export const scopes = ['turn', 'session', 'attempts', 'job', 'day'] as const
export type LimitScope = typeof scopes[number]
export const limitKeys = ['soft_usd', 'hard_usd', 'soft_tokens', 'hard_tokens'] as const
export type LimitKey = typeof limitKeys[number]

export interface Bar { key: string, text: string, values: number[] }

/** How many bars can be distinguished at most. */
const mostBars = 62

/** Returns how many days a bar stands for: one, or a week in long periods. */
export const daysPerBar = (days: number): number => days > mostBars ? 7 : 1

/** Returns days as bars, or weeks for long periods. `values` selects the shown values of a day. */
export function barsOf<Day extends { date: string }> (
  days: readonly Day[], values: (day: Day) => readonly number[], name: (date: Date) => string
): Bar[] {
  const every = daysPerBar(days.length)
  // Counted from the end, so that the last bar is a whole week up to today.
  const first = days.length % every === 0 ? 0 : days.length % every - every
  const bars: Bar[] = []
  for (let from = first; from < days.length; from += every) {
    const of = days.slice(Math.max(0, from), from + every)
    const [begin] = of
    if (begin === undefined) continue
    const sums = of.map(values).reduce((sum: number[], one) => one.map((value, at) => (sum[at] ?? 0) + value), [])
    bars.push({ key: begin.date, text: name(new Date(`${begin.date}T12:00:00`)), values: sums })
  }
  return bars
}

/** Whether nothing was used. */
export const isEmpty = ({ total_sessions: sessions, total_tokens: tokens, total_messages: messages }: Insights): boolean =>
  sessions === 0 && tokens === 0 && messages === 0

/** Whether a field is valid: empty, or a number above zero, whole for tokens. */
export function isLimit (key: LimitKey, text: string): boolean {
  const trimmed = text.trim()
  if (trimmed === '') return true
  return (key.endsWith('tokens') ? /^\d{1,15}$/ : /^\d{1,9}(?:\.\d{1,6})?$/).test(trimmed) && Number(trimmed) > 0
}

/** Returns the used share of a limit, from 0 to 1; null if there is no limit. */
export const shareOf = (used: number, limit: number | null): number | null => limit === null ? null : Math.min(1, used / limit)
