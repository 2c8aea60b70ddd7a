import t from '#test'
import { provisionalTitle } from '../../services/areas/chat/provisional-title.js'

const files = '[Attached files: one.txt, two.txt]'

t.test('the title of a message is its beginning, however long the message is', async (t) => {
  const long = 'word '.repeat(100_000)
  for (const [message, title] of [
    ['  Two\n\nlines ', 'Two lines'],
    [`Read this ${files}`, 'Read this'],
    [`${files}\n${long}`, long.slice(0, 64).trim()],
    [`${' '.repeat(100_000)}Late`, 'Late'],
    [`[Attached files: ${'a.txt, '.repeat(20_000)}b.txt] Behind many files`, 'Behind many files'],
    [`${'x'.repeat(60)} [Attached files: ${'a.txt, '.repeat(20_000)}b.txt] end`, `${'x'.repeat(60)} end`],
    [`[Attached files: folder/${'a'.repeat(30)}.txt, b.txt]`, `${'a'.repeat(30)}.txt`],
    [`😀${'x'.repeat(20_000)}`, `😀${'x'.repeat(63)}`],
    [' \n ', '']
  ] as const) t.equal(provisionalTitle(message), title)
})

t.test('no credential is cut in the title', async (t) => {
  const title = provisionalTitle(`${'x'.repeat(50)} sk-proj-${'a1B2'.repeat(12)} ${'word '.repeat(50_000)}`)
  t.equal(title, 'x'.repeat(50))
})
