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

t.test('a row whose owner has just been deleted is not found, and no fault of the service', async (t) => {
  const service = await start(t)
  const { db, sessions } = service.app
  sessions.rows.find = () => {
    db.sqlite.prepare("insert into goals (session_id, goal, status, max_turns, created_at, updated_at) values ('nobody', '', 'active', 1, 0, 0)").run()
    return undefined
  }
  t.match(await service.get('/api/session?session_id=abc'), { status: 404, body: { error: /just been deleted/ } })
})
