import Sqlite from 'better-sqlite3'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from '#test'
import { restoreBackup } from '../../services/areas/backups/index.js'
import { type Json } from '../support/app.js'
import { eventually, startChat } from '../support/chat.js'
import { aheadBy } from '../support/clock.js'
import { temporaryFolder } from '../support/folder.js'
import { serving } from '../support/listening.js'
import { modelEndpoint } from '../support/model-endpoint.js'
import { spawnServer, type ServerProcess } from '../support/server.js'

// An accepted turn runs once, or ends with a message that says what to do, whatever is killed at any point between its
// acceptance and its run.

const endpoint = await modelEndpoint(t, { models: ['test-model'] })
endpoint.script((request) => request.stream ? [{ text: 'Here.' }] : [{ text: 'A title' }])
const asked = (): number => endpoint.requests.filter(({ stream }) => stream).length
const env = { OPENAI_BASE_URL: endpoint.url, OPENAI_API_KEY: 'test-key-12345' }

const begin = async (server: ServerProcess, body: object = { model: 'test-model', model_provider: 'openai' }): Promise<{ sessionId: string, streamId: string }> => {
  const { session: { session_id: sessionId } } = await server.json('/api/session/new', body)
  const { stream_id: streamId } = await server.json('/api/chat/start', { session_id: sessionId, message: 'Go' })
  return { sessionId, streamId }
}
const hostOf = async (server: ServerProcess): Promise<number> =>
  await eventually('its host', async () => {
    const { agent } = await server.json('/api/system/health')
    return agent.running === true && agent.pid as number
  })
async function told (server: ServerProcess, { streamId, sessionId }: { streamId: string, sessionId: string }): Promise<{ last: Json, roles: string[], isWhole: boolean }> {
  const reader = await server.events(`/api/chat/stream?stream_id=${streamId}&replay=1`)
  await reader.ended
  const { session: { messages } } = await server.json(`/api/session?session_id=${sessionId}`)
  return {
    last: reader.frames.at(-1),
    roles: messages.map(({ role, content }: Json) => `${role}: ${content.split('\n')[0]}`),
    isWhole: reader.frames.every(({ id }, index) => Number(id?.split(':')[1]) === index + 1)
  }
}

const jobOf = async (server: ServerProcess, id: string): Promise<Json> => (await server.json('/api/crons')).jobs.find((job: Json) => job.id === id)
/** Resolves to the results of background tasks, once there are `count`. */
async function results (server: ServerProcess, sessionId: string, count: number): Promise<Json[]> {
  const found: Json[] = []
  await eventually('the results', async () => {
    found.push(...(await server.json(`/api/background/status?session_id=${sessionId}`)).results)
    return found.length >= count
  })
  return found
}

/** Starts a provider that does not list its models until it is allowed to, and counts its requests. */
async function slowList (t: Test): Promise<{ url: string, asked: () => number, answer: () => void }> {
  const held: Array<() => void> = []
  let [asked, isOpen] = [0, false]
  const origin = await serving(t, (_request, response) => {
    asked++
    const answer = (): void => { response.setHeader('content-type', 'application/json').end(JSON.stringify({ object: 'list', data: [{ id: 'test-model', object: 'model' }] })) }
    isOpen ? answer() : held.push(answer)
  })
  return {
    url: `${origin}/v1`,
    asked: () => asked,
    answer () {
      isOpen = true
      for (const answer of held.splice(0)) answer()
    }
  }
}

