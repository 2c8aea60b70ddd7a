import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:net'
import t from '#test'
import { readProcess } from '../../services/ground/process/processes.js'
import { eventually, gate, held, type Gate, type ScriptedAnswer } from '../support/chat.js'
import { type TestLike } from '../support/app.js'
import { temporaryFolder } from '../support/folder.js'
import { startModelEndpoint } from '../support/model-endpoint.js'
import { spawnServer, type ServerProcess } from '../support/server.js'

const needed = process.platform === 'linux' ? {} : { skip: 'processes are found through /proc, which only Linux has' }

/** A folder for services that are started on it one after the other, and a model for all of them. */
async function place (t: TestLike, environment: Record<string, string> = {}) {
  const folder = temporaryFolder(t, 'outliving')
  for (const name of ['home', 'workspace']) mkdirSync(join(folder, name))
  const endpoint = await startModelEndpoint()
  t.teardown(() => endpoint.close())
  const hosts = join(folder, 'home', 'webui', 'hosts')
  return {
    folder,
    endpoint,
    hosts,
    names: () => existsSync(hosts) ? readdirSync(hosts) : [],
    script (answers: ScriptedAnswer[]) {
      const left = [...answers]
      endpoint.script((request) => {
        const answer = request.stream ? left.shift() : undefined
        return typeof answer === 'function' ? answer(request) : answer ?? [{ text: 'Done.' }]
      })
    },
    serve: async (more: Record<string, string> = {}) =>
      await spawnServer(t, folder, { OPENAI_BASE_URL: endpoint.url, OPENAI_API_KEY: 'test-key-12345', ...environment, ...more })
  }
}

async function begin (server: ServerProcess, message = 'Go') {
  const { session: { session_id: sessionId } } = await server.json('/api/session/new', { model: 'scripted' })
  const { stream_id: streamId } = await server.json('/api/chat/start', { session_id: sessionId, message })
  return { sessionId, streamId }
}

const hostOf = async (server: ServerProcess): Promise<number> => (await server.json('/api/system/health')).agent.pid
const textOf = (frames: Array<{ event: string, data: { text?: string } }>): string =>
  frames.map(({ event, data }) => event === 'token' ? data.text : '').join('')

/** What the journal of a turn holds, and whether its numbers have no gap. */
async function told (server: ServerProcess, streamId: string) {
  const reader = await server.events(`/api/chat/stream?stream_id=${streamId}&replay=1&after_seq=0`)
  await reader.ended
  const seqs = reader.frames.map(({ id }) => Number(id!.split(':')[1]))
  return { frames: reader.frames, text: textOf(reader.frames), isWhole: seqs.every((seq, index) => seq === index + 1), last: reader.frames.at(-1)!.event }
}

/** Words that say where one is missing or double. */
const words = (count: number): string[] => Array.from({ length: count }, (_, index) => `w${index} `)
const slowly = (count: number): ScriptedAnswer => words(count).flatMap((text) => [{ text }, { waitMs: 4 }])

t.test('a turn goes on while the service is killed, again and again, and loses and doubles nothing', needed, async (t) => {
  const at = await place(t)
  at.script([slowly(400)])
  let server = await at.serve()
  const { streamId } = await begin(server)
  const host = await hostOf(server)
  const seen = await server.events(`/api/chat/stream?stream_id=${streamId}`)
  await eventually('its first words', () => textOf(seen.frames).includes('w5 '))
  for (let kill = 0; kill < 2; kill++) {
    await server.end('SIGKILL')
    t.ok(readProcess(host), 'its host is there')
    server = await at.serve()
    t.equal(await hostOf(server), host, 'and is the one of the next service')
  }
  const whole = await told(server, streamId)
  t.equal(whole.text, words(400).join(''))
  t.ok(whole.isWhole)
  t.equal(whole.last, 'stream_end')
  t.same(whole.frames.slice(0, seen.frames.length).map(({ data }) => data), seen.frames.map(({ data }) => data), 'what a client has seen stands as it was')
  t.equal(at.endpoint.requests.filter(({ stream }) => stream).length, 1, 'the model was asked once')
  t.equal(await server.end('SIGTERM'), 0)
  t.notOk(readProcess(host), 'a stop that was asked for ends it')
  t.same(at.names(), [])
})

t.test('what ends while nobody is there is told to the next service, and the host is gone by then', needed, async (t) => {
  const at = await place(t)
  const wait = gate()
  at.script([held(wait, [{ text: 'Before. ' }], [{ text: 'After.' }])])
  const server = await at.serve()
  const { streamId, sessionId } = await begin(server)
  const host = await hostOf(server)
  const seen = await server.events(`/api/chat/stream?stream_id=${streamId}`)
  await eventually('its first words', () => textOf(seen.frames) === 'Before. ')
  await server.end('SIGKILL')
  wait.open()
  await eventually('the end of the host', () => readProcess(host) === null)
  const [name] = at.names()
  t.equal(statSync(join(at.hosts, name!)).mode & 0o777, 0o700)
  t.equal(statSync(join(at.hosts, name!, 'said')).mode & 0o777, 0o600, 'what it has left is for its user alone')
  const again = await at.serve()
  t.match(await told(again, streamId), { text: 'Before. After.', isWhole: true, last: 'stream_end' })
  const { session } = await again.json(`/api/session?session_id=${sessionId}`)
  t.match(session.messages.map(({ content }: { content: string }) => content), ['Go', 'Before. After.'])
  await eventually('nothing of it to be left', () => at.names().every((each) => each !== name))
  t.equal(await again.end('SIGTERM'), 0)
})
