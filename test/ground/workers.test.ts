import t from '#test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLane } from '../../services/ground/concurrency/lane.js'
import { openDatabase } from '../../services/ground/database/index.js'
import { createWorkers } from '../../services/ground/workers/index.js'
import { kinds } from '../../services/threads/kinds.js'
import { eventually } from '../support/chat.js'

function pool (t: { teardown (callback: () => unknown): unknown }) {
  const workers = createWorkers({ kinds })
  t.teardown(() => workers.close())
  return workers
}

t.test('errors of the domain arrive as themselves', async (t) => {
  const workers = pool(t)
  const territory = { root: t.testdir({}), closed: [] }
  await t.rejects(workers.run('listFolder', { territory, path: 'missing' }), { name: 'NotFound', message: 'Folder not found' })
  await t.rejects(workers.run('listFolder', { territory, path: 'a\0b' }), { name: 'Invalid' })
})

t.test('threads that are ended for taking too long leave nobody waiting', async (t) => {
  const workers = pool(t)
  const root = t.testdir({})
  for (let index = 0; index < 500; index++) writeFileSync(join(root, `file-${index}`), '')
  const territory = { root, closed: [] }
  const late = Array.from({ length: 6 }, async () => await workers.run('walkFolder', { territory, path: '.', limits: { bytes: 1e9, files: 1e6 } }, { timeoutMs: 1 }))
  const listings = Array.from({ length: 6 }, async () => await workers.run('listFolder', { territory, path: '.' }))
  for (const outcome of await Promise.allSettled(late)) t.match(outcome, { status: 'rejected', reason: { name: 'Unavailable', code: 'timeout' } })
  for (const { count } of await Promise.all(listings)) t.equal(count, 500)
})

t.test('the log of a database is copied into its file while commits go on', async (t) => {
  const workers = createWorkers({ kinds })
  t.teardown(async () => await workers.close())
  const file = join(t.testdir({}), 'service.db')
  const db = openDatabase({ file })
  t.teardown(db.close)
  db.sqlite.exec('create table bulk (text)')
  const insert = db.sqlite.prepare('insert into bulk values (?)')
  const state = db.sqlite.prepare<[], { log: number, checkpointed: number }>('pragma wal_checkpoint(NOOP)')
  const asked: string[] = []
  db.checkpointBy(async (file) => {
    asked.push(file)
    await workers.run('checkpointWal', { file })
    throw new Error('nobody hears of this')
  })
  for (let rows = 0; asked.length < 3; rows++) {
    db.transaction(() => insert.run(`${rows} ${'x'.repeat(100_000)}`))
    if (rows % 16 === 0) await new Promise(setImmediate)
  }
  t.same([...new Set(asked)], [file])
  await eventually('all of it', async () => {
    const { log, checkpointed } = state.get()!
    if (checkpointed === log) return true
    db.transaction(() => insert.run('x'))
    if (log - checkpointed < 900) await workers.run('checkpointWal', { file })
    return null
  })
  t.equal(db.sqlite.pragma('integrity_check', { simple: true }), 'ok')
})

t.test('what takes long does not hold up a listing', async (t) => {
  const workers = pool(t)
  const root = t.testdir({})
  for (let index = 0; index < 2_000; index++) writeFileSync(join(root, `file-${index}`), '')
  const territory = { root, closed: [] }
  const limits = { bytes: 1e9, files: 1e6 }
  await Promise.all([workers.run('listFolder', { territory, path: '.' }), workers.run('walkFolder', { territory, path: '.', limits })])
  let walked = 0
  const walks = Array.from({ length: 40 }, async () => {
    await workers.run('walkFolder', { territory, path: '.', limits })
    walked++
  })
  await workers.run('listFolder', { territory, path: '.' })
  t.ok(walked < 40, 'the listing came before the last of the walks')
  await Promise.all(walks)
})

t.test('a lane lets so many in at once, in order, and turns away who waits too long', async (t) => {
  const enter = createLane(2, 20)
  const [first] = await Promise.all([enter(), enter()])
  const order: string[] = []
  const third = enter().then((leave) => {
    order.push('third')
    return leave
  })
  const fourth = enter()
  first!()
  await third
  t.same(order, ['third'])
  await t.rejects(fourth, { name: 'Unavailable', code: 'busy' })
  ;(await third)()
  await enter()
})
