import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { start } from '../support/app.js'

t.test('a home that is made by hand is seen, watched, and missed when it is gone', async (t) => {
  const service = await start(t)
  const folder = join(service.folder, 'home', 'profiles')
  const feed = await service.events('/api/events')
  await feed.until('snapshot')
  const told = async (profile: string, fits: (data: any) => boolean) => await feed.until(({ event, data }) => event === 'profile' && data.profile === profile && fits(data)) // eslint-disable-line @typescript-eslint/no-explicit-any -- what the wire carries

  mkdirSync(join(folder, 'first'), { recursive: true })
  await told('first', ({ exists }) => exists)
  // Moved there as a whole, as an archive or a copy does it.
  mkdirSync(join(service.folder, 'second'))
  writeFileSync(join(service.folder, 'second', 'config.yaml'), 'max_tokens: many\n')
  renameSync(join(service.folder, 'second'), join(folder, 'second'))
  t.match((await told('second', ({ exists }) => exists)).data.config_problems, [{ path: 'max_tokens', line: 1 }])
  writeFileSync(join(folder, 'second', 'config.yaml'), 'max_tokens: 5\n')
  await told('second', (data) => data.config_problems.length === 0)
  writeFileSync(join(folder, 'first', 'config.yaml'), 'max_tokens: [\n')
  await told('first', (data) => data.config_error !== null)

  const { body: { session } } = await service.post('/api/session/new', {}, { cookie: 'svc_profile=second' })
  await (await service.events(`/api/chat/stream?stream_id=${await service.send(session.session_id, 'hello', { profile: 'second' })}`, { cookie: 'svc_profile=second' })).until('stream_end')
  t.equal(service.app.agent.health('second').pid, null)
  t.not(service.app.agent.health('second').sinceMs, null)
  rmSync(join(folder, 'second'), { recursive: true })
  await told('second', ({ exists }) => !exists)
  t.equal(service.app.agent.health('second').sinceMs, null, 'its agent has gone as well')
  t.same((await service.get('/api/profiles')).body.profiles.map(({ name }: { name: string }) => name), ['default', 'first'])

  mkdirSync(join(folder, 'second'))
  await told('second', ({ exists }) => exists)
  mkdirSync(join(folder, 'No Profile'))
  t.equal((await service.get('/api/profiles')).body.profiles.length, 3)
})
