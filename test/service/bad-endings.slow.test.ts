import t from '#test'
import { answering, http, page } from '../support/failing-addresses.js'
import { temporaryFolder } from '../support/folder.js'
import { spawnServer } from '../support/server.js'

t.test('a turn that ended badly is one line of the log, which says whose and why', async (t) => {
  const url = await http(t, answering(200, { 'content-type': 'text/html' }, page))
  const service = await spawnServer(t, temporaryFolder(t, 'bad-endings'), { OPENAI_BASE_URL: url, OPENAI_API_KEY: 'test-key-12345', LOG_LEVEL: 'info' })
  const { session: { session_id: session } } = await service.json('/api/session/new', {})
  const { stream_id: stream } = await service.json('/api/chat/start', { session_id: session, message: 'hello', model: '@openai:some-model' })
  await (await service.events(`/api/chat/stream?stream_id=${stream}`)).until('stream_end').catch(() => {})
  t.equal(await service.end('SIGTERM'), 0)
  const lines = service.output().split('\n').filter((line) => line.includes('a turn failed')).map((line) => JSON.parse(line) as Record<string, unknown>)
  t.equal(lines.length, 1)
  t.match(lines[0], { level: 40, session, stream, provider: 'openai', model: 'some-model', host: '127.0.0.1', code: String, attempts: 1, reason: /web page instead of an API/ })
  t.notMatch(service.output(), 'test-key-12345')
})
