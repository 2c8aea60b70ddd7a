import fc from 'fast-check'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { createFindings } from '../../bench/fuzz/findings.js'
import { plant, template } from '../../bench/fuzz/parts/git.js'
import { checkParts, parts } from '../../bench/fuzz/parts/index.js'
import { type Part } from '../../bench/fuzz/parts/part.js'
import { tries } from '../support/tries.js'

// A small part of `npm run fuzz`, always the same: `runs` cases of each property.
const seed = 1
const runs = tries(300)

for (const part of parts) {
  t.test(`${part.name}: ${part.says}`, async (t) => {
    const findings = createFindings()
    const [tried] = await checkParts([part], { seed, runs, findings, folder: t.testdir() })
    t.same(findings.paragraphs(), [])
    const due = part.properties(t.testdir(), () => {}).reduce((sum, [, , cost = 1]) => sum + Math.ceil(runs / cost), 0)
    t.equal(tried?.runs, due)
  })
}

t.test('what does not hold is a finding with its smallest cause, once', async (t) => {
  const part: Part = { name: 'wrong', says: 'no number is above 10', properties: () => [['it is small', fc.property(fc.nat(), (number) => number <= 10)]] }
  const findings = createFindings()
  await checkParts([part], { seed, runs, findings, folder: t.testdir() })
  t.equal(findings.count, 1)
  t.match(findings.paragraphs(), [/it is small, wrong\n.*\n\s+by \[11\]/])
})

t.test('what is planted in a repository does run for whoever calls git plainly', async (t) => {
  const root = join(t.testdir(), 'repository')
  template(root)
  const { traces } = plant(root, {
    settings: [['core.fsmonitor', '!'], ['filter.planted.clean', '!']], spelling: 0, lead: 2, shape: 'its folder elsewhere', attributes: ['* filter=planted'], attributesIn: '.gitattributes', order: 0
  })
  execFileSync('git', ['status'], { cwd: root, stdio: 'ignore' })
  t.match(readFileSync(traces, 'utf8'), 'planted.sh')
})
