import { isClean, kinds, type Outcome } from './tally.js'

export function printOutcome (outcome: Outcome): void {
  if (outcome.skipped !== undefined) return console.log(`\n- ${outcome.name}: skipped, ${outcome.skipped}`)
  console.log(`\n${isClean(outcome) ? '✓' : '✗'} ${outcome.name} (${outcome.seconds.toFixed(1)} s): ${counts(outcome)}`)
  for (const note of outcome.notes) console.log(`    ${note}`)
  for (const finding of outcome.findings) console.log(`  ! ${finding}`)
  for (const found of outcome.leftBehind) console.log(`  ! left behind: ${found}`)
}

/** Prints the counts of all scenarios together, as a table of what was tried and what was lost. */
export function printSummary (outcomes: Outcome[], left: string[]): void {
  console.log('\n              tried     lost')
  for (const kind of kinds) {
    const [tried, lost] = [sum(outcomes, 'tried', kind), sum(outcomes, 'lost', kind)]
    if (tried + lost > 0) console.log(`${kind.padEnd(11)}${String(tried).padStart(8)} ${String(lost).padStart(8)}`)
  }
  const findings = outcomes.reduce((total, outcome) => total + outcome.findings.length, 0)
  const leftBehind = [...outcomes.flatMap((outcome) => outcome.leftBehind), ...left]
  const skipped = outcomes.filter((outcome) => outcome.skipped !== undefined).map(({ name }) => name)
  if (skipped.length > 0) console.log(`skipped: ${skipped.join(', ')}`)
  for (const found of left) console.log(`! left behind at the end: ${found}`)
  console.log(findings === 0 && leftBehind.length === 0
    ? 'Nothing was lost and nothing was left behind.'
    : `${findings} findings, ${leftBehind.length} things left behind.`)
}

function counts ({ tried, lost, checked }: Outcome): string {
  const parts = kinds.filter((kind) => (tried[kind] ?? 0) + (lost[kind] ?? 0) > 0)
    .map((kind) => `${tried[kind] ?? 0} ${kind}${lost[kind] === undefined ? '' : ` (${lost[kind]} LOST)`}`)
  if (checked > 0) parts.push(`${checked} comparisons`)
  return parts.length === 0 ? 'nothing tried' : parts.join(', ')
}

const sum = (outcomes: Outcome[], which: 'tried' | 'lost', kind: typeof kinds[number]): number =>
  outcomes.reduce((total, outcome) => total + (outcome[which][kind] ?? 0), 0)
