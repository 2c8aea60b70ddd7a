import { readFileSync } from 'node:fs'
import t from '#test'
import { previewOf } from '../../services/areas/sessions/preview.js'
import { eventually, gate, held, startChat } from '../support/chat.js'

const service = await startChat(t)
const key = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD'

async function preview (id: string): Promise<string | null | undefined> {
  const { body } = await service.get('/api/sessions?limit=200')
  return body.sessions.find(({ session_id: each }: { session_id: string }) => each === id)?.preview
}

t.test('one line of plain text', async (t) => {
  const long = 'word '.repeat(60)
  const cases: Array<[said: string, shown: string | null]> = [
    ['Hello', 'Hello'],
    ['  two\n\n\tlines\u0007 ', 'two lines'],
    ['# Done\n\nThe **tests** pass, `npm test` is _green_, *all* of ~~it~~.', 'Done The tests pass, npm test is green, all of it.'],
    ['- one\n- [ ] two\n* [x] three\n1. four\n> > said', 'one · two · three · 1. four · said'],
    ['Read:\n\n- `a.ts`\n- Whole.\n- b\n\nNothing else.', 'Read: a.ts · Whole. b · Nothing else.'],
    ['Done.\n\n| way | ms |\n|---|---:|\n| before | 17.2 |\n| after | 0', 'Done. way, ms · before, 17.2 · after, 0'],
    ['```js\nconst a = b * c * d\n```\nas above', 'const a = b * c * d as above'],
    ['See [the docs](https://example.org/a_b) and ![a picture](x.png).', 'See the docs and a picture.'],
    ['| a | b |\n|---|:-:|\nsnake_case_name and 2 * 3 * 4, __init__', 'a, b · snake_case_name and 2 * 3 * 4, __init__'],
    ['a\u202eb\u200b c', 'a b c'],
    ['---\n***', null],
    [long, `${long.slice(0, 119).trimEnd()}…`],
    ['👍'.repeat(130), `${'👍'.repeat(119)}…`]
  ]
  for (const [said, shown] of cases) t.equal(previewOf(said), shown, JSON.stringify(said.slice(0, 40)))
  // A parser that tried every way to read these would not finish.
  for (const nasty of ['*', '_', '[', '![', '`', '> ', '- ', '|', '*a', '_a ', '[a](']) t.ok((previewOf(nasty.repeat(400).slice(0, 400)) ?? '').length <= 120)
})

t.test('what was said last, by whoever it was', async (t) => {
  const id = await service.newSession()
  const reader = await service.events('/api/events')
  await reader.until('snapshot')
  const stop = gate()
  const streamId = await service.send(id, 'Is it *done*?', { model: service.model(held(stop, [{ reasoning: 'Hm.' }], [{ text: '**Yes**, it is.' }])) })
  const { data } = await reader.until(({ event, data }) => event === 'session' && data.session_id === id)
  t.equal(data.session.preview, 'Is it done?', 'the question, while the answer is on its way')
  stop.open()
  await (await service.watch(streamId)).ended
  await reader.until(({ event, data }) => event === 'session' && data.session_id === id && data.session.preview === 'Yes, it is.')
  t.equal(await preview(id), 'Yes, it is.')
  reader.drop()

  const copy = (await service.post('/api/session/duplicate', { session_id: id })).body.session.session_id
  t.equal(await preview(copy), 'Yes, it is.')
  await service.turn(id, 'Look', service.model([{ tool: 'todo_read', args: {} }], [{ text: '' }]))
  t.not(await preview(id), 'Yes, it is.')
  await service.post('/api/session/undo', { session_id: id })
  t.equal(await preview(id), 'Yes, it is.', 'and again, once the rest is taken back')
  await service.post('/api/session/truncate', { session_id: id, keep_count: 1 })
  t.equal(await preview(id), 'Is it done?')
  await service.post('/api/session/pin', { session_id: id })
  await service.post('/api/session/clear', { session_id: id })
  t.equal(await preview(id), null, 'nothing was said')
})

t.test('of an import: its last text, also in parts', async (t) => {
  const { body } = await service.post('/api/session/import', {
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'In parts' }, { type: 'image_url', image_url: { url: 'data:,' } }] },
      { role: 'assistant', content: '', tool_calls: [{ id: 'c', function: { name: 'look', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: 'c', content: 'A result' }
    ]
  })
  t.equal(await preview(body.session.session_id), 'In parts')
})

t.test('credentials are masked, wherever the text is cut', async (t) => {
  const ids = []
  for (const length of [0, 80, 380]) {
    const { body } = await service.post('/api/session/import', { messages: [{ role: 'user', content: `${'x '.repeat(length / 2)}${key} and more` }] })
    ids.push(body.session.session_id)
  }
  for (const id of ids) t.notMatch(await preview(id), /sk-proj/)
  t.match(await preview(ids[0]!), /^\[redacted\] and more$/)
  await service.post('/api/settings', { api_redact_enabled: false })
  t.match(await preview(ids[0]!), `${key} and more`)
  await service.post('/api/settings', { api_redact_enabled: true })
  t.notMatch(await preview(ids[0]!), /sk-proj/)
})

t.test('sessions from before have one as well', async (t) => {
  const { sqlite } = service.app.db
  const all = () => sqlite.prepare('select id, last_said, redacted_last_said from sessions order by id').all() as Array<{ id: string, last_said: string | null }>
  await eventually('turns to be over', () => service.app.chat.activeTurns() === 0)
  const { body } = await service.post('/api/session/import', { messages: [{ role: 'user', content: ' \n Text' }, { role: 'assistant', content: ' \t\n' }] })
  const damaged = (await service.post('/api/session/import', { messages: [{ role: 'user', content: 'Sound' }, { role: 'assistant', content: 'Damaged' }] })).body.session.session_id
  sqlite.prepare("update messages set body = substr(body, 1, 20) where session_id = ? and role = 'assistant'").run(damaged)
  sqlite.prepare("update sessions set last_said = 'Sound' where id = ?").run(damaged)
  // Messages in parts wait for their next message.
  const before = all().filter(({ last_said: said }) => said !== 'In parts')
  t.ok(before.length > 5)
  sqlite.exec('update sessions set last_said = null, redacted_last_said = null')
  const fillIn = readFileSync('drizzle/0013_last_said.sql', 'utf8').split('--> statement-breakpoint').at(-1) ?? ''
  sqlite.prepare(fillIn).run({ after: -1, upto: Number.MAX_SAFE_INTEGER })
  t.same(all().filter(({ id }) => before.some((row) => row.id === id)), before)
  t.equal(before.find(({ id }) => id === body.session.session_id)?.last_said, 'Text')
})
