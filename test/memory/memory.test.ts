import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { start, type Answer, type TestService } from '../support/app.js'

const secret = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD'
const other = 'sk-proj-ZYXWVUTSRQPONMLKJIHGFEDCBA9876543210abcd'
const fileOf = (service: TestService, ...path: string[]): string => join(service.folder, 'home', ...path)
const notes = (service: TestService): string => fileOf(service, 'memories', 'MEMORY.md')
const write = async (service: TestService, section: unknown, content: unknown, more = {}): Promise<Answer> => await service.post('/api/memory/write', { section, content, ...more })
const read = async (service: TestService, query = ''): Promise<Answer['body']> => (await service.get(`/api/memory${query}`)).body
const history = async (service: TestService, section: string): Promise<Answer['body'][]> => (await service.get(`/api/memory/history?section=${section}`)).body.versions

t.test('the documents are empty at first, are written, and are read again', async (t) => {
  const service = await start(t)
  const before = await read(service)
  t.match(before, {
    memory: '', user: '', soul: '', memory_mtime: null, user_mtime: null, soul_mtime: null, problems: [], max_bytes: 20_000,
    memory_path: notes(service), user_path: fileOf(service, 'memories', 'USER.md'), soul_path: fileOf(service, 'SOUL.md'),
    project_context: '', project_context_path: '', project_context_mtime: null, project_context_shadowed: [], external_notes_enabled: false
  })
  for (const [section, path] of [['memory', notes(service)], ['user', before.user_path], ['soul', before.soul_path]]) {
    const { status, body } = await write(service, section, `About ${section}\n`)
    t.equal(status, 200)
    t.match(body, { ok: true, section, path })
    t.equal(readFileSync(path, 'utf8'), `About ${section}\n`)
    t.equal(statSync(path).mode & 0o777, 0o600)
  }
  const after = await read(service)
  t.match(after, { memory: 'About memory\n', user: 'About user\n', soul: 'About soul\n' })
  t.equal(after.memory_mtime, statSync(notes(service)).mtimeMs / 1000)
  t.equal((await write(service, 'memory', '')).status, 200, 'an empty document is one')
  t.match(await read(service), { memory: '' })
  t.same(readdirSync(fileOf(service, 'memories')), ['MEMORY.md', 'USER.md'], 'nothing is left beside them')
})

t.test('what is refused', async (t) => {
  const service = await start(t)
  const refused = async (body: Record<string, unknown>, status: number, error: RegExp): Promise<void> => {
    t.match(await service.post('/api/memory/write', body), { status, body: { error } }, JSON.stringify(body).slice(0, 80))
  }
  await refused({ section: 'memory' }, 400, /Missing required field\(s\): content/)
  await refused({ content: 'x' }, 400, /section/)
  await refused({ section: 'secrets', content: 'x' }, 400, /section/)
  await refused({ section: '__proto__', content: 'x' }, 400, /section/)
  await refused({ section: 'memory', content: 5 }, 400, /content/)
  await refused({ section: 'memory', content: 'x'.repeat(20_001) }, 413, /MEMORY.md would have 20001 bytes; the agent reads 20000/)
  t.equal((await write(service, 'memory', 'ä'.repeat(10_000))).status, 200)
  t.equal((await service.get('/api/memory?session_id=nowhere')).status, 404)

  rmSync(notes(service))
  writeFileSync(fileOf(service, 'elsewhere'), 'mine')
  symlinkSync(fileOf(service, 'elsewhere'), notes(service))
  t.match(await write(service, 'memory', 'x'), { status: 400, body: { code: 'symlink' } })
  t.equal(readFileSync(fileOf(service, 'elsewhere'), 'utf8'), 'mine')
  rmSync(notes(service))
  mkdirSync(notes(service))
  t.match(await write(service, 'memory', 'x'), { status: 400, body: { error: /is not a file/ } })
  t.match((await read(service)).problems, [{ section: 'memory', problem: 'is not a file' }])
  rmSync(notes(service), { recursive: true })
  writeFileSync(notes(service), 'old', { mode: 0o400 })
  t.match(await write(service, 'memory', 'x'), { status: 403, body: { code: 'read_only', error: 'MEMORY.md is read-only' } })
  chmodSync(notes(service), 0o600)
  writeFileSync(notes(service), Buffer.from([0xff, 0xfe, 0x00, 0x41]))
  t.match(await write(service, 'memory', 'x'), { status: 409, body: { code: 'not_text' } })
  t.same(readFileSync(notes(service)), Buffer.from([0xff, 0xfe, 0x00, 0x41]))
  rmSync(fileOf(service, 'memories'), { recursive: true })
  writeFileSync(fileOf(service, 'memories'), 'a file in the place of the folder')
  t.match(await write(service, 'memory', 'x'), { status: 400, body: { error: /its folder is not a folder/ } })
  t.equal((await service.get('/api/memory')).status, 200)
})

