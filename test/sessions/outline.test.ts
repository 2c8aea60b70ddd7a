import t from '#test'
import { headingsOf } from '../../services/areas/sessions/outline.js'
import { startChat } from '../support/chat.js'

interface Entry { index: number, kind: string, level: number, text: string, source: string | null }

const service = await startChat(t)
const imported = async (messages: object[]): Promise<string> => (await service.post('/api/session/import', { messages })).body.session.session_id
const outline = async (id: string): Promise<{ entries: Entry[], message_count: number, truncated: boolean }> => (await service.get(`/api/session/outline?session_id=${id}`)).body
const told = ({ entries }: { entries: Entry[] }): string[] => entries.map(({ index, kind, level, text }) => `${index} ${kind === 'message' ? 'you' : '#'.repeat(level)} ${text}`)

t.test('what was said and the headings of longer answers, each with its place', async (t) => {
  const id = await imported([
    { role: 'user', content: 'Compare **the two**\nplease' },
    { role: 'assistant', content: '# Both\n\nHere.\n\n## The *first* one ##\n\n```sh\n# no heading\n```\n\n### Details\n\n#### Too deep\n\n#hashtag' },
    { role: 'user', content: 'Short, please' },
    { role: 'assistant', content: '# Only one heading\n\nThat is all.' },
    { role: 'user', content: [{ type: 'text', text: 'In parts' }] },
    { role: 'assistant', content: 'Without any, but "#one" and\nno more.' }
  ])
  const found = await outline(id)
  t.same(told(found), ['0 you Compare the two please', '1 # Both', '1 ## The first one', '1 ### Details', '2 you Short, please', '4 you In parts'])
  t.match(found, { message_count: 6, truncated: false })
  t.match(await outline(await service.newSession()), { message_count: 0, entries: [], truncated: false })
  t.equal((await service.get('/api/session/outline?session_id=nowhere')).status, 404)
  t.equal((await service.get('/api/session/outline')).status, 400)
})

t.test('a line costs what it is long', (t) => {
  t.match(headingsOf(`# a${'\t'.repeat(200_000)}b\n## To C# ##\n# ${'# '.repeat(100_000)}`), [{ level: 1, text: /^a/ }, { level: 2, text: 'To C#' }])
})

t.test('credentials are masked, before anything is cut', async (t) => {
  const key = `sk-ant-api03-${'a1B2'.repeat(24)}AA`
  const id = await imported([{ role: 'user', content: `${'x'.repeat(90)} ${key}` }, { role: 'assistant', content: `# One\n\n# It is ${key}` }])
  const text = JSON.stringify(await outline(id))
  t.notOk(text.includes('sk-ant-api03-a1B2'), text)
})

t.test('of a very long conversation the last part, and that there is more', async (t) => {
  const id = await imported(Array.from({ length: 4_200 }, (_, index) => index % 2 === 0 ? { role: 'user', content: `Question ${index}` } : { role: 'assistant', content: 'Yes.' }))
  const { entries, truncated } = await outline(id)
  t.equal(truncated, true)
  t.equal(entries.length, 2_000)
  t.match(entries.at(-1), { index: 4_198, text: 'Question 4198' })
  t.match(entries[0], { index: 200, text: 'Question 200' })
})

t.test('fences that are left open, and such that close nothing', (t) => {
  t.same(headingsOf('~~~\n# in code\n```\n# still\n~~~\n# out\n```\n# in again').map(({ text }) => text), ['out'])
})
