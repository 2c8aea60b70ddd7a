import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { explain } from '../../../services/workspace/files/failures.js'
import { start } from '../../support/app.js'

t.test('what the system refuses is said in the words of the interface', (t) => {
  for (const [code, name, said] of [['ETXTBSY', 'Conflict', 'running'], ['EBUSY', 'Conflict', 'mounted'], ['EXDEV', 'Invalid', 'other_disk'], ['EEXIST', 'Conflict', 'exists']]) {
    t.throws(() => explain('File not found')(Object.assign(new Error(code), { code })), { name, code: said }, code)
  }
})

t.test('a folder that cannot be removed completely is there again, under its name', async (t) => {
  const service = await start(t)
  const { body: { session } } = await service.post('/api/session/new')
  const folder = join(session.workspace, 'kept')
  mkdirSync(folder)
  writeFileSync(join(folder, 'a.txt'), 'one')
  const { workers } = service.app
  const { run } = workers
  const refusing = async (...args: unknown[]): Promise<unknown> => {
    if (args[0] === 'removeTrees') throw new Error('it cannot be removed')
    return await Reflect.apply(run, workers, args)
  }
  Object.assign(workers, { run: refusing })
  t.match(await service.post('/api/file/delete', { session_id: session.session_id, path: 'kept', recursive: true, permanent: true }), { status: 409, body: { code: 'not_removed' } })
  t.ok(existsSync(join(folder, 'a.txt')))
})
