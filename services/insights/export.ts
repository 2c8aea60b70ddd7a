import { type Static } from '@sinclair/typebox'
import { type InsightsExport } from '../../schemas/insights.js'
import { type ModelDay } from './daily-use.js'
import { type Day } from '../ground/day.js'
import { toMoney } from './shares.js'

export type ExportRow = Static<typeof InsightsExport>[number]

/** A row for each day and model that was used on it, the oldest first. */
export function exportRows (days: Day[], used: ModelDay[][]): ExportRow[] {
  return days.flatMap(({ date }, index) => used[index]!.map(({ model, turns, cost, ...use }): ExportRow => ({
    date,
    model,
    turns,
    input_tokens: use.inputTokens,
    output_tokens: use.outputTokens,
    cache_read_tokens: use.cacheReadTokens,
    cache_write_tokens: use.cacheWriteTokens,
    cost: cost === null ? null : toMoney(cost)
  })))
}

const columns = ['date', 'model', 'turns', 'input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_write_tokens', 'cost'] as const

/** As RFC 4180 wants it, with a line of names. What a spreadsheet would take for a formula is quoted as text. */
export function toCsv (rows: ExportRow[]): string {
  return [columns.join(','), ...rows.map((row) => columns.map((column) => cell(row[column])).join(','))].map((line) => `${line}\r\n`).join('')
}

function cell (value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
