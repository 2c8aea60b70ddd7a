import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { start } from '../support/app.js'
import { modelEndpoint } from '../support/model-endpoint.js'

t.test('a session speaks as it is told, from its next turn on', async (t) => {
  const endpoint = await modelEndpoint(t)
  const service = await start(t)
  const long = 'Speak like an old sailor who has seen every sea there is and who never says a plain word. '.repeat(2).trim()
  const write = (more = ''): void => writeFileSync(join(service.folder, 'home', 'config.yaml'), `model:
  default: test-model
  base_url: ${endpoint.url}
agent:
  personalities:
    pirate: "${long}"
    kind:
      description: Gentle words
      prompt: Be gentle.
      tone: warm
      style: short sentences
    broken: 5
    empty: {}
${more}`)
  write()
  t.same((await service.get('/api/personalities')).body, {
    personalities: [{ name: 'pirate', description: `${long.slice(0, 80)}...` }, { name: 'kind', description: 'Gentle words' }]
  })
  const id = await service.newSession()
  const prompt = 'Be gentle.\nTone: warm\nStyle: short sentences'
  t.same((await service.post('/api/personality/set', { session_id: id, name: 'kind' })).body, { ok: true, personality: 'kind', prompt })
  t.equal((await service.session(id)).personality, 'kind')
  const systemOf = async (): Promise<string> => {
    const events = await service.events(`/api/chat/stream?stream_id=${await service.send(id, 'hello')}`)
    await events.until('stream_end')
    return JSON.stringify(endpoint.requests.filter(({ stream }) => stream).at(-1)!.messages.filter(({ role }) => role === 'system'))
  }
  t.match(await systemOf(), 'Style: short sentences')
  t.same((await service.post('/api/personality/set', { session_id: id, name: '' })).body, { ok: true, personality: null, prompt: '' })
  t.notMatch(await systemOf(), 'short sentences')
  await service.post('/api/personality/set', { session_id: id, name: 'pirate' })
  writeFileSync(join(service.folder, 'home', 'config.yaml'), `model:\n  default: test-model\n  base_url: ${endpoint.url}\n`)
  t.notMatch(await systemOf(), 'sailor', 'one that the file does not have any more is nobody\'s')
})

t.test('what is no personality, and who can have none', async (t) => {
  const service = await start(t)
  const id = await service.newSession()
  const refused = async (body: unknown, status: number, error: string | RegExp): Promise<void> => {
    t.match(await service.post('/api/personality/set', body), { status, body: { error } }, JSON.stringify(body))
  }
  await refused({ session_id: id, name: 'nobody' }, 404, 'Personality not found')
  await refused({ session_id: id }, 400, /Missing required field\(s\): name/)
  await refused({ name: 'x' }, 400, /session_id/)
  await refused({ session_id: 'nowhere', name: '' }, 404, 'Session not found')
  service.app.db.sqlite.prepare('update sessions set read_only = 1 where id = ?').run(id)
  await refused({ session_id: id, name: '' }, 400, /read-only/)
  t.same((await service.get('/api/personalities')).body, { personalities: [] })
})

t.test('personalities are made, changed and taken away, and the file keeps its comments', async (t) => {
  const service = await start(t)
  const file = join(service.folder, 'home', 'config.yaml')
  writeFileSync(file, `# mine
agent:
  personalities:
    # for letters
    kind:
      system_prompt: Be gentle. # always
      tone: warm
    plain: Be short.
`)
  const save = async (body: object) => await service.post('/api/personality/save', body)
  const names = async () => (await service.get('/api/personalities')).body.personalities.map(({ name }: { name: string }) => name)
  t.same((await service.get('/api/personality?name=kind')).body, { name: 'kind', prompt: 'Be gentle.', description: '', tone: 'warm', style: '' })
  t.match(await save({ name: 'kind', prompt: 'Be gentle and brief.', description: 'Gentle', tone: '' }), { status: 200, body: { personality: { prompt: 'Be gentle and brief.', description: 'Gentle', tone: '' } } })
  t.match(await save({ name: 'plain', prompt: 'Be very short.' }), { status: 200 })
  t.match(await save({ name: 'Kapitän 2', prompt: 'Ahoi: #1', style: 'salty' }), { status: 200 })
  t.equal(readFileSync(file, 'utf8'), `# mine
agent:
  personalities:
    # for letters
    kind:
      system_prompt: Be gentle and brief. # always
      description: Gentle
    plain: Be very short.
    Kapitän 2:
      prompt: "Ahoi: #1"
      style: salty
`)
  t.same(await names(), ['kind', 'plain', 'Kapitän 2'])
  const id = await service.newSession()
  t.match((await service.post('/api/personality/set', { session_id: id, name: 'Kapitän 2' })).body, { prompt: 'Ahoi: #1\nStyle: salty' })

  t.match(await service.post('/api/personality/delete', { name: 'Kapitän 2' }), { status: 200, body: { ok: true, name: 'Kapitän 2' } })
  t.same(await names(), ['kind', 'plain'])
  for (const name of ['Kapitän 2', '__proto__', 'constructor']) t.match(await service.post('/api/personality/delete', { name }), { status: 404 }, name)
  for (const name of ['none', '__proto__', ' ', 'a\nb', 'x'.repeat(61)]) t.match(await save({ name, prompt: 'x' }), { status: 400 }, name)
  t.match(await save({ name: 'silent', description: 'says nothing' }), { status: 400 })
  t.match(await save({ name: 'long', prompt: 'x'.repeat(20_001) }), { status: 400 })
  writeFileSync(file, 'agent: [')
  t.match(await save({ name: 'late', prompt: 'x' }), { status: 409, body: { code: 'config_broken' } })
})
