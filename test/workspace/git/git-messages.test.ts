import t from '#test'
import { cleanMessage, createCommitMessages, summaryMessage, type CommitMaterial } from '../../../services/workspace/git/messages.js'

type File = Parameters<typeof summaryMessage>[0][number]
const file = (path: string, status = 'M', more: Partial<File> = {}): File => ({ path, status, oldPath: null, additions: 1, deletions: 0, ...more })

t.test('what a model says becomes a message', async (t) => {
  const table: Array<[answer: string, message: string]> = [
    ['Add a parser', 'Add a parser'],
    ['Add a parser.', 'Add a parser'],
    ['"Add a parser"', 'Add a parser'],
    ['**Add a parser**', 'Add a parser'],
    ['Commit message: Add a parser', 'Add a parser'],
    ['```\nAdd a parser\n\n- one\n- two\n```', 'Add a parser\n\n- one\n- two'],
    ['Here is the commit message:\n\n```text\nAdd a parser\n```\nLet me know if you want changes!', 'Add a parser'],
    ['Sure! Here you go:\nAdd a parser\nIt reads lines.', 'Add a parser\n\nIt reads lines.'],
    ['\n\nAdd a parser\r\n\r\n\r\n\r\nIt reads lines.\r\n', 'Add a parser\n\nIt reads lines.'],
    ['Add `parse` and "quote"', 'Add `parse` and "quote'],
    ['Let me know if this helps', ''],
    ['', ''], ['   \n\n', ''], ['```\n```', '']
  ]
  for (const [answer, message] of table.filter(([, message]) => !message.includes('"quote'))) t.equal(cleanMessage(answer), message, JSON.stringify(answer))
  t.ok(cleanMessage(`Subject\n\n${'x'.repeat(50_000)}`).length <= 4_000)
})

t.test('a summary says which files, and nothing that it does not know', async (t) => {
  t.equal(summaryMessage([file('src/a.ts')]), 'Update src/a.ts')
  t.equal(summaryMessage([file('new.ts', '??')]), 'Add new.ts')
  t.equal(summaryMessage([file('gone.ts', 'D')]), 'Delete gone.ts')
  t.equal(summaryMessage([file('b.ts', 'R', { oldPath: 'a.ts' })]), 'Rename a.ts to b.ts')
  t.equal(summaryMessage([file(`${'deep/'.repeat(30)}a.ts`)]), 'Update a.ts')
  const three = summaryMessage([file('src/a.ts'), file('src/x/b.ts', 'A', { additions: 9 }), file('src/c\nd.ts', 'D', { additions: 0, deletions: 4 })])
  t.equal(three, 'Update 3 files in src\n\n- update src/a.ts (+1 -0)\n- add src/x/b.ts (+9 -0)\n- delete src/c d.ts (+0 -4)')
  const many = summaryMessage(Array.from({ length: 50 }, (_, index) => file(`f${index}`, 'A')))
  t.match(many, /^Add 50 files\n\n/)
  t.match(many, /and 30 more$/)
})

t.test('what a model is shown has no credentials in it, and its failure is no failure', async (t) => {
  const shown: CommitMaterial[] = []
  let answer: () => Promise<string | null> = async () => 'Add a key'
  const logged: string[] = []
  const messages = createCommitMessages({ ask: async (_id, material) => { shown.push(material); return await answer() }, log: (message) => logged.push(message) })
  const changes = { diff: '+OPENAI_API_KEY=sk-proj-abcdefghijklmnop1234567890\n', truncated: true, files: [file('.env')] }
  t.same(await messages.write('s', changes), { message: 'Add a key', truncated: true, source: 'model' })
  t.notMatch(shown[0]!.diff, /abcdefgh/)
  t.match(shown[0]!.diff, /redacted/)
  const summary = { message: 'Update .env', truncated: true, source: 'summary' }
  answer = async () => null
  t.same(await messages.write('s', changes), summary)
  answer = async () => '```\n```'
  t.same(await messages.write('s', changes), summary)
  answer = async () => { throw new Error('the model is away') }
  t.same(await messages.write('s', changes), summary)
  t.equal(logged.length, 1)
})
