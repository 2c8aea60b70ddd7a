import { type Static } from '@sinclair/typebox'
import { type InsightsExport } from '../../schemas/insights.js'
import { type Day } from './period.js'
import { type ModelUse } from './rows.js'
import { toMoney } from './shares.js'

export type ExportRow = Static<typeof InsightsExport>[number]

/** A row for each day and model that was used on it, the oldest first. */
export function exportRows (days: Day[], used: ModelUse[][]): ExportRow[] {
  return days.flatMap(({ date }, index) => {
    const models = new Map<string, ExportRow>()
    for (const use of used[index]!) {
      const row = models.get(use.model) ?? { date, model: use.model, turns: 0, input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0, cost: null }
      models.set(use.model, row)
      row.turns += use.turns
      row.input_tokens += use.inputTokens
      row.output_tokens += use.outputTokens
      row.cache_read_tokens += use.cacheReadTokens
      row.cache_write_tokens += use.cacheWriteTokens
      if (use.cost !== null) row.cost = toMoney((row.cost ?? 0) + use.cost)
    }
    return [...models.values()]
  })
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
