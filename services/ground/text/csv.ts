/** Returns a line as RFC 4180 defines it. Text that a spreadsheet would take for a formula is quoted. */
export const toCsvLine = (cells: ReadonlyArray<string | number | null>): string => `${cells.map(cell).join(',')}\r\n`

function cell (value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
