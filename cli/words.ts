import { wholeTo } from '../services/ground/text/whole-characters.js'

/** Returns `1 turn`, `2 turns`. */
export const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`

const units = [['d', 86_400], ['h', 3_600], ['min', 60], ['s', 1]] as const

/** Returns a time in seconds in its two largest units: `3 h 12 min`. */
export function duration (seconds: number): string {
  let rest = Math.max(0, Math.round(seconds))
  const parts = units.flatMap(([unit, size]) => {
    const count = Math.floor(rest / size)
    rest -= count * size
    return count === 0 ? [] : [`${count} ${unit}`]
  })
  return parts.length === 0 ? '0 s' : parts.slice(0, 2).join(' ')
}

/** Returns a time in epoch seconds as `2026-11-22 03:00`, in this machine's time zone. */
export function moment (seconds: number): string {
  const local = new Date(seconds * 1_000 - new Date(seconds * 1_000).getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16).replace('T', ' ')
}

/** Returns rows below their headings, in aligned columns. The last column is cut at the width of the terminal, if output goes to one. */
export function columns (headings: readonly string[], rows: ReadonlyArray<readonly string[]>, width = terminalWidth()): string {
  const widths = headings.map((heading, index) => Math.max(heading.length, ...rows.map((row) => (row[index] ?? '').length)))
  const last = headings.length - 1
  const room = width - widths.slice(0, last).reduce((sum, each) => sum + each + 2, 0)
  const cut = (cell: string): string => cell.length > room && room >= (headings[last]?.length ?? 0) ? `${wholeTo(cell, room - 1)}…` : cell
  return [headings, ...rows]
    .map((row) => row.map((cell, index) => index === last ? cut(cell) : cell.padEnd(widths[index] ?? 0)).join('  ').trimEnd()).join('\n')
}

const terminalWidth = (): number => process.stdout.isTTY ? process.stdout.columns : Infinity
