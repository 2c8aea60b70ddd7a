import t from '#test'
import { start } from '../support/app.js'

/** How the row of a message is stored, with the types that SQLite has for its columns. */
const stored = `select body, redacted_body as redacted, replay, typeof(body) as bodyType, typeof(redacted_body) as redactedType, typeof(replay) as replayType
  from messages where session_id = ? order by position limit 1`

t.test('a long message is stored like a short one: as text, with and without its credentials', async (t) => {
  const { app, post } = await start(t)
  const key = `sk-proj-${'a1B2'.repeat(12)}`
  const content = `${'ä "word" 😀\n'.repeat(20_000)} ${key} end`
  const { body: { session } } = await post('/api/session/import', { title: 'Long', messages: [{ role: 'user', content }] })
  const row = app.db.sqlite.prepare<[string], Record<string, string>>(stored).get(session.session_id) ?? {}
  t.match(row, { bodyType: 'text', redactedType: 'text', replayType: 'text' })
  t.equal(JSON.parse(row.body ?? '').content, content)
  t.equal(JSON.parse(row.redacted ?? '').content, content.replace(key, '[redacted]'))
  t.equal(JSON.parse(row.replay ?? '').content[0].text, content)
})
