import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from '#test'
import { start } from '../support/app.js'
import { eventually } from '../support/chat.js'

const cookieOf = (headers: Headers): string => headers.getSetCookie().find((line) => line.startsWith('svc_profile='))!.split(';')[0]!

t.test('each client works in the profile that it has chosen', async (t) => {
  const service = await start(t)
  const { body: made } = await service.post('/api/profile/create', { name: 'work', default_model: 'm-2', model_provider: 'lmstudio', base_url: 'http://127.0.0.1:9/v1', api_key: 'key-12345678' })
  t.match(made, { ok: true, profile: { name: 'work', is_default: false, is_active: false, gateway_running: false, visible: true, has_env: true, skill_count: 5 } })
  const home = join(service.folder, 'home', 'profiles', 'work')
  t.equal(readFileSync(join(home, 'config.yaml'), 'utf8'), 'model:\n  default: m-2\n  provider: lmstudio\n  base_url: http://127.0.0.1:9/v1\n')
  t.equal(readFileSync(join(home, '.env'), 'utf8'), 'LMSTUDIO_API_KEY=key-12345678\n')
  t.equal(statSync(join(home, '.env')).mode & 0o777, 0o600)
  t.equal(statSync(home).mode & 0o777, 0o700)

  const { status, body, headers } = await service.post('/api/profile/switch', { name: 'work' })
  t.equal(status, 200)
  t.match(body, { active: 'work', is_default: false, default_model: 'm-2', default_model_provider: 'lmstudio', profiles: [{ name: 'default', is_active: false }, { name: 'work', is_active: true }] })
  t.match(headers.getSetCookie()[0], /^svc_profile=work; Path=\/; HttpOnly; SameSite=Lax$/)
  const cookie = { cookie: cookieOf(headers) }
  t.match((await service.get('/api/profile/active', cookie)).body, { name: 'work', path: home, is_default: false })
  t.match((await service.get('/api/profile/active')).body, { name: 'default', is_default: true }, 'nobody else is moved')
  t.match((await service.get('/api/settings', cookie)).body, { default_model: 'm-2' })

  const mine = await service.post('/api/session/new', {}, cookie)
  t.equal(mine.body.session.profile, 'work')
  t.match((await service.get('/api/profile/active', { cookie: 'svc_profile=gone' })).body, { name: 'default' })
  t.match((await service.post('/api/profile/switch', { name: 'default' }, cookie)).headers.getSetCookie()[0], /^svc_profile=default;/, 'set for the default one, too')
})

t.test('what is asked of profiles and cannot be', async (t) => {
  const service = await start(t)
  const refused = async (path: string, body: unknown, status: number, error: string | RegExp): Promise<void> => {
    const answer = await service.post(path, body)
    t.equal(answer.status, status, JSON.stringify(body))
    t.match(answer.body, { error })
  }
  await refused('/api/profile/switch', { name: 'nobody' }, 404, 'Profile not found')
  await refused('/api/profile/switch', {}, 400, /name/)
  for (const name of ['Work', '../x', '.deleted', 'a b', '-a', 'a'.repeat(65), '\ud800']) await refused('/api/profile/create', { name }, 400, /name/)
  await refused('/api/profile/create', { name: 'default' }, 400, /already/)
  await refused('/api/profile/create', { name: 'x', clone_from: 'nobody' }, 404, 'Profile not found')
  await refused('/api/profile/create', { name: 'x', api_key: 'short' }, 400, /8 characters/)
  await refused('/api/profile/create', { name: 'x', api_key: 'long enough\nA=b' }, 400, /line breaks/)
  for (const address of ['ftp://a.b', 'nonsense', 'http://169.254.169.254/latest', 'http://[fe80::1]/', 'http://[::ffff:169.254.169.254]/', 'http://2852039166/', 'http://metadata.google.internal/v1', 'http://me:pw@host/v1']) {
    await refused('/api/profile/create', { name: 'x', base_url: address }, 400, /base_url must/)
  }
  await refused('/api/profile/delete', { name: 'default' }, 400, /default/)
  await refused('/api/profile/delete', { name: 'nobody' }, 404, 'Profile not found')
  t.equal(existsSync(join(service.folder, 'home', 'profiles', 'x')), false, 'nothing is left of what was refused')
})

