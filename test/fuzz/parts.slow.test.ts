import fc from 'fast-check'
import t from '#test'
import { createFindings } from '../../bench/fuzz/findings.js'
import { checkParts, parts } from '../../bench/fuzz/parts/index.js'
import { type Part } from '../../bench/fuzz/parts/part.js'
import { tries } from '../support/tries.js'

// A little of `npm run fuzz`, always the same: so many cases of each property.
const seed = 1
const runs = tries(300)

for (const part of parts) {
  t.test(`${part.name}: ${part.says}`, async (t) => {
    const findings = createFindings()
    const [tried] = await checkParts([part], { seed, runs, findings, folder: t.testdir() })
    t.same(findings.paragraphs(), [])
    t.ok((tried?.runs ?? 0) >= runs, `${tried?.runs ?? 0} cases`)
  })
}

t.test('what does not hold is a finding with its smallest cause, once', async (t) => {
  const part: Part = { name: 'wrong', says: 'no number is above 10', properties: () => [['it is small', fc.property(fc.nat(), (number) => number <= 10)]] }
  const findings = createFindings()
  await checkParts([part], { seed, runs, findings, folder: t.testdir() })
  t.equal(findings.count, 1)
  t.match(findings.paragraphs(), [/it is small, wrong\n.*\n\s+by \[11\]/])
})
