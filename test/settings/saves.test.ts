import { hash } from 'node:crypto'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from '#test'
import { createValues } from '../../services/ground/database/index.js'
import { parseYaml } from '../../services/ground/home/yaml.js'
import { start } from '../support/app.js'

t.test('a save that cannot be stored leaves max_tokens of config.yaml as it was', async (t) => {
  const service = await start(t)
  const path = join(service.folder, 'home', 'config.yaml')
  const values = createValues(service.app.db.sqlite)
  service.app.db.sqlite.exec("create trigger refuse before insert on settings when new.key = 'rtl' begin select raise(abort, 'no'); end")
  for (const text of ['# mine\nother: 1\n', '# mine\nmax_tokens: 4000 # enough\n', 'max_tokens: many\n']) {
    writeFileSync(path, text)
    for (const limit of [500, null]) {
      t.equal((await service.post('/api/settings', { rtl: true, max_tokens: limit })).status, 500)
      if (limit === null) t.same(parseYaml(readFileSync(path, 'utf8')), parseYaml(text))
      else t.equal(readFileSync(path, 'utf8'), text)
      t.equal(values.get('limits_in_flight'), undefined)
    }
  }
  writeFileSync(path, '# mine\n')
  service.app.db.sqlite.exec('drop trigger refuse')
  t.match((await service.post('/api/settings', { rtl: true, max_tokens: 500 })).body, { rtl: true, max_tokens: 500 })
  t.equal(values.get('limits_in_flight'), undefined)
})

t.test('what a save that was cut off between the file and the database has left is taken back at the next start', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'saves-'))
  const first = await start(t, { folder })
  const path = join(folder, 'home', 'config.yaml')
  const cutOff = (service: typeof first, note: object, text: string): void => {
    createValues(service.app.db.sqlite).set('limits_in_flight', note, 0)
    writeFileSync(path, text)
  }
  cutOff(first, { profile: 'default', changes: [{ path: ['max_tokens'], before: 4000, after: 500 }] }, '# mine\nmax_tokens: 500\n')
  await first.stop()
  const second = await start(t, { folder })
  t.match((await second.get('/api/settings')).body, { max_tokens: 4000, rtl: false })
  t.equal(readFileSync(path, 'utf8'), '# mine\nmax_tokens: 4000\n')

  cutOff(second, { profile: 'default', changes: [{ path: ['max_tokens'], before: null, after: 500 }] }, '# mine\nmax_tokens: 700\n')
  await second.stop()
  const third = await start(t, { folder })
  t.match((await third.get('/api/settings')).body, { max_tokens: 700 }, 'what somebody has written by hand since stays')
  cutOff(third, { profile: 'gone', changes: [{ path: ['max_tokens'], before: null, after: 500 }] }, 'a: [\n')
  await third.stop()
  const fourth = await start(t, { folder })
  t.equal(createValues(fourth.app.db.sqlite).get('limits_in_flight'), undefined)
})

t.test('how long a sign-in lasts is a setting: a shorter one ends those that are older at once, a longer one holds for the next', async (t) => {
  let seconds = 1_800_000_000
  const service = await start(t, { clock: { now: () => seconds * 1000 } })
  t.match((await service.get('/api/settings')).body, { session_ttl_seconds: 2_592_000 })
  for (const value of [59, 31_536_001, 60.5, '600', true]) t.match(await service.post('/api/settings', { session_ttl_seconds: value, rtl: true }), { status: 400, body: { error: /^session_ttl_seconds: / } })
  t.match((await service.post('/api/settings', { session_ttl_seconds: 600 })).body, { session_ttl_seconds: 600, rtl: false })

  const made = await service.post('/api/settings', { _set_password: 'a good password' })
  t.match(made.headers.get('set-cookie'), /Max-Age=600/)
  const signIn = async (): Promise<Record<string, string>> => {
    const { headers } = await service.post('/api/auth/login', { password: 'a good password' })
    return { cookie: headers.get('set-cookie')!.split(';')[0]! }
  }
  const status = async (headers: Record<string, string>): Promise<number> => (await service.get('/api/sessions', headers)).status
  const before = await signIn()
  t.equal(await status(before), 200)
  seconds += 100
  const later = await signIn()
  t.equal((await service.post('/api/settings', { session_ttl_seconds: 90 }, later)).status, 200)
  t.equal(await status(before), 401, 'it is older than that')
  t.equal(await status(later), 200)
  const stands = ({ cookie }: Record<string, string>): boolean => {
    const [token = ''] = cookie!.split('=')[1]!.split('.')
    return service.app.auth.stands({ via: 'cookie', tokenHash: hash('sha256', token) })
  }
  t.same([stands(before), stands(later)], [false, true], 'nor is anything that it had opened left open')
  t.equal((await service.post('/api/settings', { session_ttl_seconds: 31_536_000 }, later)).status, 200)
  seconds += 599
  t.equal(await status(later), 200)
  const long = await signIn()
  seconds += 2
  t.equal(await status(later), 401, 'none lasts longer than was set when it began')
  seconds += 2_592_000
  t.equal(await status(long), 200)
})

t.test('where the environment says how long a sign-in lasts, that holds', async (t) => {
  const service = await start(t, { env: { SVC_WEBUI_SESSION_TTL: '120' } })
  t.match((await service.get('/api/settings')).body, { session_ttl_seconds: 120 })
  t.match(await service.post('/api/settings', { session_ttl_seconds: 600, rtl: true }), { status: 200, body: { rtl: true, session_ttl_seconds: 120 } })
})
