import t from '#test'
import { start } from '../support/app.js'

t.test('lines of the log name the request that they are about', async (t) => {
  const log: Array<Record<string, unknown>> = []
  const service = await start(t, { log: (line) => log.push(line) })
  service.app.sessions.rows.find = () => { throw new Error('a fault') }
  const answers = [await service.get('/api/session?session_id=abc'), await service.get('/api/session?session_id=abc')]
  t.same(answers.map(({ status }) => status), [500, 500])
  for (const { headers } of answers) {
    const told = log.filter(({ reqId }) => reqId === headers.get('x-request-id')).map(({ msg }) => msg)
    t.same(told.toSorted(), ['request', 'request failed'])
  }
})
