import t from '#test'
import { start } from '../support/app.js'

const said = (count: number) => Array.from({ length: count }, (_, index) =>
  ({ role: index % 3 === 0 ? 'user' : 'assistant', content: `Message ${index} about zebra${index}` }))

t.test('the search index is merged in small steps while a long conversation is imported, and by SQLite again afterwards', async (t) => {
  const { app, post, get } = await start(t)
  const automerge = (): number | undefined =>
    app.db.sqlite.prepare<[], number>("select v from message_texts_config where k = 'automerge'").pluck().get()
  const seen = new Set<number | undefined>()
  const looking = setInterval(() => { seen.add(automerge()) })
  const { body: { session } } = await post('/api/session/import', { title: 'Long', messages: said(3_000) })
  clearInterval(looking)
  t.ok(seen.has(0), 'not by SQLite meanwhile')
  t.equal(automerge(), 4)
  t.equal(app.db.transaction(() => app.sessions.transcript.mergeIndex()), false, 'nothing is left to merge')
  t.match(app.sessions.get(session.session_id), { messageCount: 3_000, userMessageCount: 1_000 })
  for (const index of [0, 1_499, 2_999]) {
    const { body } = await get(`/api/sessions/search?q=zebra${index}&depth=0`)
    t.ok(JSON.stringify(body).includes(session.session_id), `message ${index} is found`)
  }
})

t.test('a stop of the service during an import does not leave the search index unmerged', async (t) => {
  const { app } = await start(t)
  const { mergeWhileAdding } = app.sessions.transcript
  app.db.transaction(() => mergeWhileAdding(false))
  await app.sessions.sweep()
  t.equal(app.db.sqlite.prepare<[], number>("select v from message_texts_config where k = 'automerge'").pluck().get(), 4)
})
