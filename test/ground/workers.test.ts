import t from '#test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLane } from '../../services/ground/concurrency/lane.js'
import { createWorkers } from '../../services/ground/workers/index.js'
import { kinds } from '../../services/threads/kinds.js'

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
