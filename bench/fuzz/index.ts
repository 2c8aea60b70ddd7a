import { createRandom } from '../torture/random.js'
import { commitHere } from '../commit.js'
import { readOptions, refuse } from '../options.js'
import { handOver, runConfined, scratchFolder } from './confine.js'
import { createFindings } from './findings.js'
import { recordFuzzRun, type FuzzRun } from './page.js'
import { checkParts, parts } from './parts/index.js'
import { fuzzService } from './service.js'

// Sends hostile requests to the service, and gives its pure parts hostile input. Exit code 1 if something is wrong.

const options = readOptions({
  command: 'npm run fuzz', does: 'Sends hostile requests to every route of the built service, and hostile input to its parts.'
}, {
  seconds: { type: 'string', value: 'n', says: 'how long; 70 % for the service, the rest for the parts', default: '60' },
  seed: { type: 'string', value: 'n', says: 'repeats the same requests and cases, as far as timing allows' },
  only: { type: 'string', value: 'names', says: '"service" and parts, separated by commas', multiple: true },
  server: { type: 'string', value: 'file', says: 'another build than dist/server.js' },
  page: { type: 'boolean', says: 'adds the run to docs/fuzzing.json, and writes docs/reliability.md', default: false },
  list: { type: 'boolean', says: 'lists the parts', default: false }
})
const names = options.only?.flatMap((value) => value.split(','))
const known = ['service', ...parts.map(({ name }) => name)]
const unknown = names?.filter((name) => !known.includes(name)) ?? []
const seconds = Number(options.seconds)
const seed = Number(options.seed ?? Math.floor(Math.random() * 1e9))
if (unknown.length > 0) refuse(`There is no part called ${unknown.join(', ')}; there are ${known.join(', ')}.`)
if (!(seconds > 0) || !Number.isInteger(seed)) refuse('--seconds takes a number, --seed a whole one.')
if (options.list) {
  console.log('service            every route of the OpenAPI document')
  for (const { name, says } of parts) console.log(`${name.padEnd(18)} ${says}`)
  process.exit(0)
}
const scratch = scratchFolder()
if (scratch === undefined) {
  const { code, result } = await runConfined()
  if (options.page && result !== null) {
    recordFuzzRun({ ...JSON.parse(result) as FuzzRun, commit: commitHere() })
    // Its scenarios are loaded only here: they need more than a confined process has.
    const [{ writePage }, { scenarios }] = await Promise.all([import('../torture/page.js'), import('../torture/scenarios/index.js')])
    writePage(scenarios)
  }
  process.exit(code)
}

/** The service's share of the time; pure parts have the rest. */
const serviceShare = 0.7
const chosen = parts.filter(({ name }) => names?.includes(name) ?? true)
const isServiceChosen = names?.includes('service') ?? true
const findings = createFindings((text) => console.log(text))
const random = createRandom(seed)
console.log(`seed ${seed}, ${seconds} s`)
const beganMs = performance.now()
const served = isServiceChosen
  ? await fuzzService({
    random, folder: scratch, findings, untilMs: beganMs + seconds * 1_000 * (chosen.length > 0 ? serviceShare : 1),
    tell: (text) => console.log(text), entry: options.server
  })
  : null
const tried = await checkParts(chosen, { seed, runs: 100, untilMs: beganMs + seconds * 1_000, findings, folder: scratch })

console.log('')
for (const paragraph of findings.paragraphs()) console.log(paragraph)
if (served !== null) console.log(`${served.requests} requests\n${served.coverage.lines().join('\n')}`)
for (const { name, runs } of tried) console.log(`${name}: ${runs} cases`)
console.log(`${findings.count} findings (seed ${seed})`)
const run: FuzzRun = {
  seed, seconds: (performance.now() - beganMs) / 1_000, commit: '', finishedAt: new Date().toISOString(),
  service: served === null ? null : { ...served.coverage.reached(), requests: served.requests },
  parts: Object.fromEntries(tried.map(({ name, runs }) => [name, runs])), findings: findings.paragraphs()
}
handOver(scratch, JSON.stringify(run))
process.exit(findings.count === 0 ? 0 : 1)
