import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import t from '#test'
import { type Json } from '../support/app.js'
import { eventually } from '../support/chat.js'
import { temporaryFolder } from '../support/folder.js'
import { modelEndpoint, type ModelStep } from '../support/model-endpoint.js'
import { spawnServer, type ServerProcess } from '../support/server.js'

// An accepted turn runs once, asks, or ends with a readable error, whenever the service is killed, alone or with its hosts.

const endpoint = await modelEndpoint(t, { models: ['test-model'] })
let answer: (attempt: number) => ModelStep[] = () => [{ text: 'Here.' }]
let attempts = 0
endpoint.script((request) => request.stream ? answer(++attempts) : [{ text: 'A title' }])
const key = `OPENAI_API_KEY=test-key-12345\nOPENAI_BASE_URL=${endpoint.url}\n`

function newHome (t: Parameters<typeof temporaryFolder>[0]): { folder: string, file: string, env: (text: string) => void } {
  const folder = temporaryFolder(t, 'kills')
  mkdirSync(join(folder, 'home'))
  const env = (text: string): void => writeFileSync(join(folder, 'home', '.env'), text)
  env(key)
  return { folder, file: join(folder, 'home', 'webui', 'service.db'), env }
}
const kill = (server: ServerProcess, isWhole: boolean): Promise<unknown> => isWhole ? server.crash() : server.end('SIGKILL')
const newSession = async (server: ServerProcess): Promise<string> =>
  (await server.json('/api/session/new', { model: 'test-model', model_provider: 'openai' })).session.session_id
async function framesOf (server: ServerProcess, streamId: string): Promise<Json[]> {
  const reader = await server.events(`/api/chat/stream?stream_id=${streamId}&replay=1`)
  await reader.ended
  return reader.frames
}
const isWhole = (frames: Json[]): boolean => frames.every(({ id }, index) => Number(id?.split(':')[1]) === index + 1)

t.test('what works beside a conversation, and runs of jobs', async (t) => {
  answer = () => [{ text: 'Here.' }]
  const { folder } = newHome(t)
  let server = await spawnServer(t, folder)
  let run = 0
  for (let round = 0; round < 10; round++) {
    const before = attempts
    const parent = await newSession(server)
    const { job } = await server.json('/api/crons/create', { prompt: 'Look around', schedule: 'every 1d', model: 'test-model' })
    const [aside, task] = await Promise.all([
      server.json('/api/btw', { session_id: parent, question: 'Aside?' }), server.json('/api/background', { session_id: parent, prompt: 'Work' }),
      server.json('/api/crons/run', { job_id: job.id })
    ])
    await delay(round * 5)
    await kill(server, round % 2 === 0)
    server = await spawnServer(t, folder)

    const frames = await framesOf(server, aside.stream_id)
    t.ok(isWhole(frames))
    const done = frames.findLast(({ event }) => event === 'done')
    if (done === undefined) t.match(frames.at(-1), { event: 'apperror', data: { type: 'interrupted' } })
    else t.match(done.data, { ephemeral: true, answer: 'Here.' })
    const told = await eventually('the task', async () => {
      const { results } = await server.json(`/api/background/status?session_id=${parent}`)
      return results.length > 0 && results
    })
    t.match(told, [{ task_id: task.task_id, answer: /^(Here\.|The task failed: The service was stopped before this task was done\.)$/ }])
    const over = await eventually('the run', async () => {
      const found = (await server.json('/api/crons')).jobs.find((one: Json) => one.id === job.id)
      return found.last_status !== null && found
    })
    t.match([over.last_status, over.last_error], over.last_status === 'ok' ? ['ok', null] : ['error', /stopped unexpectedly/])
    t.equal(over.repeat.completed, 1)
    t.ok(attempts - before <= 3, `each has asked its model once at most, and not ${attempts - before} times in round ${round}`)
    run += [done !== undefined, told[0].answer === 'Here.', over.last_status === 'ok'].filter(Boolean).length
  }
  // How many depends on how far each had come when it was killed.
  t.ok(run > 0, `${run} of 30 were run`)
})

t.test('a parked turn that goes on, with its key and without, by itself and as somebody says so', async (t) => {
  for (let round = 0; round < 6; round++) {
    attempts = 0
    answer = (attempt) => attempt === 1 ? [{ refuse: 429, headers: { 'retry-after': '3600' } }] : [{ text: 'Here.' }]
    const { folder, file, env } = newHome(t)
    const first = await spawnServer(t, folder)
    const sessionId = await newSession(first)
    const { stream_id: streamId } = await first.json('/api/chat/start', { session_id: sessionId, message: 'Go' })
    const row = async (on: ServerProcess): Promise<Json> => (await on.json(`/api/session?session_id=${sessionId}`)).session
    await eventually('it is parked', async () => (await row(first)).resumes_at !== undefined)
    await first.crash()
    const db = new Sqlite(file)
    db.prepare('update parked_turns set resumes_at = ?').run(Date.now() / 1_000 - 5)
    db.close()
    env('')
    const keyless = await spawnServer(t, folder)
    await delay(round * 8)
    await kill(keyless, round % 2 === 0)
    const asking = await spawnServer(t, folder)
    await eventually('it asks', async () => (await row(asking)).resumes_at === null)
    const home = await asking.json('/api/home')
    t.match(home.running.find((one: Json) => one.session_id === sessionId).parked.problem, /no API key/)
    t.match(await asking.json('/api/chat/resume', { stream_id: streamId }), { error: /no API key/ })
    t.equal(attempts, 1)
    env(key)
    const answers = await Promise.all([1, 2].map(async () => await asking.json('/api/chat/resume', { stream_id: streamId })))
    t.equal(answers.filter(({ resumed }) => resumed === true).length, 1, 'it goes on for one of two')
    await delay(round * 4)
    await kill(asking, round % 2 === 1)
    const last = await spawnServer(t, folder)
    const frames = await framesOf(last, streamId)
    t.ok(isWhole(frames))
    t.equal(frames.at(-1)?.event === 'stream_end' || frames.at(-1)?.data.type === 'interrupted', true, 'what was said stays said')
    t.ok(attempts <= 3)
    t.equal((await row(last)).resumes_at, undefined)
    await last.end('SIGTERM')
  }
})
