import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from '#test'
import { type Json } from '../support/app.js'
import { allHostile } from '../support/hostile-texts.js'
import { seedLarge } from '../support/large-sessions.js'
import { createLoopWatch, watchedBy } from '../support/loop-watch.js'
import { startModelEndpoint } from '../support/model-endpoint.js'
import { spawnServer } from '../support/server.js'

const folder = mkdtempSync(join(tmpdir(), 'loop-'))
const endpoint = await startModelEndpoint()
endpoint.script(({ messages }) => [{ chunk: JSON.stringify(messages).includes('a long answer') ? allHostile(300_000) : 'Short.' }])
const large = seedLarge(join(folder, 'home'), join(folder, 'workspace'), { hostileChars: 1_000_000, messages: 5_000, answers: 100, sessions: 2_000 })
const file = join(folder, 'watch')
const service = await spawnServer(t, folder, { ...watchedBy(file), OPENAI_API_KEY: 'test', OPENAI_BASE_URL: endpoint.url })
t.teardown(async () => {
  await endpoint.close()
  rmSync(folder, { recursive: true, force: true })
})
const longest = createLoopWatch(service.pid, file)

/**
 * Returns the CPU time that this machine takes to parse and serialise a document of a mebibyte, because slow machines take
 * longer for everything.
 */
function unitMs (): number {
  const text = JSON.stringify(Array.from({ length: 10_000 }, (_, index) => ({ role: 'user', content: `Message ${index}. The quick brown fox jumps over the lazy dog, and on.` })))
  return Math.min(...Array.from({ length: 5 }, () => {
    const before = process.cpuUsage()
    JSON.stringify(JSON.parse(text))
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  }))
}

/** More than is measured on a quiet machine, because code that runs for the first time is not compiled yet; it was 50 to 1,000 units. */
const mostUnits = 20
const most = mostUnits * unitMs()

async function watched (t: Pick<Test, 'ok'>, name: string, work: () => Promise<unknown>): Promise<void> {
  await longest()
  await work()
  const { ms } = await longest()
  t.ok(ms < most, `${name}: ${ms.toFixed(0)} of ${most.toFixed(0)} ms`)
}

const read = async (path: string): Promise<string> => await (await fetch(service.url + path)).text()
const bring = async (messages: Json[]): Promise<string> => (await service.json('/api/session/import', { title: 'Large', messages })).session.session_id
const said = (count: number): Json[] => Array.from({ length: count }, (_, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content: `Message ${index}` }))
async function turn (session: string, message: string): Promise<Json[]> {
  const { stream_id: id } = await service.json('/api/chat/start', { session_id: session, message })
  const reader = await service.events(`/api/chat/stream?stream_id=${id}`)
  await reader.until('stream_end')
  return reader.frames
}

t.test('no request with hostile text holds up others', async (t) => {
  let id = ''
  await watched(t, 'import', async () => { id = await bring([{ role: 'user', content: allHostile(200_000) }, { role: 'assistant', content: allHostile(100_000) }]) })
  await watched(t, 'export as JSON', async () => { t.equal(JSON.parse(await read(`/api/session/export?session_id=${id}`)).messages.length, 2) })
  await watched(t, 'export as a page', async () => { t.match(await read(`/api/session/export?session_id=${id}&format=html`), /<\/html>/) })
  await watched(t, 'share', async () => { t.match(await service.json('/api/session/share', { session_id: id }), { ok: true }) })
  await watched(t, 'an answer', async () => {
    const { session } = await service.json('/api/session/new', {})
    await turn(session.session_id, 'a long answer')
  })
  await watched(t, 'the interface of OpenAI', async () => {
    const messages = [{ role: 'user', content: allHostile(50_000) }, { role: 'assistant', content: allHostile(50_000) }, { role: 'user', content: 'And?' }]
    t.match(await service.json('/v1/chat/completions', { model: 'test-model', messages }), { object: 'chat.completion' })
  })
})

t.test('no request for a session of very many messages holds up others', async (t) => {
  let id = ''
  await watched(t, 'import', async () => { id = await bring(said(10_000)) })
  await watched(t, 'export as JSON', async () => { t.equal(JSON.parse(await read(`/api/session/export?session_id=${id}`)).messages.length, 10_000) })
  await watched(t, 'reading it', async () => {
    const { session } = JSON.parse(await read(`/api/session?session_id=${id}`))
    t.equal(session.messages.length, 10_000)
    t.same(session.messages.map(({ content }: Json) => content), said(10_000).map(({ content }) => content))
  })
  await watched(t, 'a turn', async () => {
    const frames = await turn(id, 'Hello')
    const done = frames.find(({ event }) => event === 'done')
    t.match(done?.data, { session: { session_id: id, message_count: 10_002, _messages_omitted: true }, usage: {} })
    t.notOk(Object.hasOwn(done?.data.session ?? {}, 'messages'), 'the frame refers to the session')
    t.ok(JSON.stringify(done?.data).length < 20_000)
  })
})

t.test('no request for many or long messages that are there holds up others', async (t) => {
  const { hostile, many } = large
  const ok = async (path: string): Promise<void> => {
    const response = await fetch(service.url + path, { headers: { 'accept-encoding': 'gzip' } })
    await response.arrayBuffer()
    t.equal(response.status, 200, path)
  }
  await watched(t, 'the list', () => ok('/api/sessions'))
  await watched(t, 'the list of all profiles', () => ok('/api/sessions?all_profiles=1&include_archived=1'))
  await watched(t, 'a page of it', () => ok('/api/sessions?limit=50'))
  await watched(t, 'a search by title', () => ok('/api/sessions/search?q=Listed%20777&content=0'))
  await watched(t, 'a search by what was said', () => ok('/api/sessions/search?q=quick%20brown&depth=0'))
  await watched(t, 'a search that the index does not help', () => ok('/api/sessions/search?q=zq&depth=5'))
  for (const id of [hostile, many]) {
    await watched(t, 'a transcript', () => ok(`/api/session?session_id=${id}`))
    await watched(t, 'a window of it', () => ok(`/api/session?session_id=${id}&msg_limit=50`))
    await watched(t, 'its outline', () => ok(`/api/session/outline?session_id=${id}`))
    await watched(t, 'its page', () => ok(`/api/session/export?session_id=${id}&format=html`))
  }
  await watched(t, 'sharing it', async () => {
    const { path } = await service.json('/api/session/share', { session_id: many })
    await ok(path)
  })
  let copy = ''
  await watched(t, 'a branch', async () => { copy = (await service.json('/api/session/branch', { session_id: many })).session_id })
  await watched(t, 'a cut, and a message while it is cleared away', async () => {
    t.match(await service.json('/api/session/truncate', { session_id: copy, keep_count: 10 }), { ok: true, session: { message_count: 10 } })
    await turn(copy, 'And?')
    const { session } = JSON.parse(await read(`/api/session?session_id=${copy}`))
    t.equal(session.messages.length, 12)
  })
  await watched(t, 'a deletion', async () => { t.match(await service.json('/api/session/delete', { session_id: many }), { ok: true }) })
})

t.test('many who export at once hold up others no longer than one', async (t) => {
  await watched(t, 'ten exports', async () => {
    await Promise.all(Array.from({ length: 10 }, () => read(`/api/session/export?session_id=${large.hostile}`)))
  })
})
