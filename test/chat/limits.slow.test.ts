import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t from '#test'
import { eventually, gate, held } from '../support/chat.js'
import { temporaryFolder } from '../support/folder.js'
import { modelEndpoint, type ModelStep } from '../support/model-endpoint.js'
import { spawnServer, type ServerProcess } from '../support/server.js'

const endpoint = await modelEndpoint(t, { models: ['test-model'] })
/** Answers the turn, given the number of its request. */
let answer: (attempt: number) => ModelStep[] = () => [{ text: 'Done.' }]
let attempts = 0
endpoint.script((request) => request.stream ? answer(++attempts) : [{ text: 'A title' }])
const env = { OPENAI_BASE_URL: endpoint.url, OPENAI_API_KEY: 'test-key-12345' }

const limited: ModelStep[] = [{ refuse: 429, headers: { 'retry-after': '3600' } }]
const look: ModelStep[] = [{ text: 'Let me look. ' }, { tool: 'list_files', args: {}, id: 'call_1' }]

/** Starts a service with a turn that has called a tool and is parked, and kills it with its agent process. */
async function killedWhileParked (t: Parameters<typeof spawnServer>[0], after: ModelStep[]) {
  const folder = temporaryFolder(t, 'limits')
  attempts = 0
  answer = (attempt) => attempt === 1 ? look : attempt === 2 ? limited : after
  const server = await spawnServer(t, folder, env)
  const { session: { session_id: sessionId } } = await server.json('/api/session/new', { model: 'test-model', model_provider: 'openai' })
  const { stream_id: streamId } = await server.json('/api/chat/start', { session_id: sessionId, message: 'Go' })
  const row = async (on: ServerProcess) => (await on.json(`/api/session?session_id=${sessionId}`)).session
  await eventually('it is parked', async () => (await row(server)).resumes_at !== undefined)
  const before = await row(server)
  await server.crash()
  return { folder, sessionId, streamId, row, before, file: join(folder, 'home', 'webui', 'service.db') }
}

async function endOf (server: ServerProcess, streamId: string) {
  const reader = await server.events(`/api/chat/stream?stream_id=${streamId}&replay=1`)
  await reader.ended
  return reader.frames
}

t.test('a turn that was parked when everything was killed goes on at its time, once and where it was', async (t) => {
  const { folder, streamId, row, before, file } = await killedWhileParked(t, [{ text: 'There it is.' }])
  const again = await spawnServer(t, folder, env)
  t.equal((await row(again)).resumes_at, before.resumes_at, 'it waits on')
  t.equal(attempts, 2)
  await again.crash()
  // Its time comes while the service is down.
  const db = new Sqlite(file)
  db.prepare('update parked_turns set resumes_at = ?').run(Date.now() / 1_000 - 5)
  db.close()
  const late = await spawnServer(t, folder, env)
  const frames = await endOf(late, streamId)
  t.same(frames.map(({ id }) => Number(id?.split(':')[1])), frames.map((_, index) => index + 1))
  t.same(frames.filter(({ event }) => ['tool', 'parked', 'resumed', 'done', 'apperror', 'stream_end'].includes(event)).map(({ event }) => event), ['tool', 'parked', 'parked', 'resumed', 'done', 'stream_end'], 'also told of its other time')
  const { messages } = await row(late)
  t.same(messages.map(({ role }: { role: string }) => role), ['user', 'assistant', 'tool', 'assistant'])
  t.equal(messages.at(-1).content, 'There it is.')
  t.equal(attempts, 3)
  t.equal(await late.end('SIGTERM'), 0)
})

t.test('killed exactly while it goes on, as somebody has said, it goes on again by itself, and nothing is there twice', { long: true }, async (t) => {
  const { folder, streamId, row, file } = await killedWhileParked(t, held(gate(), [], []))
  const db = new Sqlite(file)
  db.prepare('update parked_turns set resumes_at = null').run()
  db.close()
  const again = await spawnServer(t, folder, env)
  const answers = await Promise.all([1, 2, 3].map(async () => await again.json('/api/chat/resume', { stream_id: streamId })))
  t.equal(answers.filter(({ resumed }) => resumed === true).length, 1)
  await eventually('its model is asked', () => attempts === 3)
  await again.crash()
  answer = () => [{ text: 'There it is.' }]
  const third = await spawnServer(t, folder, env)
  const frames = await endOf(third, streamId)
  t.equal(frames.at(-1)?.event, 'stream_end')
  t.same(frames.map(({ id }) => Number(id?.split(':')[1])), frames.map((_, index) => index + 1))
  t.same((await row(third)).messages.map(({ role }: { role: string }) => role), ['user', 'assistant', 'tool', 'assistant'])
  t.equal(attempts, 4)
})

t.test('its run is taken up when the service alone is killed then, twice, before it has said anything', { long: true }, async (t) => {
  const silent = gate()
  const { folder, streamId, row } = await killedWhileParked(t, held(silent, [], [{ text: 'There it is.' }]))
  const again = await spawnServer(t, folder, env)
  await again.json('/api/chat/resume', { stream_id: streamId })
  await eventually('its model is asked', () => attempts === 3)
  await again.end('SIGKILL')
  const third = await spawnServer(t, folder, env)
  await third.end('SIGKILL')
  const fourth = await spawnServer(t, folder, env)
  t.match(await row(fourth), { is_streaming: true, resumes_at: undefined }, 'it does not wait')
  silent.open()
  const frames = await endOf(fourth, streamId)
  t.equal(frames.at(-1)?.event, 'stream_end')
  t.same(frames.map(({ id }) => Number(id?.split(':')[1])), frames.map((_, index) => index + 1))
  t.equal((await row(fourth)).messages.at(-1).content, 'There it is.')
  t.same((await row(fourth)).messages.map(({ role }: { role: string }) => role), ['user', 'assistant', 'tool', 'assistant'])
  t.equal(attempts, 3, 'its model is asked once')
})
