import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { readFuzzRuns } from '../../bench/fuzz/page.js'
import { pageOf as pageOfPerformance, readRuns, recordRun, type GroupRun } from '../../bench/page.js'
import { pageOf } from '../../bench/torture/page.js'
import { promises } from '../../bench/torture/promises.js'
import { readResults, record, type Result } from '../../bench/torture/results.js'
import { scenarios } from '../../bench/torture/scenarios/index.js'

const page = 'docs/reliability.md'
const names = scenarios.map(({ name }) => name)
const inOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ')
const result = (more: Partial<Result>): Result => ({
  name: 'scale', tried: { kills: 2, turns: 3, sessions: 4, frames: 100 }, lost: {}, checked: 50, findings: [], notes: [], leftBehind: [],
  seconds: 10, commit: 'aaaa', finishedAt: '2026-11-01T10:00:00.000Z', seed: 7, rounds: 2, ...more
})
const rowOf = (page: string, name: string): string => page.split('\n').find((line) => line.startsWith(`| \`${name}\``)) ?? ''

t.test('every promise stands in its document, and names scenarios that there are', async (t) => {
  for (const { document, words, scenarios } of promises) {
    t.ok(inOneLine(readFileSync(document, 'utf8')).includes(inOneLine(words)), `${document}: ${words}`)
    t.same(scenarios.filter((name) => !names.includes(name)), [], words)
  }
})

t.test('of each scenario, the page has the runs with its last three seeds, and every finding that there was with its mend', async (t) => {
  const runs = [
    result({ commit: 'c0ffee', seed: 6, checked: 1_000, findings: ['lost (turns): an old one'] }),
    result({ seed: 7, findings: ['lost (turns): before its mend'] }), result({ seed: 8 }), result({ seed: 9 }), result({ seed: 7 }),
    result({ name: 'reconnects', skipped: 'not here' }), result({ name: 'stops', seed: 3, checked: 0 }), result({ name: 'links', seed: 3 }),
    result({ name: 'machines', seed: 175_503_191, findings: ['503 during | a download'] })
  ]
  const page = pageOf(runs, scenarios)
  t.match(rowOf(page, 'scale'), /\| 3 \| 6 \| 0 \| 6 \| 0 \| 21 \| 150 \| 30 \| 8, 9, 7 \| kept \|$/)
  t.match(rowOf(page, 'reconnects'), /not tried/)
  t.match(rowOf(page, 'stops'), /nothing compared \|$/)
  t.match(rowOf(page, 'links'), /kept with 1 of 3 seeds \|$/)
  t.match(rowOf(page, 'machines'), /1 finding \|$/)
  t.match(page, /\| kill-service, kill-host, outliving, reconnects, scale \|.*\| kept; not tried: kill-service, kill-host, outliving, reconnects \|/)
  t.match(page, /^\| "You need Linux and Node\.js .* \| tested nightly \|/m)
  t.match(page, /^\| "any address but loopback .* \| tested with every change \|/m)
  t.match(page, /^\| "A client opens a session.* \| tested with every change, and more nightly \|/m)
  t.match(page, /^- `scale`, seed 6, 2026-11-01, commit c0ffee: lost \(turns\): an old one\n {2}- Open\.$/m)
  t.match(page, /^- `scale`, seed 7, .*before its mend$/m)
  t.match(page, /^- `machines`, seed 175503191, .*503 during \| a download\n {2}- The scenario /m)
})

t.test('every promise of the README has what tries it, and every test that it names is there', async (t) => {
  for (const { words, scenarios, tests = [] } of promises) {
    t.ok(scenarios.length + tests.length > 0, words)
    t.same(tests.filter((file) => !existsSync(file)), [], words)
  }
})

t.test('a run of one group of measurements leaves the others as they are', async (t) => {
  const file = join(t.testdir(), 'performance.json')
  const group = (name: string, commit: string, value: number): GroupRun => ({
    name, commit, date: '2026-11-01', machine: '2 × x', node: 'v24', load: 0.3, curves: [],
    rows: [{ measure: 'a start', value, unit: 'ms', promise: { most: 100 }, growthKib: -3 }]
  })
  for (const run of [group('start', 'aaaa', 90), group('idle', 'aaaa', 50)]) recordRun(run, file)
  recordRun(group('start', 'bbbb', 120), file)
  const { text } = pageOfPerformance(readRuns(file), ['start', 'turns', 'idle'])
  t.match(text, /1 promise is missed\.\n\nNot measured yet: `turns`\./)
  t.match(text, /## Start\n\n2026-11-01, commit bbbb, 2 × x, Node v24, load 0\.3\n\n\| Measure [^]*\| a start \| 120 ms \|.*−3 KiB \| ≤ 100 \| MISSED \|/)
  t.match(text, /## Idle\n\n2026-11-01, commit aaaa[^]*\| a start \| 50 ms \|.* kept \|/)
})

t.test('runs are added to the file one by one', async (t) => {
  const file = join(t.testdir(), 'results.json')
  const { commit, finishedAt, seed, rounds, ...outcome } = result({})
  record(outcome, { seed, rounds }, file)
  record(outcome, { seed: 9, rounds }, file)
  t.match(readResults(file), [{ name: 'scale', seed, commit: /^[0-9a-f]{10}/ }, { seed: 9 }])
})

t.test('the page is that of the results beside it', existsSync(page) ? {} : { skip: 'no page has been written' }, async (t) => {
  t.equal(readFileSync(page, 'utf8'), pageOf(readResults('docs/reliability.json'), scenarios, readFuzzRuns('docs/fuzzing.json')))
})
