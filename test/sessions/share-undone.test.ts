import t from '#test'
import { start } from '../support/app.js'

t.test('a page that is being made is not shared once sharing has been ended', async (t) => {
  const service = await start(t)
  const imported = await service.post('/api/session/import', { messages: [{ role: 'user', content: 'Hello' }, { role: 'assistant', content: 'Hello.' }] })
  const { session_id: id } = imported.body.session
  const { shares, exports } = service.app
  const made = Promise.withResolvers<Buffer[]>()
  const snapshot = exports.snapshot
  exports.snapshot = async () => await made.promise
  const making = shares.create(id)
  t.equal(await shares.revoke(id), 0)
  made.resolve([Buffer.from('a page')])
  await t.rejects(making, { message: /was ended while the page was made/ })
  t.same(shares.list(id), [])
  exports.snapshot = snapshot
  await shares.create(id)
  t.equal(shares.list(id).length, 1, 'the next one is')
})
