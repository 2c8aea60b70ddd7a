import { once } from 'node:events'
import t from '#test'
import { start } from '../support/app.js'

t.test('a page is not written further when its reader has gone', async (t) => {
  const service = await start(t)
  const { session } = (await service.post('/api/session/import', { messages: [{ role: 'user', content: 'A question' }, { role: 'assistant', content: 'An answer' }] })).body
  const { exports } = service.app
  const { page } = exports
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
})
