export const severities = ['error', 'warning', 'info'] as const
export type Severity = typeof severities[number]

/** What a program reports about a place in a file. Lines and columns count from 1; null if it does not say. */
export interface Problem {
  /** Relative to the folder, for an existing file; null if it is outside or was not found, so that it cannot be opened. */
  path: string | null
  /** The file as the program calls it. */
  file: string
  line: number | null
  column: number | null
  severity: Severity
  text: string
  /** The rule or the number of the message, such as `no-unused-vars` or `TS2322`. */
  code: string | null
}

/** A problem as a matcher has read it. */
export interface MatchedProblem extends Pick<Problem, 'severity' | 'text'> {
  /** The possible places, best first: the frames of a stack, or one place. */
  places: ReadonlyArray<Pick<Problem, 'file' | 'line' | 'column'>>
  code?: string | null
  /** Whether the line may be something else that only looks like a problem: it counts only if the file exists. */
  isVague?: boolean
}

/** The lines of an output without terminal control sequences, and the index of the current one. */
export interface Place { lines: readonly string[], at: number }

/** Reads the problem that a line reports, with the lines around it; null if it recognises none. */
export type Matcher = (line: string, place: Place) => MatchedProblem | null

export function severityOf (word: string | undefined): Severity {
  const name = (word ?? '').toLowerCase()
  if (/^(?:warn|w$|⚠|c$|r$)/.test(name) || name === 'convention' || name === 'refactor') return 'warning'
  return /^(?:info|note|hint|help|style|i$|n$|s$)/.test(name) ? 'info' : 'error'
}

/** Builds a problem with one place, for matchers. */
export function problemAt (
  file: string, line: string | number | undefined, column: string | number | undefined, severity: Severity, text: string,
  more: Pick<MatchedProblem, 'code' | 'isVague'> = {}
): MatchedProblem {
  return { places: [{ file, line: numberOf(line), column: numberOf(column) }], severity, text: text.trim(), ...more }
}

export function numberOf (value: string | number | undefined): number | null {
  const number = Number(value)
  return value === undefined || !Number.isSafeInteger(number) || number < 1 || number > 10_000_000 ? null : number
}

/** Returns the nearest result of `wanted` for a line above, at most `most` lines back. */
export function above<T> ({ lines, at }: Place, most: number, wanted: (line: string) => T | null): T | null {
  for (let back = at - 1; back >= Math.max(0, at - most); back--) {
    const said = wanted(lines[back] ?? '')
    if (said !== null) return said
  }
  return null
}
