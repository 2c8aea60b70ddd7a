import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { type Json } from '../support/app.js'
import { eventually, gate, held, startChat, type ScriptedAnswer } from '../support/chat.js'
import { a40 } from '../support/credentials.js'

const service = await startChat(t)
writeFileSync(join(service.folder, 'home', 'config.yaml'), JSON.stringify({ approvals: { allow: ['write:workspace'] } }))

const home = async (headers?: Record<string, string>): Promise<Json> => (await service.get('/api/home', headers)).body
const write = (path: string): ScriptedAnswer => [{ tool: 'write_file', args: { path, content: `${path}\n` } }]
/** Marks everything up to this moment as seen: what ends from now on is new. */
const look = async (): Promise<void> => { t.match(await service.post('/api/home/seen', {}), { status: 200, body: { ok: true, seen_at: Number } }) }
const nowS = (): number => Math.floor(Date.now() / 1000)

t.test('the chats in which something has ended, each once, with how their answers begin', async (t) => {
  const first = await service.newSession()
  await service.turn(first, 'Hello', service.model([{ text: '## Hi\n\nAll **well** here.' }]))
  const before = await home()
  t.match(before, { seen_at: null, files_changed: 0, running: [], queued: 0, next_run: null, failed_runs: [] }, 'nobody has looked: of the last day')
  t.match(before.finished, [{ session_id: first, excerpt: 'Hi All well here.', files_changed: 0, state: 'done', source: 'chat' }])
  t.ok(Math.abs(before.now - nowS()) < 60 && Number.isInteger(before.finished[0].finished_at))
  await look()
  t.match(await home(), { seen_at: Number, finished: [] })

  const second = await service.newSession()
  await service.turn(second, 'Two files', service.model(write('one.txt'), write('two.txt'), write('one.txt'), [{ text: `The key is ${a40}. ${'It is a long story. '.repeat(20)}` }]))
  await service.turn(second, 'And one more', service.model(write('one.txt'), [{ text: 'Three is done.' }]))
  await service.turn(first, 'Fail', 'fault-404')
  const { finished, files_changed: files } = await home()
  t.match(finished, [
    { session_id: first, state: 'failed', excerpt: /./, problem: { type: 'model_not_found', message: /does not know the model fault-404/, about: { model: 'fault-404' } } },
    { session_id: second, state: 'done', excerpt: 'Three is done.', files_changed: 3, problem: null }
  ], 'the latest first; a file counts once in each turn')
  t.equal(finished.length, 2)
  t.equal(files, 3)
})

t.test('an answer is masked, and ends with a sentence', async (t) => {
  await look()
  const sessionId = await service.newSession()
  await service.turn(sessionId, 'Tell', service.model([{ text: `The token is ${a40}. It has 3.1 parts. ${'Nobody needs to know more. '.repeat(9)}` }]))
  const { finished: [{ excerpt }] } = await home()
  t.match(excerpt, /^The token is \[redacted\] It has 3\.1 parts\. (?:Nobody needs to know more\. ?)+$/)
  t.notMatch(excerpt, a40)
  t.ok(excerpt.length <= 160 && excerpt.endsWith('.'), excerpt)
})

t.test('what runs, with what it is at; it has not ended', async (t) => {
  await look()
  const sessionId = await service.newSession()
  const wait = gate()
  const model = service.model([{ text: 'First.' }],
    [{ tool: 'todo', args: { todos: [{ id: '1', content: 'Read page 1', status: 'completed' }, { id: '2', content: 'Read **page 2**', status: 'in_progress' }] } }],
    held(wait, [{ text: 'Sec' }], [{ text: 'ond.' }]))
  await service.turn(sessionId, 'Begin', model)
  const streamId = await service.send(sessionId, 'Go on', { model })
  const running = await eventually('its list', async () => (await home()).running.find(({ note }: Json) => note !== null))
  t.match(running, { session_id: sessionId, note: 'Read page 2' })
  t.ok(Number.isInteger(running.started_at))
  t.same((await home()).finished, [], 'a chat that works again has not finished')
  await service.post('/api/chat/cancel', { stream_id: streamId })
  wait.open()
  await eventually('its end', async () => (await home()).finished[0]?.state === 'stopped')
  t.match((await home()), { running: [], finished: [{ session_id: sessionId }] })
})

