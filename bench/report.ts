/** One line of the table. Compared values have the same unit; `bare` was measured in the same run. */
export interface Row {
  measure: string
  value: number
  unit: string
  bare?: number
  /** Unit of the bare value if it differs (a direct time beside an added one); then no ratio is shown. */
  bareUnit?: string
  promise?: { least: number } | { most: number }
  /** 99th percentile of the answer time. */
  p99Ms?: number
  /** CPU time of the service per answer, in microseconds, and that of the baseline. */
  processorUs?: number
  bareProcessorUs?: number
  /** Growth of the service's resident memory per 1,000 answers, in KiB. */
  growthKib?: number
  note?: string
}

/** A line chart: values of y by x, each on a logarithmic axis. */
export interface Curve {
  title: string
  xLabel: string
  yLabel: string
  series: Array<{ name: string, points: Array<[x: number, y: number]> }>
}

export interface Group { name: string, rows: Row[], curves: Curve[] }

export interface Report {
  /** Starts a group, and returns it; what is added afterwards belongs to it. */
  begin (group: string): Group
  /** Throws if nothing was measured. */
  add (row: Row): void
  draw (curve: Curve): void
  print (): void
  /** Returns the rows whose promise was not kept. */
  missed (): Row[]
}

export const headings = ['measure', 'here', 'bare', 'ratio', 'p99', 'processor', 'memory', 'promise', '', 'note'] as const

/** Collects rows, prints each at once, and prints all as a table at the end. */
export function createReport (): Report {
  const groups: Group[] = []
  const current = (): Group => groups.at(-1) ?? begin('rows')
  function begin (name: string): Group {
    const group = { name, rows: [], curves: [] }
    groups.push(group)
    return group
  }
  const rows = (): Row[] => groups.flatMap((group) => group.rows)
  return {
    begin,
    add (row) {
      if (Number.isNaN(row.value)) throw new Error(`"${row.measure}" has no value: what it measures did not happen.`)
      current().rows.push(row)
      console.log(`  ${cellsOf(row).filter((cell) => cell !== '').join(' · ')}`)
    },
    draw: (curve) => { current().curves.push(curve) },
    print () {
      const table: Array<readonly string[]> = [headings, ...rows().map(cellsOf)]
      const widths = headings.map((_, column) => Math.max(...table.map((line) => line[column]?.length ?? 0)))
      const isText = (column: number): boolean => column === 0 || column === headings.length - 1
      console.log()
      for (const [index, line] of table.entries()) {
        console.log(widths.map((width, column) =>
          isText(column) ? (line[column] ?? '').padEnd(width) : (line[column] ?? '').padStart(width)).join('  ').trimEnd())
        if (index === 0) console.log(widths.map((width) => '-'.repeat(width)).join('  '))
      }
    },
    missed: () => rows().filter((row) => isKept(row) === false)
  }
}

/** Whether the promise was kept; null if there is none. */
export function isKept ({ value, promise }: Row): boolean | null {
  if (promise === undefined) return null
  return 'least' in promise ? value >= promise.least : value <= promise.most
}

/** Returns a row as texts, in the order of the table's headings. */
export function cellsOf (row: Row): string[] {
  const { measure, value, unit, bare, bareUnit, promise, p99Ms, processorUs, bareProcessorUs, growthKib, note = '' } = row
  const isMet = isKept(row)
  return [
    measure,
    `${number(value)} ${unit}`.trimEnd(),
    bare === undefined ? '' : `${number(bare)} ${bareUnit ?? unit}`.trimEnd(),
    bare === undefined || bareUnit !== undefined || bare === 0 ? '' : `${number(value / bare)}×`,
    p99Ms === undefined ? '' : `${number(p99Ms)} ms`,
    processorUs === undefined ? '' : `${number(processorUs)}${bareProcessorUs === undefined ? '' : ` / ${number(bareProcessorUs)}`} µs`,
    growthKib === undefined ? '' : `${growthKib < 0 ? '−' : '+'}${number(Math.abs(growthKib))} KiB`,
    promise === undefined ? '' : 'least' in promise ? `≥ ${number(promise.least)}` : `≤ ${number(promise.most)}`,
    isMet === null ? '' : isMet ? 'kept' : 'MISSED',
    note
  ]
}

function number (value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : Math.abs(value) >= 0.1 ? 2 : 3
  return Number(value.toFixed(digits)).toLocaleString('en')
}

/** Returns the value below which `share` of the values lie. */
export function percentile (values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN
}

export const median = (values: readonly number[]): number => percentile(values, 0.5)
