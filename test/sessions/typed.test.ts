import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { type Json } from '../support/app.js'
import { gate, held, startChat } from '../support/chat.js'
import { a40 } from '../support/credentials.js'
import { type ReceivedFrame } from '../support/events.js'

const service = await startChat(t)
const typed = `Use ghp_${a40} for it`
const shown = 'Use [redacted] for it'

async function token (scope: string): Promise<{ authorization: string }> {
  const { body } = await service.post('/api/auth/tokens/create', { name: scope, scope })
  return { authorization: `Bearer ${body.token}` }
}
const [reading, chatting, admin] = await Promise.all(['read', 'chat', 'admin'].map(token)) as [Json, Json, Json]

t.test('what was steered and never used comes back as it was typed to whoever may type, live and replayed', async (t) => {
  const wait = gate()
  const sessionId = await service.newSession()
  const streamId = await service.send(sessionId, 'Just talk', { model: service.model(held(wait, [{ text: 'Talking' }], [{ text: ' and done.' }])) })
  const readers = await Promise.all([{}, chatting, reading].map(async (headers) => await service.watch(streamId, '&replay=1', headers)))
  const feeds = await Promise.all([chatting, reading].map(async (headers) => await service.events(`/api/events?follow=${streamId}`, headers)))
  await readers[0]!.until('token')
  t.match((await service.post('/api/chat/steer', { session_id: sessionId, text: typed })).body, { accepted: true })
  wait.open()
  await Promise.all(readers.map(async (reader) => await reader.ended))
  const leftover = (frames: ReceivedFrame[]): unknown => frames.find(({ event }) => event === 'pending_steer_leftover')?.data.text
  t.same(readers.map(({ frames }) => leftover(frames)), [typed, typed, shown])
  const told = await Promise.all(feeds.map(async (feed) => await feed.until(({ event, data }) => event === 'turn' && data.event === 'pending_steer_leftover')))
  t.same(told.map(({ data }) => data.data.text), [typed, shown], 'over the one stream as well')
  const again = await Promise.all([{}, chatting, reading].map(async (headers) => await service.watch(streamId, '&replay=1', headers)))
  await Promise.all(again.map(async (reader) => await reader.ended))
  t.same(again.map(({ frames }) => leftover(frames)), [typed, typed, shown], 'and replayed')
})

t.test('a message that is edited is read as it was typed, by whoever may type', async (t) => {
  const sessionId = await service.newSession()
  await service.turn(sessionId, typed)
  t.equal((await service.session(sessionId)).messages[0].content, shown)
  const path = `/api/session/typed?session_id=${sessionId}&index=`
  for (const headers of [{}, chatting]) t.equal((await service.get(`${path}0`, headers)).body.text, typed)
  t.equal((await service.get(`${path}0`, reading)).status, 403)
  for (const index of ['1', '99']) t.equal((await service.get(path + index)).status, 404, 'what the model has said is not typed')
  t.equal((await service.get(`${path}-1`)).status, 400)
  t.equal((await service.post('/api/session/retry', { session_id: sessionId })).body.last_user_text, typed)
})

t.test('a job is read as it would be saved by whoever may change it, and what comes back as it was shown changes nothing', async (t) => {
  const fields = { name: typed, prompt: `Look around.\n${typed}\nThen stop.`, deliver: `webhook:https://example.com/hook?token=${a40}` }
  const { job } = (await service.post('/api/crons/create', { ...fields, schedule: 'every 1h' })).body
  const read = async (headers = {}): Promise<Json> => (await service.get('/api/crons', headers)).body.jobs[0]
  const kept = { name: job.name, prompt: job.prompt, deliver: job.deliver }
  t.same(kept, fields)
  for (const headers of [{}, admin]) t.match(await read(headers), fields)
  const masked = await read(reading)
  t.match(masked, { name: shown, prompt: `Look around.\n${shown}\nThen stop.`, deliver: /\[redacted\]/ })
  t.notMatch(masked.prompt + masked.deliver, a40)

  const save = async (change: Json) => await service.post('/api/crons/update', { job_id: job.id, ...change })
  for (const seen of [masked, await read()]) t.match((await save({ name: seen.name, prompt: seen.prompt, deliver: seen.deliver, schedule: seen.schedule.expression })).body.job, fields)
  t.equal((await save({ prompt: masked.prompt.replace('around', 'again') })).body.job.prompt, fields.prompt.replace('around', 'again'), 'another line is changed')
  t.match(await save({ prompt: 'Use [redacted] for something else' }), { status: 400, body: { error: /stands for a hidden value/ } })
  t.match(await save({ prompt: 'Nothing of it' }), { status: 200 })
})

t.test('texts of other fields come back as typed, and saving what is shown changes nothing', async (t) => {
  const sessionId = await service.newSession()
  const session = (): Json => service.app.sessions.get(sessionId)
  await service.post('/api/session/rename', { session_id: sessionId, title: typed })
  const { title } = await service.session(sessionId)
  await service.post('/api/session/rename', { session_id: sessionId, title })
  t.equal(session().title, typed, 'the title of a session')

  await service.post('/api/session/draft', { session_id: sessionId, text: typed })
  t.equal((await service.get(`/api/session/draft?session_id=${sessionId}`)).body.draft.text, typed, 'a draft')

  t.equal((await service.post('/api/projects/create', { name: typed })).body.project.name, typed, 'the name of a project')
  t.equal((await service.get('/api/projects')).body.projects[0].name, typed)

  const goal = (await service.post('/api/goal', { session_id: sessionId, args: typed })).body
  t.equal(goal.goal.goal, typed, 'a goal')
})

t.test('the memory and the rules of a workspace are read with nothing masked by their owner', async (t) => {
  await service.post('/api/memory/write', { section: 'memory', content: `- ${typed}\n` })
  writeFileSync(join(service.workspace, 'AGENTS.md'), `Rule: ${typed}\n`)
  t.match((await service.get('/api/memory')).body, { memory: `- ${shown}\n`, project_context: /Rule: Use .redacted/ })
  for (const headers of [{}, admin]) {
    const { memory, project_context: rules, memory_version: version } = (await service.get('/api/memory?plain=1', headers)).body
    t.equal(memory, `- ${typed}\n`)
    t.match(rules, typed)
    t.equal((await service.post('/api/memory/write', { section: 'memory', content: memory, if_match: version }, headers)).status, 200)
  }
  for (const headers of [reading, chatting]) t.match(await service.get('/api/memory?plain=1', headers), { status: 403, body: { code: 'scope_too_narrow', needed_scope: 'admin' } })
  t.equal((await service.get('/api/memory?plain=1')).body.memory, `- ${typed}\n`)
})
