import { once } from 'node:events'
import t from '#test'
import { start } from '../support/app.js'

t.test('a page or a document is not written further when its reader has gone', async (t) => {
  const service = await start(t)
  const { session } = (await service.post('/api/session/import', { messages: [{ role: 'user', content: 'A question' }, { role: 'assistant', content: 'An answer' }] })).body
  const { exports } = service.app
  const { page, json } = exports
  t.match(Buffer.concat(await page(session.session_id, {})).toString(), /A question[^]*An answer/)

  const called = Promise.withResolvers<void>()
  const written = Promise.withResolvers<string>()
  exports.page = async (id, look, signal) => {
    called.resolve()
    await once(signal!, 'abort')
    const pieces = await page(id, look, signal)
    written.resolve(Buffer.concat(pieces).toString())
    return pieces
  }
  const reader = new AbortController()
  const left = fetch(`${service.url}/api/session/export?session_id=${session.session_id}&format=html`, { signal: reader.signal })
  await called.promise
  reader.abort()
  await t.rejects(left)
  t.notMatch(await written.promise, /A question|An answer/)

  const asked = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<string>()
  exports.json = async (id, signal) => {
    asked.resolve()
    await once(signal!, 'abort')
    const pieces = await json(id, signal)
    ended.resolve(Buffer.concat(pieces).toString())
    return pieces
  }
  const other = new AbortController()
  const gone = fetch(`${service.url}/api/session/export?session_id=${session.session_id}`, { signal: other.signal })
  await asked.promise
  other.abort()
  await t.rejects(gone)
  t.match(JSON.parse(await ended.promise), { session_id: session.session_id, messages: [] })
})
