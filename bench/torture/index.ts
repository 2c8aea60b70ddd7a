import { gitStartsIn } from '../../services/workspace/git/index.js'
import { readOptions, refuse } from '../options.js'
import { writePage } from './page.js'
import { printOutcome, printSummary } from './print.js'
import { record } from './results.js'
import { createTorture } from './run.js'
import { isClean, type Outcome } from './tally.js'
import { scenarios } from './scenarios/index.js'

// Does to the service what reviewers did, and checks for losses. Exit code 1 if anything was lost, or left behind.
gitStartsIn(process.env)

const options = readOptions({
  command: 'npm run torture', does: 'Kills, starves and disturbs the service in many ways, and reports what is lost.'
}, {
  only: { type: 'string', value: 'names', says: 'scenarios, separated by commas', multiple: true },
  rounds: { type: 'string', value: 'n', says: 'how often kills and the like are repeated (default: 5; with --short 1)' },
  seed: { type: 'string', value: 'n', says: 'repeats the same work at the same moments, as far as timing allows' },
  short: { type: 'boolean', says: 'a few seconds of the quick scenarios', default: false },
  server: { type: 'string', value: 'file', says: 'another build than dist/server.js' },
  keep: { type: 'boolean', says: 'leaves the folders for inspection', default: false },
  list: { type: 'boolean', says: 'lists the scenarios', default: false },
  page: { type: 'boolean', says: 'runs nothing; writes docs/reliability.md from the results so far', default: false }
})
const names = options.only?.flatMap((value) => value.split(','))
const unknown = names?.filter((name) => !scenarios.some((scenario) => scenario.name === name)) ?? []
const rounds = Number(options.rounds ?? (options.short ? 1 : 5))
const seed = Number(options.seed ?? Math.floor(Math.random() * 1e9))
if (unknown.length > 0) refuse(`There is no scenario called ${unknown.join(', ')}; there are ${scenarios.map(({ name }) => name).join(', ')}.`)
if (!Number.isInteger(rounds) || rounds < 1 || !Number.isInteger(seed)) refuse('--rounds and --seed take whole numbers.')
if (options.list) {
  for (const { name, says, short } of scenarios) console.log(`${name.padEnd(18)} ${says}${short ? ' (short form)' : ''}`)
  process.exit(0)
}
// The page is made from the runs so far; no scenario is started.
if (options.page) {
  writePage(scenarios)
  process.exit(0)
}

const torture = createTorture({
  seed, rounds, short: options.short, keep: options.keep, ...(options.server !== undefined && { entry: options.server })
})
for (const [signal, code] of [['SIGINT', 130], ['SIGTERM', 143], ['SIGHUP', 129]] as const) {
  process.on(signal, () => {
    torture.sweep()
    process.exit(code)
  })
}
const chosen = scenarios.filter(({ name, short }) => names === undefined ? !options.short || short : names.includes(name))
console.log(`seed ${seed}, ${rounds} ${rounds === 1 ? 'round' : 'rounds'}, ${chosen.length} ${chosen.length === 1 ? 'scenario' : 'scenarios'}, below ${torture.folder}`)
const outcomes: Outcome[] = []
// The page describes only complete runs of the code that is checked out.
const isRecorded = !options.short && options.server === undefined && !options.keep
for (const scenario of chosen) {
  const outcome = await torture.run(scenario)
  outcomes.push(outcome)
  printOutcome(outcome)
  if (isRecorded) record(outcome, { seed, rounds })
}
const left = torture.sweep()
printSummary(outcomes, left)
process.exit(outcomes.every(isClean) && left.length === 0 ? 0 : 1)
