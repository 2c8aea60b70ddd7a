import t from '#test'
import { createVersions } from '../../services/areas/sessions/versions.js'
import { openDatabase } from '../../services/ground/database/index.js'
import { startChat } from '../support/chat.js'

interface Versions { index: number, session_ids: string[] }

t.test('versions of a message: the service says which sessions hold them, whichever of these is read', async (t) => {
  const s = await startChat(t)
  const id = await s.newSession()
  const say = async (sessionId: string, text: string): Promise<void> => { await s.turn(sessionId, text, s.model([{ text: `On ${text}` }])) }
  const of = async (sessionId: string): Promise<Versions[] | undefined> => (await s.session(sessionId)).versions
  const keep = async (sessionId: string, index: number): Promise<string> =>
    (await s.post('/api/session/branch', { session_id: sessionId, version_index: index })).body.session_id
  const retry = async (sessionId: string, index: number): Promise<string> => {
    const kept = await keep(sessionId, index)
    const { body } = await s.post('/api/session/retry', { session_id: sessionId })
    await say(sessionId, body.last_user_text)
    return kept
  }
  await say(id, 'one')
  await say(id, 'two')
  t.equal(await of(id), undefined)

  const first = await retry(id, 2)
  const second = await retry(id, 2)
  const third = [{ index: 2, session_ids: [first, second, id] }]
  for (const session of [first, second, id]) t.same(await of(session), third, 'the oldest first')
  const before = await retry(first, 2)
  for (const session of [before, first, second, id]) t.same(await of(session), [{ index: 2, session_ids: [before, second, id, first] }], 'a version of a version, and the one that was sent last')

  await t.test('an edit of an earlier message has versions of its own, and ends those of later ones', async (t) => {
    const edited = await keep(id, 0)
    for (const session of [edited, id]) t.notOk((await of(session))?.some(({ index }) => index === 0), 'nothing is replaced yet')
    await s.post('/api/session/truncate', { session_id: id, keep_count: 0 })
    for (const session of [edited, id]) t.notOk((await of(session))?.some(({ index }) => index === 0), 'nothing is there yet')
    await say(id, 'uno')
    t.same(await of(id), [{ index: 0, session_ids: [edited, id] }])
    await say(id, 'dos')
    t.same(await of(id), [{ index: 0, session_ids: [edited, id] }], 'another message in the same place is no version')
    t.same(await of(second), undefined)
    t.same(await of(first), [{ index: 2, session_ids: [before, first] }], 'what was not cut off stays')
  })

  await t.test('what is deleted or cleared is no version any more', async (t) => {
    await s.post('/api/session/delete', { session_id: before })
    t.equal(await of(first), undefined)
    const [{ session_ids: [edited] }] = await of(id) as [Versions]
    await s.post('/api/session/clear', { session_id: id })
    await say(id, 'again')
    t.equal(await of(id), undefined)
    t.equal(await of(edited!), undefined)
  })

  await t.test('what is sent after an undo is no version of what was taken back', async (t) => {
    const undone = await s.newSession()
    await say(undone, 'one')
    const kept = await retry(undone, 0)
    t.same(await of(kept), [{ index: 0, session_ids: [kept, undone] }])
    await s.post('/api/session/undo', { session_id: undone })
    await say(undone, 'something else')
    t.equal(await of(undone), undefined)
    t.equal(await of(kept), undefined)
  })

  await t.test('versions stay together when one between them is deleted', async (t) => {
    const last = await s.newSession()
    await say(last, 'one')
    const [between, third] = [await retry(last, 0), await retry(last, 0)]
    const oldest = await retry(between, 0)
    t.same(await of(third), [{ index: 0, session_ids: [oldest, third, last, between] }], 'by the time at which they were sent')
    await s.post('/api/session/delete', { session_id: between })
    for (const session of [oldest, third, last]) t.same(await of(session), [{ index: 0, session_ids: [oldest, third, last] }])
    t.equal((await s.session(oldest)).parent_session_id, last)
    await s.post('/api/session/delete', { session_id: last })
    for (const session of [oldest, third]) t.same(await of(session), [{ index: 0, session_ids: [oldest, third] }])
  })

  await t.test('only messages of a person have versions', async (t) => {
    for (const index of [1, 99, -1]) {
      t.equal((await s.post('/api/session/branch', { session_id: id, version_index: index })).status, 400, String(index))
    }
    t.equal((await s.post('/api/session/branch', { session_id: id, keep_count: 0, version_index: 0 })).status, 400, 'the branch has to hold it')
    const copy = (await s.post('/api/session/branch', { session_id: id })).body.session_id
    t.equal(await of(copy), undefined, 'a branch is another conversation')
  })
})

t.test('work for versions grows with their number', async (t) => {
  const db = openDatabase({ file: ':memory:' })
  const session = db.sqlite.prepare(`insert into sessions (id, profile, workspace, source, parent_session_id, version_index, message_count, created_at, updated_at)
    values (?, 'default', '/', ?, ?, ?, ?, 1, 1)`)
  const message = db.sqlite.prepare("insert into messages (session_id, position, message_id, role, counted, body, created_at) values (?, ?, ?, 'user', 1, '{}', ?)")
  session.run('edited', 'webui', null, null, 300)
  for (let index = 0; index < 300; index++) {
    message.run('edited', index, `new${index}`, 1_000 + index)
    session.run(`old${index}`, 'fork', 'edited', index, index + 1)
    message.run(`old${index}`, index, `old${index}`, index)
  }
  for (let index = 0; index <= 20_000; index++) session.run(`again${index}`, 'fork', index === 0 ? null : `again${index - 1}`, 0, 1)

  let rows = 0
  const prepare = db.sqlite.prepare.bind(db.sqlite)
  db.sqlite.prepare = ((sql: string) => {
    const statement = prepare(sql)
    const all = statement.all.bind(statement)
    return Object.assign(statement, {
      all: (...given: unknown[]) => {
        const found = all(...given)
        rows += found.length
        return found
      }
    })
  }) as typeof db.sqlite.prepare
  const versions = createVersions(db)
  t.same(versions({ id: 'edited', versionIndex: null, messageCount: 300 }), Array.from({ length: 300 }, (_, index) => ({ index, session_ids: [`old${index}`, 'edited'] })))
  t.ok(rows <= 600, `${rows} rows were read`)
  t.same(versions({ id: 'again10000', versionIndex: 0, messageCount: 1 }), [], 'a long chain is no deep recursion')
  db.close()
})