t.test('a section that is switched off has neither text nor path, and is not written', async (t) => {
  const service = await start(t)
  await write(service, 'memory', 'Notes')
  await write(service, 'user', 'Likes tea')
  writeFileSync(fileOf(service, 'config.yaml'), 'memory:\n  memory_enabled: false\n  user_profile_enabled: false\nwebui_external_notes_sources: [x]\n')
  t.match(await read(service), { memory: '', memory_path: '', memory_mtime: null, user: '', user_path: '', external_notes_enabled: true, soul_path: fileOf(service, 'SOUL.md') })
  t.match(await write(service, 'memory', 'x'), { status: 403, body: { error: /MEMORY.md is turned off in this profile \(memory.memory_enabled/ } })
  t.match(await write(service, 'user', 'x'), { status: 403, body: { error: /user_profile_enabled/ } })
  t.equal((await service.get('/api/memory/history?section=user')).status, 403)
  t.equal((await service.post('/api/memory/restore', { section: 'user', id: 1 })).status, 403)
  t.equal(readFileSync(notes(service), 'utf8'), 'Notes')
})

t.test('masked values survive a save of what was shown, or the save is refused', async (t) => {
  const service = await start(t)
  const text = `# Notes\nThe key is ${secret}.\nLunch at noon.\n`
  await write(service, 'memory', text)
  const { memory: shown } = await read(service)
  t.equal(shown, text.replace(secret, '[redacted]'))
  t.equal((await write(service, 'memory', shown.replace('noon', 'one').replace('# Notes', '# My notes\nnew line'))).status, 200)
  t.equal(readFileSync(notes(service), 'utf8'), `# My notes\nnew line\nThe key is ${secret}.\nLunch at one.\n`)
  const again = (await read(service)).memory
  t.match(await write(service, 'memory', again.replace('The key is', 'My key:')), { status: 409, body: { code: 'masked' } })
  t.match(await write(service, 'memory', `${again}The key is [redacted].\n`), { status: 409, body: { code: 'masked' } }, 'a second one of the same looks')
  t.match(readFileSync(notes(service), 'utf8'), secret)
  t.equal((await write(service, 'memory', again.replace(/^The key.*\n/m, ''))).status, 200, 'removing the line is a person\'s right')
  t.notMatch(readFileSync(notes(service), 'utf8'), 'sk-')

  await write(service, 'memory', `token: ${secret}\ntoken: ${other}\nend\n`)
  t.equal((await write(service, 'memory', (await read(service)).memory.replace('end', 'END'))).status, 200)
  t.equal(readFileSync(notes(service), 'utf8'), `token: ${secret}\ntoken: ${other}\nEND\n`)
  t.match(await write(service, 'memory', 'token: [redacted]\nEND\n'), { status: 409, body: { code: 'masked' } }, 'which of the two stays?')
  await service.post('/api/settings', { api_redact_enabled: false })
  t.equal((await read(service)).memory, `token: ${secret}\ntoken: ${other}\nEND\n`)
  t.equal((await write(service, 'memory', 'what [redacted] means\n')).status, 200, 'where nothing is masked it is a word like any other')
})

t.test('of two clients the second is told, when it says what it has read', async (t) => {
  const service = await start(t)
  const { memory_version: none } = await read(service)
  t.equal(none, 'none')
  const first = await write(service, 'memory', 'one', { if_match: none })
  t.match(await write(service, 'memory', 'two', { if_match: none }), { status: 409, body: { code: 'changed', version: first.body.version } })
  t.equal((await write(service, 'memory', 'two', { if_match: first.body.version })).status, 200)
  const all = await Promise.all(Array.from({ length: 8 }, async (_, index) => await write(service, 'memory', `text ${index}`)))
  t.ok(all.every(({ status }) => status === 200))
  const texts = new Set((await Promise.all((await history(service, 'memory')).map(async ({ id }) => (await service.get(`/api/memory/compare?section=memory&from=${id}`)).body.text))))
  for (let index = 0; index < 8; index++) t.ok(texts.has(`text ${index}`), 'whoever was overwritten is in the history')
})

t.test('versions are kept, compared and put back', async (t) => {
  let nowMs = 1_800_000_000_000
  const service = await start(t, { clock: { now: () => nowMs } })
  t.same(await history(service, 'memory'), [])
  await write(service, 'memory', `one\nkey ${secret}\n`)
  nowMs += 5_000
  await write(service, 'memory', `one\ntwo\nkey ${secret}\n`)
  writeFileSync(notes(service), 'by hand\n')
  const versions = await history(service, 'memory')
  t.match(versions, [{ author: 'disk', bytes: 8 }, { author: 'person', created_at: 1_800_000_005, missing: false }, { author: 'person', created_at: 1_800_000_000 }])
  const compared = (await service.get(`/api/memory/compare?section=memory&from=${versions[2].id}&to=${versions[1].id}`)).body
  t.match(compared.diff, /^\+two$/m)
  t.notMatch(JSON.stringify(compared), 'sk-')
  t.match((await service.get(`/api/memory/compare?section=memory&from=${versions[1].id}`)).body.diff, /^\+by hand$/m)
  t.match(await service.post('/api/memory/restore', { section: 'memory', id: versions[1].id }), { status: 200, body: { ok: true, section: 'memory', path: notes(service) } })
  t.equal(readFileSync(notes(service), 'utf8'), `one\ntwo\nkey ${secret}\n`, 'as it was, not as it is shown')
  t.equal((await history(service, 'memory')).length, 4)
  t.match(await service.post('/api/memory/restore', { section: 'user', id: versions[1].id }), { status: 404, body: { error: 'Version not found' } })
  t.equal((await service.get('/api/memory/compare?section=memory&from=99')).status, 404)
  for (const from of ['0', '-1', 'x', '1e3', '9'.repeat(20)]) t.equal((await service.get(`/api/memory/compare?section=memory&from=${from}`)).status, 400, from)
  for (let index = 0; index < 30; index++) await write(service, 'user', `text ${index}`)
  t.equal((await history(service, 'user')).length, 20)
  rmSync(notes(service))
  t.match((await history(service, 'memory'))[0], { author: 'disk', missing: true, bytes: 0 })
})

t.test('open clients are told, also of changes by hand once they are noticed', async (t) => {
  const service = await start(t)
  await write(service, 'soul', 'I am.')
  const events = await service.events('/api/events')
  await events.until('snapshot')
  await write(service, 'soul', 'I was.')
  t.match((await events.until('memory')).data, { profile: 'default', section: 'soul', mtime: statSync(fileOf(service, 'SOUL.md')).mtimeMs / 1000 })
  mkdirSync(fileOf(service, 'memories'), { recursive: true })
  writeFileSync(fileOf(service, 'SOUL.md'), 'by hand')
  const before = events.frames.length
  await read(service)
  await events.until(({ event }) => event === 'memory' && events.frames.length > before)
})

t.test('each profile has its own, and a new one of an old name has no past', async (t) => {
  const service = await start(t)
  await write(service, 'memory', 'of the default one')
  await service.post('/api/profile/create', { name: 'work' })
  await service.post('/api/profile/switch', { name: 'work' })
  writeFileSync(fileOf(service, 'active_profile'), 'work\n')
  t.match(await read(service), { memory: '', memory_path: fileOf(service, 'profiles', 'work', 'memories', 'MEMORY.md') })
  await write(service, 'memory', 'secret of work')
  t.equal((await history(service, 'memory')).length, 1)
  writeFileSync(fileOf(service, 'active_profile'), 'default\n')
  t.equal((await read(service)).memory, 'of the default one')
  t.equal((await service.post('/api/profile/delete', { name: 'work' })).status, 200)
  await service.post('/api/profile/create', { name: 'work' })
  writeFileSync(fileOf(service, 'active_profile'), 'work\n')
  t.same(await history(service, 'memory'), [])
  t.notOk(existsSync(fileOf(service, 'profiles', 'work', 'memories')))
})
