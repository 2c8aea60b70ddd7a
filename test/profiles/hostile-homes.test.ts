import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { start } from '../support/app.js'

t.test('pipes and links in the places of homes and their files hold nobody up', async (t) => {
  const service = await start(t)
  const home = join(service.folder, 'home')
  const names = async (): Promise<string[]> => (await service.get('/api/profiles')).body.profiles.map(({ name }: { name: string }) => name)
  mkdirSync(join(home, 'profiles'))
  symlinkSync('circle', join(home, 'profiles', 'circle'))
  t.same(await names(), ['default'])
  t.equal((await service.post('/api/profile/switch', { name: 'circle' })).status, 404)
  t.equal((await service.post('/api/profile/create', { name: 'circle' })).status, 400, 'the name is taken')

  execFileSync('mkfifo', [join(home, 'active_profile'), join(home, 'SOUL.md')])
  t.equal((await service.get('/api/profile/active')).body.name, 'default')
  const refused = await service.post('/api/profile/create', { name: 'copy', clone_config: true })
  t.equal(refused.status, 400)
  t.match(refused.body.error, /SOUL\.md of the profile default is not a file/)
  rmSync(join(home, 'SOUL.md'))
  writeFileSync(join(home, 'config.yaml'), 'model: [broken\n')
  t.match(await service.post('/api/profile/create', { name: 'copy', clone_config: true, default_model: 'x' }), { status: 409, body: { code: 'config_broken' } })
  rmSync(join(home, 'config.yaml'))
  rmSync(join(home, 'active_profile'))
  symlinkSync('active_profile', join(home, 'active_profile'))
  t.equal((await service.get('/api/profile/active')).body.name, 'default')

  const elsewhere = join(service.folder, 'elsewhere')
  mkdirSync(elsewhere)
  writeFileSync(join(elsewhere, '.env'), 'A=b\n')
  symlinkSync(elsewhere, join(home, 'profiles', 'linked'))
  t.same(await names(), ['default', 'linked'])
  t.equal((await service.post('/api/profile/delete', { name: 'linked' })).status, 200)
  t.same(await names(), ['default'])
  t.ok(existsSync(join(elsewhere, '.env')), 'what a link leads to stays')
})

t.test('names that every object knows are names like others', async (t) => {
  const service = await start(t)
  const home = join(service.folder, 'home')
  mkdirSync(join(home, 'profiles', 'constructor'), { recursive: true })
  const section = '{base_url: "http://127.0.0.1:9/v1", key_env: constructor}'
  writeFileSync(join(home, 'config.yaml'), `model: {provider: constructor, default: toString}\nproviders: {__proto__: ${section}, constructor: ${section}, toString: ${section}}\n`)
  for (const path of ['settings', 'profiles', 'providers', 'models']) t.equal((await service.get(`/api/${path}`)).status, 200, path)
  t.equal((await service.get('/api/settings')).body.default_model, 'toString')
  t.equal((await service.post('/api/profile/switch', { name: 'constructor' })).status, 200)
  t.match((await service.post('/api/settings', { language: 'de_DE' })).body.error, /\[a-zA-Z\]/)
  t.equal((await service.post('/api/settings', '{"constructor": 1, "__proto__": {"theme": "light"}, "toString": null}')).body.theme, 'dark')
})
