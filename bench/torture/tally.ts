/** What the service acknowledges, and so must not lose. */
export const operations = [
  'turns', 'sessions', 'messages', 'approvals', 'steers', 'saves', 'uploads', 'renames', 'settings', 'side', 'rows', 'entries', 'slots',
  'goals', 'attempts', 'runs', 'responses', 'changes'
] as const
/** What is counted: how often it was tried (for operations: acknowledged by the service), and how often it was lost. */
export const kinds = ['kills', 'stops', 'starts', ...operations, 'frames', 'faults', 'readers', 'requests'] as const
export type Kind = typeof kinds[number]

/** Collects the findings of a scenario. A promise that was broken without a loss is `wrong`. */
export interface Tally {
  tried (kind: Kind, count?: number): void
  lost (kind: Kind, what: string): void
  /** Counts comparisons of what was acknowledged with what exists. */
  checked (count?: number): void
  wrong (what: string): void
  /** A figure for the reader, such as the slowest restart. */
  note (text: string): void
}

export interface Outcome {
  name: string
  tried: Partial<Record<Kind, number>>
  lost: Partial<Record<Kind, number>>
  checked: number
  /** A sentence for each loss and each broken promise, with the details needed to investigate it. */
  findings: string[]
  notes: string[]
  /** Processes, files and mounts that remained after everything had been stopped. */
  leftBehind: string[]
  skipped?: string
  seconds: number
}

export const isClean = (outcome: Outcome): boolean => outcome.findings.length === 0 && outcome.leftBehind.length === 0

/** How many findings of one scenario are printed in full; the rest is counted. */
const mostFindings = 40

export function createTally (outcome: Outcome): Tally {
  const found = (text: string): void => {
    if (outcome.findings.length < mostFindings) outcome.findings.push(text)
    else if (outcome.findings.length === mostFindings) outcome.findings.push('… and more, which is only counted')
  }
  return {
    tried (kind, count = 1) { outcome.tried[kind] = (outcome.tried[kind] ?? 0) + count },
    lost (kind, what) {
      outcome.lost[kind] = (outcome.lost[kind] ?? 0) + 1
      found(`lost (${kind}): ${what}`)
    },
    checked (count = 1) { outcome.checked += count },
    wrong: (what) => found(what),
    note (text) { outcome.notes.push(text) }
  }
}
