import { join } from 'node:path'
import t from '#test'
import { keepSession, readSession } from '../../services/agent/acp/kept-sessions.js'
import { start } from '../support/app.js'

t.test('what other areas store of a session goes also if the service was stopped while it removed the session', async (t) => {
  const service = await start(t)
  const home = join(service.folder, 'home')
  const id = await service.newSession()
  await keepSession(home, id, { agent: 'other', target: 'other', session: 'its own', folder: home, turn: 1, isOpen: false })
  t.ok(readSession(home, id))
  const { db, sessions } = service.app
  db.transaction(() => sessions.rows.conceal(id))
  await sessions.sweep()
  t.notOk(sessions.has(id))
  t.equal(readSession(home, id), null)
})
