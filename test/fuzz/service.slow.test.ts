import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { fuzzSection, readFuzzRuns, recordFuzzRun, type FuzzRun } from '../../bench/fuzz/page.js'
import { unprovoked } from '../../bench/fuzz/unprovoked.js'
import { errorCodes } from '../../schemas/error-codes.js'
import { asset, fromSource } from '../../services/ground/assets.js'

// `npm run fuzz` itself, always the same: it takes bubblewrap, and starts the service that was built.
const missing = existsSync('/usr/bin/bwrap') || existsSync('/bin/bwrap') ? undefined : 'bubblewrap is missing'
const program = fromSource ? ['--import', 'tsx', asset('bench/fuzz/index.ts')] : [asset('bench/fuzz/index.js')]

async function fuzz (...args: string[]): Promise<{ code: number | null, output: string }> {
  const child = spawn(process.execPath, [...program, '--seed', '1', ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const channel of [child.stdout, child.stderr]) channel.setEncoding('utf8').on('data', (text: string) => { output += text })
  const [code] = await once(child, 'close') as [number | null]
  return { code, output }
}

t.test('hostile requests find nothing, within ten seconds that are always the same', { skip: missing }, async (t) => {
  const { code, output } = await fuzz('--only', 'service', '--seconds', '10')
  t.match(output, /\b0 findings \(seed 1\)\n$/)
  t.equal(code, 0, output)
  t.match(output, /^[1-9]\d* requests$/m)
})

t.test('nor does a minute of everything', { skip: missing, long: true }, async (t) => {
  const { code, output } = await fuzz('--seconds', '60')
  t.match(output, /\b0 findings \(seed 1\)\n$/)
  t.equal(code, 0, output)
})

t.test('each code that fuzzing cannot provoke stands in the test that meets it', (t) => {
  for (const [code, { test }] of Object.entries(unprovoked)) {
    t.ok(code in errorCodes, code)
    t.match(readFileSync(test, 'utf8'), code, test)
  }
})

const run = (more: Partial<FuzzRun>): FuzzRun => ({
  seed: 1, seconds: 60, commit: 'aaaa', finishedAt: '2026-11-01T10:00:00.000Z', parts: { shell: 200, yaml: 10 }, findings: [],
  service: { requests: 900, routes: 300, well: 100, pairs: 1_500, codes: ['changed'], declaredCodes: 79, above500: { '503 GET /api/a|b': 2 } }, ...more
})

t.test('the page has the last three seeds of fuzzing, and the findings of all runs', async (t) => {
  const file = join(t.testdir(), 'fuzzing.json')
  const runs = [run({ findings: ['! pause, GET /api/x\n    200 ms'] }), run({ seed: 2 }), run({ seed: 3 }), run({ seed: 4 }), run({ seed: 4, seconds: 70 })]
  for (const each of runs) recordFuzzRun(each, file)
  const section = fuzzSection(readFuzzRuns(file))
  t.same([...section.matchAll(/^\| (\d) \| 2026/gm)].map(([, seed]) => seed), ['2', '3', '4'])
  t.match(section, /^\| 4 \| 2026-11-01 \| aaaa \| 70 \| 900 \| 100 of 300 \| 1500 of 1800 \| 1 of 79 \| 210 \| clean \|$/m)
  t.match(section, /^\| `GET \/api\/a\\\|b` \| 503 \| 6 \|/m)
  t.match(section, /^\| `pull_closed` \| a forge has to answer.* \| \[pulls\/pulls\.slow\.test\.ts\]\(\.\.\/test\/pulls\/pulls\.slow\.test\.ts\) \|$/m)
  t.match(section, /^- seed 1, 2026-11-01, commit aaaa: ! pause, GET \/api\/x 200 ms$/m)
})