t.test('what lists do not show is left out: archived and deleted chats, what runs beside one, other profiles', async (t) => {
  await look()
  const [archived, deleted, kept] = [await service.newSession(), await service.newSession(), await service.newSession()]
  for (const id of [archived, deleted, kept]) await service.turn(id, 'Hello')
  await service.post('/api/session/archive', { session_id: archived })
  await service.post('/api/session/delete', { session_id: deleted })
  await service.post('/api/background', { session_id: kept, prompt: 'Beside' })
  await eventually('the task', async () => (await service.get(`/api/background/status?session_id=${kept}`)).body.results?.length === 1)
  t.same((await home()).finished.map(({ session_id: id }: Json) => id), [kept])
  await service.post('/api/profile/create', { name: 'work' })
  const { headers } = await service.post('/api/profile/switch', { name: 'work' })
  const cookie = headers.get('set-cookie')?.split(';')[0] ?? ''
  t.match(await home({ cookie }), { seen_at: null, finished: [] }, 'each profile has its own')
})

t.test('scheduled jobs: what has come of them, what failed, and what comes next', async (t) => {
  await look()
  const create = async (more: Json): Promise<Json> => (await service.post('/api/crons/create', { prompt: 'Look around', schedule: 'every 2h', ...more })).body.job
  const run = async (job: Json, count: number): Promise<void> => {
    await service.post('/api/crons/run', { job_id: job.id })
    await eventually(`run ${count}`, async () => (await service.get('/api/crons')).body.jobs.find(({ id }: Json) => id === job.id).repeat.completed === count)
  }
  const good = await create({ name: 'Weekly', model: service.model(write('week.md'), [{ text: 'Monday.' }], write('week.md'), [{ text: 'Tuesday.' }]) })
  const bad = await create({ name: 'Blocked', schedule: 'every 1h', model: 'm', provider: 'no-such-provider' })
  await run(good, 1)
  await run(good, 2)
  await run(bad, 1)
  await run(bad, 2)
  const now = await home()
  t.match(now.finished, [
    { source: 'task', job_id: bad.id, state: 'failed' }, { source: 'task', job_id: good.id, state: 'done', excerpt: 'Tuesday.', files_changed: 2 }
  ], 'one entry for each job')
  t.match(now.failed_runs, [{ job_id: bad.id, name: 'Blocked', at: Number, error: /no-such-provider/ }])
  t.same([now.finished.length, now.failed_runs.length], [2, 1])
  t.match(now.next_run, { job_id: bad.id, name: 'Blocked' })
  t.ok(now.next_run.at > now.now)
  await look()
  t.match(await home(), { finished: [], failed_runs: [] })
})

t.test('the mark moves forward only, not beyond now, and every client hears of it', async (t) => {
  const reader = await service.events('/api/events')
  await reader.until('snapshot')
  await look()
  const { data } = await reader.until('home')
  t.same(data, { profile: 'default', seen_at: (await home()).seen_at })
  t.match(await service.post('/api/home/seen', { at: data.seen_at - 1_000 }), { status: 200, body: { ok: true, seen_at: data.seen_at } })
  t.match(await service.post('/api/home/seen', { at: nowS() + 1_000 }), { status: 400, body: { error: /future/ } })
  for (const at of [-1, 1.5, 'now']) t.match(await service.post('/api/home/seen', { at }), { status: 400 })
  t.equal((await home()).seen_at, data.seen_at)
  reader.drop()
})

t.test('a profile that is made again begins anew', async (t) => {
  await service.post('/api/profile/create', { name: 'again' })
  await service.app.home.look('again')
  t.not(service.app.home.seenAt('again'), null)
  await service.post('/api/profile/delete', { name: 'again' })
  await service.post('/api/profile/create', { name: 'again' })
  t.equal(service.app.home.seenAt('again'), null)
})
