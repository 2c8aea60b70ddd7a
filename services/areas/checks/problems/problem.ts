export const severities = ['error', 'warning', 'info'] as const
export type Severity = typeof severities[number]

/** What a program says of a place in a file. Lines and columns from 1; null: it does not say. */
export interface Problem {
  /** Relative to the folder, and there; null: outside of it, or not to be found, so that nothing can be opened. */
  path: string | null
  /** As the program calls the file. */
  file: string
  line: number | null
  column: number | null
  severity: Severity
  text: string
  /** The rule or the number of the message, such as `no-unused-vars` or `TS2322`. */
  code: string | null
}

/** As a matcher has read it. */
export interface Found extends Pick<Problem, 'severity' | 'text'> {
  /** Where it may be, the best first: the frames of a stack, or one place. */
  places: ReadonlyArray<Pick<Problem, 'file' | 'line' | 'column'>>
  code?: string | null
  /** The line may be something else that only looks like it: it counts where the file is there. */
  isVague?: boolean
}

/** Lines of an output without what steers terminals, and the one that is looked at. */
export interface Place { lines: readonly string[], at: number }

/** Reads the problem that a line tells of, with those around it; null: none that it knows. */
export type Matcher = (line: string, place: Place) => Found | null

export function severityOf (word: string | undefined): Severity {
  const name = (word ?? '').toLowerCase()
  if (/^(?:warn|w$|⚠|c$|r$)/.test(name) || name === 'convention' || name === 'refactor') return 'warning'
  return /^(?:info|note|hint|help|style|i$|n$|s$)/.test(name) ? 'info' : 'error'
}

/** What one place says, as matchers make it. */
export function found (
  file: string, line: string | number | undefined, column: string | number | undefined, severity: Severity, text: string,
  more: Pick<Found, 'code' | 'isVague'> = {}
): Found {
  return { places: [{ file, line: numberOf(line), column: numberOf(column) }], severity, text: text.trim(), ...more }
}

export function numberOf (value: string | number | undefined): number | null {
  const number = Number(value)
  return value === undefined || !Number.isSafeInteger(number) || number < 1 || number > 10_000_000 ? null : number
}

/** The nearest line above that `wanted` says something of, `most` lines back at most. */
export function above<T> ({ lines, at }: Place, most: number, wanted: (line: string) => T | null): T | null {
  for (let back = at - 1; back >= Math.max(0, at - most); back--) {
    const said = wanted(lines[back] ?? '')
    if (said !== null) return said
  }
  return null
}