t.test('a profile is cloned, and taken away', async (t) => {
  const service = await start(t)
  writeFileSync(join(service.folder, 'home', 'config.yaml'), '# mine\nagent:\n  reasoning_effort: high\n')
  writeFileSync(join(service.folder, 'home', '.env'), 'OPENAI_API_KEY=sk-of-the-first-one\n')
  writeFileSync(join(service.folder, 'home', 'SOUL.md'), 'Be brief.')
  t.equal((await service.post('/api/profile/create', { name: 'twin', clone_config: true })).status, 200)
  const home = join(service.folder, 'home', 'profiles', 'twin')
  t.equal(readFileSync(join(home, 'config.yaml'), 'utf8'), '# mine\nagent:\n  reasoning_effort: high\n')
  t.equal(readFileSync(join(home, 'SOUL.md'), 'utf8'), 'Be brief.')
  t.equal(statSync(join(home, '.env')).mode & 0o777, 0o600)
  t.match((await service.post('/api/profile/create', { name: 'twin' })).body, { error: /already/ })
  t.equal((await service.post('/api/profile/create', { name: 'third', clone_from: 'twin' })).body.profile.has_env, true)

  const { body: { session } } = await service.post('/api/session/new', {}, { cookie: 'svc_profile=twin' })
  t.same((await service.post('/api/profile/delete', { name: 'twin' })).body, { ok: true, name: 'twin' })
  t.equal(existsSync(home), false)
  t.same((await service.get('/api/profiles')).body.profiles.map(({ name }: { name: string }) => name), ['default', 'third'])
  const orphaned = await service.post('/api/chat/start', { session_id: session.session_id, message: 'hello' })
  t.equal(orphaned.status, 404, 'what belonged to it answers with nobody else\'s keys')
  t.match(orphaned.body, { error: 'Profile not found' })
})

t.test('a profile in which a turn runs is neither left nor deleted', async (t) => {
  const service = await start(t, { demoWordsPerSecond: 5 })
  await service.post('/api/profile/create', { name: 'work' })
  const cookie = { cookie: 'svc_profile=work' }
  const { body: { session } } = await service.post('/api/session/new', {}, cookie)
  const streamId = await service.send(session.session_id, 'Tell me something long', { profile: session.profile })
  t.match(await service.post('/api/profile/delete', { name: 'work' }), { status: 409, body: { code: 'profile_busy' } })
  t.match(await service.post('/api/profile/switch', { name: 'default' }, cookie), { status: 409, body: { code: 'profile_busy' } })
  t.equal((await service.post('/api/profile/switch', { name: 'work' }, cookie)).status, 200, 'to stay is no switch')
  await service.post('/api/chat/cancel', { stream_id: streamId }, cookie)
  await eventually('a second look', async () => (await service.post('/api/profile/switch', { name: 'default' }, cookie)).status === 200)
  t.equal((await service.post('/api/profile/delete', { name: 'work' })).status, 200)
})

t.test('behind a password a choice is signed, and belongs to the session it was made in', async (t) => {
  const service = await start(t, { env: { SVC_WEBUI_PASSWORD: 'correct horse' } })
  const signIn = async (): Promise<string> => (await service.post('/api/auth/login', { password: 'correct horse' })).headers.getSetCookie()[0]!.split(';')[0]!
  const [first, second] = [await signIn(), await signIn()]
  await service.post('/api/profile/create', { name: 'work' }, { cookie: first })
  const chosen = cookieOf((await service.post('/api/profile/switch', { name: 'work' }, { cookie: first })).headers)
  t.match(chosen, /^svc_profile=work\.[0-9a-f]{64}$/)
  const seen = async (...cookies: string[]): Promise<string> => (await service.get('/api/profile/active', { cookie: cookies.join('; ') })).body.name
  t.equal(await seen(first, chosen), 'work')
  t.equal(await seen(second, chosen), 'default')
  t.equal(await seen(first, 'svc_profile=work'), 'default')
  t.equal(await seen(first, 'svc_profile=work.00', chosen), 'work', 'one that a sibling host has set does not hide ours')
})

t.test('an isolated service knows one profile', async (t) => {
  const outer = mkdtempSync(join(tmpdir(), 'isolated-'))
  t.teardown(() => rmSync(outer, { recursive: true }))
  for (const name of ['solo', 'other']) mkdirSync(join(outer, 'profiles', name), { recursive: true })
  const service = await start(t, { env: { SVC_WEBUI_ISOLATED_PROFILE: '1', SVC_HOME: join(outer, 'profiles', 'solo') } })
  t.match((await service.get('/api/profiles')).body, { active: 'solo', single_profile_mode: true, profiles: [{ name: 'solo', is_default: false }] })
  for (const [path, name] of [['switch', 'solo'], ['switch', 'other'], ['create', 'new'], ['delete', 'solo']] as const) t.equal((await service.post(`/api/profile/${path}`, { name })).status, 403, path)
  t.equal((await service.get('/api/profile/active', { cookie: 'svc_profile=other' })).body.name, 'solo')
  const id = await service.newSession()
  t.equal((await service.session(id)).profile, 'solo')
})

t.test('what is changed by hand is noticed, and a file that breaks is told of', async (t) => {
  const service = await start(t)
  const path = join(service.folder, 'home', 'config.yaml')
  writeFileSync(path, 'max_tokens: 4000\n')
  await eventually('a second look', async () => (await service.get('/api/settings')).body.max_tokens === 4000)
  writeFileSync(path, 'max_tokens: [4000\n')
  t.equal((await service.get('/api/settings')).body.max_tokens, 4000, 'what was well goes on')
})
