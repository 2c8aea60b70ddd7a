import t from '#test'
import { boundedReport } from '../../services/areas/crons/report.js'

t.test('what lists show of a large file is masked before it is cut, and little more of it than that', async (t) => {
  const seen: number[] = []
  const mask = (text: string): string => {
    seen.push(text.length)
    return text.replaceAll('secret-token', '***')
  }
  const head = `# Job\n${'p'.repeat(50_000)}`
  const shown = boundedReport(`${head}\n## Response\n${'secret-token '.repeat(300_000)}`, mask)
  t.match(shown, /^# Job\np+\n…\n## Response\n(\*\*\* )+/)
  t.notMatch(shown, /secret/)
  t.equal(shown.length, 8_000)
  t.equal(boundedReport('secret-token '.repeat(300_000), mask).includes('secret'), false)
  t.ok(seen.every((length) => length <= 64_000))
})
