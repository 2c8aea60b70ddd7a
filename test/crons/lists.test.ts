import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { knownSecrets, redact, redactGently } from '../../services/ground/redaction/index.js'
import { type Json } from '../support/app.js'
import { eventually, startChat } from '../support/chat.js'

const service = await startChat(t)
const home = join(service.folder, 'home')
mkdirSync(home, { recursive: true })
const create = async (more: Json = {}): Promise<Json> => (await service.post('/api/crons/create', { prompt: 'Look around', schedule: 'every 1h', ...more })).body.job
const jobs = async (query = ''): Promise<Json[]> => (await service.get(`/api/crons${query}`)).body.jobs
const job = async (id: string): Promise<Json> => (await jobs()).find((each) => each.id === id)

t.test('a list is as jobs are now, whatever was kept of it', async (t) => {
  const { id } = await create({ name: 'One', model: service.model([{ text: 'Fine' }]) })
  const other = await create({ name: 'Two' })
  t.match(await jobs(), [{ id, name: 'One', latest_execution: null }, { id: other.id, name: 'Two' }], 'oldest first')
  await service.post('/api/crons/update', { job_id: id, name: 'First' })
  t.equal((await job(id)).name, 'First')
  await service.post('/api/crons/run', { job_id: id })
  await eventually('its run stands there', async () => (await job(id)).latest_execution?.status === 'ok')
  t.match(await job(id), { last_status: 'ok', repeat: { completed: 1 } })
  await service.post('/api/crons/delete', { job_id: other.id })
  t.same((await jobs()).map((each) => each.id), [id])
  await service.post('/api/crons/pause', { job_id: id })
  t.equal((await job(id)).state, 'paused')
  await service.post('/api/crons/delete', { job_id: id })
})

t.test('credentials are masked in what was kept as well', async (t) => {
  const { id } = await create({ prompt: 'The word is correcthorsebattery, and the rest of it' })
  t.match((await job(id)).prompt, /correcthorsebattery/)
  knownSecrets.keep(['correcthorsebattery'])
  t.match((await job(id)).prompt, /correcthorsebattery/, 'for whoever may change it: a save must not write a mask')
  const { token } = (await service.post('/api/auth/tokens/create', { name: 'reader', scope: 'read' })).body
  const shown = async () => (await service.get('/api/crons', { authorization: `Bearer ${token}` })).body.jobs.find((each: { id: string }) => each.id === id).prompt
  t.notMatch(await shown(), /correcthorse/, 'also those that were learned afterwards')
  await service.post('/api/settings', { api_redact_enabled: false })
  t.match(await shown(), /correcthorsebattery/, 'unless the settings say otherwise')
  await service.post('/api/settings', { api_redact_enabled: true })
  t.notMatch(await shown(), /correcthorse/)
  await service.post('/api/crons/delete', { job_id: id })
})

t.test('a large output is masked as a whole, and keeps nobody waiting', async (t) => {
  const { id } = await create()
  const folder = join(home, 'cron', 'output', id)
  mkdirSync(folder, { recursive: true })
  const text = `# Scheduled job\n\n## Response\n\n${'Words and words.\n'.repeat(20_000)}password: hunter2horse\n${'More words.\n'.repeat(5_000)}`
  writeFileSync(join(folder, '2026-06-01_10-00-00.md'), text)
  const { content, snippet } = (await service.get(`/api/crons/run?job_id=${id}&filename=2026-06-01_10-00-00.md`)).body
  t.equal(content, redact(text))
  t.notMatch(content, /hunter2horse/)
  t.ok(snippet.length <= 8_000)
  let turns = 0
  const counting = setInterval(() => { turns++ }, 0)
  t.equal(await redactGently(text), redact(text))
  clearInterval(counting)
  t.ok(turns > 3, 'others had their turn meanwhile')
  await service.post('/api/crons/delete', { job_id: id })
})

t.test('a time zone that is no text is refused, and named', async (t) => {
  for (const zone of ['5', 'true', '[Europe/Berlin]', '{ name: UTC }']) {
    writeFileSync(join(home, 'config.yaml'), `timezone: ${zone}\n`)
    t.match(await service.post('/api/crons/create', { prompt: 'x', schedule: '1h' }), { status: 400, body: { error: /^timezone of config\.yaml/ } }, zone)
  }
  for (const zone of ['', '""', 'null']) {
    writeFileSync(join(home, 'config.yaml'), `timezone: ${zone}\n`)
    t.match(await service.post('/api/crons/create', { prompt: 'x', schedule: '1h' }), { status: 200 }, `"${zone}" says nothing`)
  }
})

t.test('fields of another type are refused by name, and nothing is changed', async (t) => {
  writeFileSync(join(home, 'config.yaml'), '{}')
  const { id } = await create({ name: 'Kept' })
  const before = await job(id)
  const wrong: Record<string, unknown[]> = {
    name: [5, true, [], {}], prompt: [5, [], ''], schedule: [30, {}, []], deliver: [false, {}], skills: ['one', [5], [''], {}], model: [1, []], provider: [1], profile: [1, 'x'.repeat(65)],
    workspace: [1, {}], workdir: [1], repeat: ['3', 0, 1.5, 'never', true, []], ask: ['maybe', true, 1], toast_notifications: ['true', 1, 'yes']
  }
  for (const [field, values] of Object.entries(wrong)) {
    for (const value of values) {
      const shown = `${field}: ${JSON.stringify(value)}`.slice(0, 60)
      t.match(await service.post('/api/crons/update', { job_id: id, [field]: value }), { status: 400, body: { error: new RegExp(field) } }, `update ${shown}`)
      t.match(await service.post('/api/crons/create', { prompt: 'x', schedule: '1h', [field]: value }), { status: 400, body: { error: new RegExp(field) } }, `create ${shown}`)
    }
  }
  for (const path of ['update', 'delete', 'run', 'pause', 'resume']) t.match(await service.post(`/api/crons/${path}`, { job_id: 5 }), { status: 400, body: { error: /job_id/ } }, path)
  t.match(await service.post('/api/crons/pause', { job_id: id, reason: 5 }), { status: 400, body: { error: /reason/ } })
  t.same(await job(id), before)
})