for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
  t.test(`a turn whose service ends by ${signal} before a host was given it begins with the next one`, { long: signal === 'SIGTERM' }, async (t) => {
    const folder = temporaryFolder(t, 'begun')
    const list = await slowList(t)
    mkdirSync(join(folder, 'home'), { recursive: true })
    const config = (url: string): void => writeFileSync(join(folder, 'home', 'config.yaml'), JSON.stringify({ model: { provider: 'slow' }, custom_providers: [{ name: 'Slow', base_url: url }] }))
    const server = await spawnServer(t, folder, env)
    config(list.url)
    const turn = await begin(server, {})
    const { sessionId } = turn
    // At once: each answer waits a second for the name of its model, and none of the turns waits for the list longer than eight.
    const [{ stream_id: aside }, ...tasks]: Json[] = await Promise.all([
      server.json('/api/btw', { session_id: sessionId, question: 'Aside?' }),
      ...Array.from({ length: 5 }, (_, count) => server.json('/api/background', { session_id: sessionId, prompt: `Task ${count}` }))
    ])
    const { job } = await server.json('/api/crons/create', { prompt: 'Look around', schedule: 'every 1d' })
    await server.json('/api/crons/run', { job_id: job.id })
    await eventually('the model of the job\'s run is looked up', async () => list.asked() > 0 && (await jobOf(server, job.id)).latest_execution?.status === 'running')
    const before = asked()
    await server.end(signal)
    t.equal(asked(), before)
    config(endpoint.url)
    const again = await spawnServer(t, folder, env)
    const { last, roles, isWhole } = await told(again, turn)
    t.equal(last.event, 'stream_end')
    t.same(roles, ['user: Go', 'assistant: Here.'])
    t.ok(isWhole)

    const reader = await again.events(`/api/chat/stream?stream_id=${aside}&replay=1`)
    await reader.ended
    t.match(reader.frames.findLast(({ event }) => event === 'done')?.data, { ephemeral: true, answer: 'Here.' }, 'a question on the side')
    const question = endpoint.requests.find(({ messages }) => JSON.stringify(messages).includes('Aside?'))
    t.ok(JSON.stringify(question?.messages).includes('Go'), 'it reads the conversation')
    t.notOk(question?.tools.includes('run_command'), 'and may only look around')
    const answers = await results(again, sessionId, tasks.length)
    t.same(answers.map(({ task_id: id, answer }) => `${id} ${answer}`).sort(), tasks.map(({ task_id: id }) => `${id} Here.`).sort(), 'tasks, also those in line')
    t.match(await eventually('the run of the job is over', async () => {
      const now = await jobOf(again, job.id)
      return now.last_status !== null && now
    }), { last_status: 'ok', repeat: { completed: 1 } })
    t.equal(asked(), before + 1 + 1 + tasks.length + 1, 'each has asked its model once')
  })
}

t.test('a response in the background is there and goes on when the service is killed before it has answered; any other one ends', async (t) => {
  const folder = temporaryFolder(t, 'begun')
  const list = await slowList(t)
  mkdirSync(join(folder, 'home'), { recursive: true })
  const config = (url: string): void => writeFileSync(join(folder, 'home', 'config.yaml'), JSON.stringify({ model: { provider: 'slow' }, custom_providers: [{ name: 'Slow', base_url: url }] }))
  const server = await spawnServer(t, folder, env)
  config(list.url)
  for (const background of [true, false]) {
    void server.json('/v1/responses', { model: 'agent', input: `Aloud ${background}`, instructions: 'Be brief.', background, metadata: { of: 'a test' } }).catch(() => {})
  }
  const rows = await eventually('both have begun', async () => {
    const { sessions } = await server.json('/api/sessions')
    return sessions.filter((row: Json) => row.active_stream_id !== null).length === 2 && sessions
  })
  await server.end('SIGKILL')
  config(endpoint.url)
  const again = await spawnServer(t, folder, env)
  const ended = await Promise.all(rows.map(async ({ active_stream_id: id }: Json) => await eventually('its end', async () => {
    const now = await again.json(`/v1/responses/resp_${id}`)
    return now.status !== 'in_progress' && now
  })))
  t.match(ended.find(({ background }) => background === true), { status: 'completed', metadata: { of: 'a test' }, instructions: 'Be brief.', output: [{ content: [{ text: 'Here.' }] }] })
  t.match(ended.find(({ background }) => background === false), { status: 'failed', error: { code: 'interrupted' } })
  t.ok(endpoint.requests.some(({ messages }) => /Be brief[^]*Aloud true/.test(JSON.stringify(messages))), 'with its instructions')
})

for (const isHostKilled of [false, true]) {
  t.test(`a turn whose service is killed after it was marked as given to a host, and before it was, ${isHostKilled ? 'ends if what the host got is not known' : 'begins with the next one'}`, async (t) => {
    const folder = temporaryFolder(t, 'begun')
    const list = await slowList(t)
    const server = await spawnServer(t, folder, env)
    await told(server, await begin(server))
    const host = await hostOf(server)
    const config = (url: string): void => writeFileSync(join(folder, 'home', 'config.yaml'), JSON.stringify({ model: { provider: 'slow' }, custom_providers: [{ name: 'Slow', base_url: url }] }))
    config(list.url)
    const turn = await begin(server, {})
    await eventually('its model is looked up', () => list.asked() > 0)
    const before = asked()
    // It would end in order, because it has no turn.
    if (isHostKilled) process.kill(host, 'SIGSTOP')
    await (isHostKilled ? server.crash() : server.end('SIGKILL'))
    const db = new Sqlite(join(folder, 'home', 'webui', 'service.db'))
    t.equal(db.prepare("update streams set held = json_object('given', json(unbegun)), unbegun = null where id = ? and unbegun is not null").run(turn.streamId).changes, 1)
    db.close()
    config(endpoint.url)
    const { last, roles, isWhole } = await told(await spawnServer(t, folder, env), turn)
    t.match(last, isHostKilled ? { event: 'apperror', data: { type: 'interrupted' } } : { event: 'stream_end' })
    t.match(roles[1], isHostKilled ? /^assistant: \*\*Interrupted/ : /^assistant: Here\.$/)
    t.ok(isWhole)
    t.equal(asked(), before + (isHostKilled ? 0 : 1))
  })
}

