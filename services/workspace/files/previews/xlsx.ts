import { type Cell } from './kinds.js'
import { packed } from './packed.js'
import { optional, Unreadable } from './unreadable.js'

export const mostSheets = 50
export const mostRows = 1_000
export const mostColumns = 100
const mostCells = 50_000
/** Most characters of all cells together: the same text can be in each of them. */
const mostChars = 2_000_000
/** Largest number of cells in the rectangle around a sheet: it is filled in memory, even where cells are empty. */
const mostArea = 2_000_000

export interface Workbook { sheets: Array<{ name: string, rows: Cell[][] }>, isTruncated: boolean }

/** Returns the sheets of a workbook, each from its first row. Throws Unreadable, Unavailable. */
export async function xlsxSheets (parts: Map<string, Buffer>): Promise<Workbook> {
  const { default: readXlsxFile } = await optional('read-excel-file', async () => await import('read-excel-file/node'))
  for (const [name, part] of parts) if (/worksheets\/[^/]*\.xml$/i.test(name)) refuseHugeArea(part.toString())
  const all = await readXlsxFile(await packed(parts)).catch(() => {
    throw new Unreadable('The document is damaged, or not what its name says')
  })
  const room = new Room()
  let isTruncated = all.length > mostSheets
  const sheets = all.slice(0, mostSheets).map(({ sheet, data }) => {
    const rows: Cell[][] = []
    for (const row of data) {
      const shown = row.slice(0, mostColumns).map(asCell)
      if (shown.length < row.length) isTruncated = true
      if (rows.length >= mostRows || !room.has(shown)) {
        isTruncated = true
        break
      }
      rows.push(shown)
    }
    return { name: sheet, rows }
  })
  return { sheets, isTruncated }
}

/** Limits how much of a workbook is shown. */
export class Room {
  #cells = 0
  #chars = 0

  /** Counts a row, and returns whether it still fits. */
  has (row: readonly Cell[]): boolean {
    this.#cells += row.length
    this.#chars += row.reduce((sum: number, cell) => sum + (typeof cell === 'string' ? cell.length : 8), 0)
    return this.#cells <= mostCells && this.#chars <= mostChars
  }
}

/** Formats the name and the rows of each sheet, with tabs between cells. */
export function sheetsAsText (sheets: Workbook['sheets']): string {
  return sheets.map(({ name, rows }) => [
    `# ${name}`, ...rows.map((row) => row.map((cell) => String(cell ?? '').replaceAll(/[\t\r\n]+/g, ' ')).join('\t').trimEnd())
  ].join('\n')).join('\n\n')
}

function asCell (value: unknown): Cell {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString()
  return typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value)) ? value : null
}

/** Throws Unreadable if the sheet is too large: a single cell far out would make a table of billions of cells. */
function refuseHugeArea (sheet: string): void {
  let rows = 1
  let columns = 1
  for (const [, place = ''] of sheet.matchAll(/\sr\s*=\s*["']([^"']*)["']/g)) {
    const [, letters, digits] = /^([A-Z]{0,3})(\d{1,7})$/i.exec(place) ?? []
    if (letters === undefined || digits === undefined) throw new Unreadable('The document is damaged, or not what its name says')
    rows = Math.max(rows, Number(digits))
    columns = Math.max(columns, columnNumber(letters))
  }
  if (rows * columns > mostArea) throw new Unreadable('The tables of the document are too large', 'too_large')
}

function columnNumber (letters: string): number {
  return [...letters.toUpperCase()].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0)
}
