import { writeFileSync } from 'node:fs'
import { promises, type Promised } from './promises.js'
import { pageFile, readResults, type Result } from './results.js'
import { type Scenario } from './scenario.js'
import { isClean, operations, type Kind } from './tally.js'

/** Writes docs/reliability.md from the file of results. */
export function writePage (scenarios: Scenario[]): void {
  writeFileSync(pageFile, pageOf(readResults(), scenarios))
}

/** Returns the result of each promise and each scenario, in Markdown; for each scenario, its runs on the commit of its latest run. */
export function pageOf (results: Result[], scenarios: Scenario[]): string {
  const runsOf = (name: string): Result[] => {
    const all = results.filter((result) => result.name === name && result.skipped === undefined)
    return all.filter(({ commit }) => commit === all.at(-1)?.commit)
  }
  const findings = scenarios.flatMap(({ name }) => runsOf(name)).filter((run) => !isClean(run))
  return `# Reliability

\`npm run torture -- --page\` wrote this page from [the results of runs](reliability.json). [What each scenario does](../bench/README.md#torture).
An operation is acknowledged when the service has answered it with success; a comparison is of something acknowledged with what is there
afterwards. Of each scenario, the runs on the commit count that it was tried on last.

## Promises

| Promise | Tried by | Kills | Faults | Acknowledged | Comparisons | Result | Commit | Date |
|---|---|--:|--:|--:|--:|---|---|---|
${promises.map((promised) => rowOf(promised, runsOf)).join('\n')}

## Scenarios

| Scenario | Does | Runs | Rounds | Starts | Kills | Faults | Acknowledged | Comparisons | Seconds | Seeds | Result |
|---|---|--:|--:|--:|--:|--:|--:|--:|--:|---|---|
${scenarios.map((scenario) => scenarioRow(scenario, runsOf(scenario.name))).join('\n')}

## Findings

${findings.length === 0 ? 'None in these runs.' : findings.map(findingsOf).join('\n')}
`
}

const cells = (values: Array<string | number>): string =>
  `| ${values.map((value) => String(value).replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`

function rowOf ({ words, document, scenarios }: Promised, runsOf: (name: string) => Result[]): string {
  const runs = scenarios.flatMap(runsOf)
  const untried = scenarios.filter((name) => runsOf(name).length === 0)
  const result = untried.length === 0 || runs.length === 0 ? verdict(runs) : `${verdict(runs)}; not tried: ${untried.join(', ')}`
  const source = `[${document}](${document === 'README.md' ? '../README.md' : document.slice('docs/'.length)})`
  return cells([
    `"${words}" (${source})`, scenarios.join(', ') || 'no scenario', sum(runs, 'kills'), sum(runs, 'faults'), acknowledged(runs),
    compared(runs), result, [...new Set(runs.map(({ commit }) => commit))].join(', '), dates(runs)
  ])
}

function scenarioRow ({ name, says }: Scenario, runs: Result[]): string {
  const rounds = runs.reduce((total, run) => total + run.rounds, 0)
  const seconds = runs.reduce((total, run) => total + run.seconds, 0)
  return cells([
    `\`${name}\``, says, runs.length, rounds, sum(runs, 'starts'), sum(runs, 'kills'), sum(runs, 'faults'), acknowledged(runs),
    compared(runs), Math.round(seconds), runs.map(({ seed }) => seed).join(', '), verdict(runs)
  ])
}

const sum = (runs: Result[], kind: Kind): number => runs.reduce((total, { tried }) => total + (tried[kind] ?? 0), 0)
const acknowledged = (runs: Result[]): number => operations.reduce((total, kind) => total + sum(runs, kind), 0)
const compared = (runs: Result[]): number => runs.reduce((total, { checked }) => total + checked, 0)

function verdict (runs: Result[]): string {
  if (runs.length === 0) return 'not tried'
  const broken = runs.reduce((total, { findings, leftBehind }) => total + findings.length + leftBehind.length, 0)
  return broken === 0 ? 'kept' : `${broken} findings`
}

function dates (runs: Result[]): string {
  const days = [...new Set(runs.map(({ finishedAt }) => finishedAt.slice(0, 10)))].sort()
  return days.length > 1 ? `${days[0]} – ${days.at(-1)}` : days.join()
}

const findingsOf = ({ name, seed, findings, leftBehind }: Result): string =>
  [...findings, ...leftBehind.map((found) => `left behind: ${found}`)].map((finding) =>
    `- \`${name}\`, seed ${seed}: ${finding.replaceAll('\n', ' ')}`).join('\n')
