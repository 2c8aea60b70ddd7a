/** One line of the table. Values that are compared have the same unit; `bare` was measured in the same run. */
export interface Row {
  measure: string
  value: number
  unit: string
  bare?: number
  /** Unit of the bare value where it is another one (a direct time beside an added one): no ratio then. */
  bareUnit?: string
  promise?: { least: number } | { most: number }
  note?: string
}

export interface Report {
  add (row: Row): void
  print (): void
  /** Rows whose promise was not kept. */
  missed (): Row[]
}

/** Collects rows, says each at once, and prints them all as a table at the end. */
export function createReport (): Report {
  const rows: Row[] = []
  return {
    add (row) {
      rows.push(row)
      console.log(`  ${cells(row).filter((cell) => cell !== '').join(' · ')}`)
    },
    print () {
      const table = [['measure', 'here', 'bare', 'ratio', 'promise', '', 'note'], ...rows.map(cells)]
      const widths = table[0]!.map((_, column) => Math.max(...table.map((line) => line[column]!.length)))
      console.log()
      for (const [index, line] of table.entries()) {
        console.log(line.map((cell, column) =>
          column === 0 || column === 6 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)).join('  ').trimEnd())
        if (index === 0) console.log(widths.map((width) => '-'.repeat(width)).join('  '))
      }
    },
    missed: () => rows.filter((row) => isMet(row) === false)
  }
}

function isMet ({ value, promise }: Row): boolean | null {
  if (promise === undefined) return null
  return 'least' in promise ? value >= promise.least : value <= promise.most
}

function cells (row: Row): string[] {
  const { measure, value, unit, bare, bareUnit, promise, note = '' } = row
  const met = isMet(row)
  return [
    measure,
    `${number(value)} ${unit}`,
    bare === undefined ? '' : `${number(bare)} ${bareUnit ?? unit}`,
    bare === undefined || bareUnit !== undefined || bare === 0 ? '' : `${number(value / bare)}×`,
    promise === undefined ? '' : 'least' in promise ? `≥ ${number(promise.least)}` : `≤ ${number(promise.most)}`,
    met === null ? '' : met ? 'met' : 'MISSED',
    note
  ]
}

function number (value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : Math.abs(value) >= 0.1 ? 2 : 3
  return Number(value.toFixed(digits)).toLocaleString('en')
}

/** The value below which `share` of the values lie. */
export function percentile (values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN
}

export const median = (values: readonly number[]): number => percentile(values, 0.5)
