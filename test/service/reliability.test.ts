import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
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

t.test('of each scenario, the page counts all runs on the commit that it was tried on last', async (t) => {
  const runs = [
    result({ commit: 'c0ffee', checked: 1_000 }), result({}), result({ seed: 8, findings: ['lost (turns): one | of them'] }),
    result({ name: 'reconnects', skipped: 'not here' })
  ]
  const page = pageOf(runs, scenarios)
  t.match(rowOf(page, 'scale'), /\| 2 \| 4 \| 0 \| 4 \| 0 \| 14 \| 100 \| 20 \| 7, 8 \| 1 findings \|$/)
  t.match(rowOf(page, 'reconnects'), /not tried/)
  t.match(page, /\| kill-service, kill-host, reconnects, scale \|.*\| 1 findings; not tried: kill-service, kill-host, reconnects \|/)
  t.match(page, /^- `scale`, seed 8: lost \(turns\): one/m)
  t.notMatch(page, /c0ffee/)
})

t.test('runs are added to the file one by one', async (t) => {
  const file = join(t.testdir(), 'results.json')
  const { commit, finishedAt, seed, rounds, ...outcome } = result({})
  record(outcome, { seed, rounds }, file)
  record(outcome, { seed: 9, rounds }, file)
  t.match(readResults(file), [{ name: 'scale', seed, commit: /^[0-9a-f]{10}/ }, { seed: 9 }])
})

t.test('the page is that of the results beside it', existsSync(page) ? {} : { skip: 'no page has been written' }, async (t) => {
  t.equal(readFileSync(page, 'utf8'), pageOf(readResults('docs/reliability.json'), scenarios))
})
