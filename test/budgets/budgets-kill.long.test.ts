import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { eventually } from '../support/chat.js'
import { type TestLike } from '../support/app.js'
import { temporaryFolder } from '../support/folder.js'
import { modelEndpoint, type ModelRequest } from '../support/model-endpoint.js'
import { spawnServer, type ServerProcess } from '../support/server.js'

const endpoint = await modelEndpoint(t)
endpoint.script(({ attempt, stream }) => stream
  ? [...(attempt === 1 ? [{ tool: 'todo', args: { todos: [] }, id: 'call_1' }] : [{ text: 'Done' }]), { usage: { input: 100, output: 20 } }]
  : [{ text: 'A title' }])
const asked = (model: string): ModelRequest[] => endpoint.requests.filter((request) => request.stream && request.model === model)
const environment = { OPENAI_BASE_URL: endpoint.url, OPENAI_API_KEY: 'test-key-12345' }

async function card (server: ServerProcess, sessionId: string) {
  return await server.pending(sessionId)
}

function homeWith (t: TestLike, budgets: unknown): string {
  const folder = temporaryFolder(t, 'budgets')
  mkdirSync(join(folder, 'home'))
  writeFileSync(join(folder, 'home', 'config.yaml'), JSON.stringify({ budgets, auxiliary: { title_generation: { provider: 'offline-demo' } } }))
  return folder
}

t.test('a card about a budget outlives kill -9, in the middle of a turn and before its first call', async (t) => {
  const folder = homeWith(t, { session: { hard_tokens: 100 } })
  const first = await spawnServer(t, folder, environment)
  const { session: { session_id: sessionId } } = await first.json('/api/session/new', {})
  const { stream_id: streamId } = await first.json('/api/chat/start', { session_id: sessionId, message: 'Go', model: 'm-middle' })
  const before = await card(first, sessionId)
  t.match(before, { command: 'The budget of this conversation is used up: 120 of 100 tokens.' })
  await first.crash()

  const second = await spawnServer(t, folder, environment)
  t.same(await card(second, sessionId), before)
  t.equal(asked('m-middle').length, 1)
  // The person may answer before the run has reached the question again.
  t.match(await eventually('the answer to be taken', async () => {
    const taken = await second.respond(sessionId, 'once', before.approval_id)
    return taken.ok === true && taken
  }), { choice: 'once' })
  const reader = await second.events(`/api/chat/stream?stream_id=${streamId}&replay=1`)
  await reader.ended
  t.equal(reader.frames.at(-1)?.event, 'stream_end')
  t.equal(asked('m-middle').length, 2)
  await second.crash()

  // 240 of the 220 that were allowed: the answer is kept, and the next turn asks before it begins.
  const third = await spawnServer(t, folder, environment)
  t.match(await third.json(`/api/budgets?session_id=${sessionId}`), { session: { tokens: 240, allowed_tokens: 220 } })
  const { stream_id: nextId } = await third.json('/api/chat/start', { session_id: sessionId, message: 'What about this one?', model: 'm-first' })
  const unbegun = await card(third, sessionId)
  t.match(unbegun, { command: 'The budget of this conversation is used up: 240 of 220 tokens.' })
  await third.crash()

  const fourth = await spawnServer(t, folder, environment)
  t.same(await card(fourth, sessionId), unbegun)
  await eventually('the answer to be taken', async () => (await fourth.respond(sessionId, 'session')).ok === true)
  const last = await fourth.events(`/api/chat/stream?stream_id=${nextId}&replay=1`)
  await last.ended
  t.equal(last.frames.at(-1)?.event, 'stream_end')
  t.same(asked('m-first')[0]?.messages.filter(({ role }) => role === 'user').map(({ content }) => JSON.stringify(content).includes('What about this one?')), [false, true], 'the message is there once')
  t.match(await fourth.json(`/api/budgets?session_id=${sessionId}`), { session: { lifted: ['hard_tokens'] } })
  t.equal(await fourth.end('SIGTERM'), 0)
})