t.test('one whose model is not there any more waits for it for a while, and then ends and says why', async (t) => {
  const folder = temporaryFolder(t, 'begun')
  mkdirSync(join(folder, 'home'), { recursive: true })
  const list = await slowList(t)
  const config = (text: object): void => writeFileSync(join(folder, 'home', 'config.yaml'), JSON.stringify(text))
  config({ model: { provider: 'slow' }, custom_providers: [{ name: 'Slow', base_url: list.url }] })
  const service = await startChat(t)
  const before = await service.again(t, folder)
  const sessionId = await before.newSession()
  const streamId = await before.send(sessionId, 'Go')
  await eventually('its model is looked up', () => list.asked() > 0)
  await before.stop()
  const stateDir = join(folder, 'home', 'webui')
  const copy = join(temporaryFolder(t, 'copied'), 'service.db')
  cpSync(join(stateDir, 'service.db'), copy)
  config({ model: { provider: 'nobody' } })
  let aheadMs = 0
  const after = await service.again(t, folder, { clock: aheadBy(() => aheadMs) })
  t.match(await after.session(sessionId), { active_stream_id: streamId })
  aheadMs = 121_000
  const reader = await after.watch(streamId)
  await reader.ended
  t.match(reader.frames.at(-1), { event: 'apperror', data: { type: 'model_not_found' } })
  await after.stop()

  restoreBackup({ home: join(folder, 'home'), stateDir, source: copy, nowS: Date.now() / 1_000 })
  config({ model: { provider: 'slow' }, custom_providers: [{ name: 'Slow', base_url: endpoint.url }] })
  const restored = await service.again(t, folder)
  const ended = await restored.watch(streamId)
  await ended.ended
  t.match(ended.frames.at(-1), { event: 'apperror', data: { type: 'interrupted', recovery_control: true } }, 'out of a backup it may have begun already')
})

t.test('a turn that is given to a host which dies before it has said a word is given to the next one, once', async (t) => {
  const server = await spawnServer(t, temporaryFolder(t, 'begun'), env)
  await told(server, await begin(server))
  const host = await hostOf(server)
  process.kill(host, 'SIGSTOP')
  const before = asked()
  const turn = await begin(server)
  await delay(50)
  process.kill(host, 'SIGKILL')
  const { last, roles, isWhole } = await told(server, turn)
  t.equal(last.event, 'stream_end')
  t.same(roles, ['user: Go', 'assistant: Here.'])
  t.ok(isWhole)
  t.equal(asked(), before + 1)
  t.not(await hostOf(server), host)
})

t.test('killed at any moment after its start was answered, alone or with its host, it is run once or says how to go on', { long: true }, async (t) => {
  const folder = temporaryFolder(t, 'begun')
  let server = await spawnServer(t, folder, env)
  await told(server, await begin(server))
  const ends = { whole: 0, interrupted: 0 }
  for (let round = 0; round < 12; round++) {
    const before = asked()
    const turn = await begin(server)
    await delay(round)
    if (round % 2 === 0) await server.end('SIGKILL')
    else await server.crash()
    server = await spawnServer(t, folder, env)
    const { last, roles, isWhole } = await told(server, turn)
    t.ok(isWhole)
    t.equal(roles[0], 'user: Go')
    t.equal(roles.filter((said) => said === 'assistant: Here.').length, last.event === 'stream_end' ? 1 : 0)
    if (last.event === 'stream_end') ends.whole++
    else {
      ends.interrupted++
      t.match(last, { event: 'apperror', data: { type: 'interrupted', recovery_control: true } })
    }
    t.ok(asked() <= before + 1, 'its model is asked once at most')
    t.equal((await server.json('/api/chat/start', { session_id: turn.sessionId, message: 'And on' })).stream_id.length, 32)
    await eventually('it is over', async () => (await server.json(`/api/session?session_id=${turn.sessionId}`)).session.active_stream_id === null)
  }
  t.ok(ends.whole >= 6, `${ends.whole} were run, ${ends.interrupted} were interrupted`)
})
