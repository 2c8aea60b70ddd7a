import { writeFileSync } from 'node:fs'
import { fuzzSection, readFuzzRuns, type FuzzRun } from '../fuzz/page.js'
import { fixes } from './fixes.js'
import { promises, type Promised } from './promises.js'
import { pageFile, readResults, type Result } from './results.js'
import { type Scenario } from './scenario.js'
import { isClean, operations, type Kind } from './tally.js'

/** Writes docs/reliability.md from the file of results. */
export function writePage (scenarios: Scenario[]): void {
  writeFileSync(pageFile, pageOf(readResults(), scenarios, readFuzzRuns()))
}

/** How many seeds a scenario has to be clean with, one run after the other. */
const dueSeeds = 3

/** Returns a scenario's runs that count: the last one with each of the last three seeds, oldest first. */
export function countedRuns (results: readonly Result[], name: string): Result[] {
  const latest = new Map<number, Result>()
  for (const result of results.toReversed()) {
    if (result.name === name && result.skipped === undefined && !latest.has(result.seed)) latest.set(result.seed, result)
  }
  return [...latest.values()].slice(0, dueSeeds).reverse()
}

/** Returns the result of each promise and each scenario, in Markdown. Every finding that was ever recorded stays in its list. */
export function pageOf (results: Result[], scenarios: Scenario[], fuzzed: readonly FuzzRun[] = []): string {
  const runsOf = (name: string): Result[] => countedRuns(results, name)
  const findings = results.filter((run) => !isClean(run))
  return `# Reliability

\`npm run torture -- --page\` wrote this page from the results of runs of [torture](reliability.json) and [fuzzing](fuzzing.json).
[What each scenario does](../bench/README.md#torture). An operation is acknowledged when the service has answered it with success; a
comparison is of something acknowledged with what is there afterwards. The figures of a scenario are those of its runs with the last three
seeds: it is *kept* if all three are without a finding.

## Promises

| Promise | Tried by | Kills | Faults | Acknowledged | Comparisons | Result | Commit | Date |
|---|---|--:|--:|--:|--:|---|---|---|
${promises.map((promised) => rowOf(promised, runsOf)).join('\n')}

## Scenarios

| Scenario | Does | Runs | Rounds | Starts | Kills | Faults | Acknowledged | Comparisons | Seconds | Seeds | Result |
|---|---|--:|--:|--:|--:|--:|--:|--:|--:|---|---|
${scenarios.map((scenario) => scenarioRow(scenario, runsOf(scenario.name))).join('\n')}

## Findings

${findings.length === 0 ? 'None.' : `Everything that a recorded run has found, the latest last.\n\n${findings.map(findingsOf).join('\n')}`}

${fuzzSection(fuzzed)}`
}

const cells = (values: Array<string | number>): string =>
  `| ${values.map((value) => String(value).replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`

function rowOf ({ words, document, scenarios, tests = [] }: Promised, runsOf: (name: string) => Result[]): string {
  const runs = scenarios.flatMap(runsOf)
  const untried = scenarios.filter((name) => runsOf(name).length === 0)
  const results = [
    ...scenarios.length === 0 ? [] : [verdictOf(scenarios.map(runsOf))],
    ...untried.length === 0 || runs.length === 0 ? [] : [`not tried: ${untried.join(', ')}`],
    ...tests.length === 0 ? [] : [whenTested(tests)]
  ]
  const tried = [...scenarios, ...tests.map((file) => `[${file.replace(/^test\//, '')}](../${file})`)]
  const source = `[${document}](${document === 'README.md' ? '../README.md' : document.slice('docs/'.length)})`
  return cells([
    `"${words}" (${source})`, tried.join(', ') || 'nothing', sum(runs, 'kills'), sum(runs, 'faults'), acknowledged(runs),
    compared(runs), results.join('; '), [...new Set(runs.map(({ commit }) => commit))].join(', '), dates(runs)
  ])
}

/** Returns how often tests run: long ones only every night, see docs/development.md. */
function whenTested (tests: readonly string[]): string {
  const nightly = tests.filter((file) => file.endsWith('.long.test.ts'))
  if (nightly.length === 0) return 'tested with every change'
  return nightly.length === tests.length ? 'tested nightly' : 'tested with every change, and more nightly'
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

/** Returns the worst result of several scenarios. */
function verdictOf (scenarios: Result[][]): string {
  const runs = scenarios.flat()
  const broken = runs.reduce((total, { findings, leftBehind }) => total + findings.length + leftBehind.length, 0)
  if (broken > 0) return `${broken} ${broken === 1 ? 'finding' : 'findings'}`
  if (runs.length === 0) return 'not tried'
  if (compared(runs) === 0) return 'nothing compared'
  const seeds = Math.min(...scenarios.filter((each) => each.length > 0).map((each) => each.length))
  return seeds < dueSeeds ? `kept with ${seeds} of ${dueSeeds} seeds` : 'kept'
}

const verdict = (runs: Result[]): string => verdictOf([runs])

function dates (runs: Result[]): string {
  const days = [...new Set(runs.map(({ finishedAt }) => finishedAt.slice(0, 10)))].sort()
  return days.length > 1 ? `${days[0]} – ${days.at(-1)}` : days.join()
}

function findingsOf ({ name, seed, commit, finishedAt, findings, leftBehind }: Result): string {
  const fix = fixes.find(({ scenario, seed: of }) => scenario === name && of === seed)?.says ?? 'Open.'
  return [...findings, ...leftBehind.map((found) => `left behind: ${found}`)].map((finding) =>
    `- \`${name}\`, seed ${seed}, ${finishedAt.slice(0, 10)}, commit ${commit}: ${finding.replaceAll('\n', ' ')}\n  - ${fix}`).join('\n')
}
