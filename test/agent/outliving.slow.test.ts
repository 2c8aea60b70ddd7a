import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import t from '#test'
import { createMarks } from '../../services/agent/runtime/guardian.js'
import { asset } from '../../services/ground/assets.js'
import { readProcess } from '../../services/ground/process/processes.js'
import { eventually, gate, held, type Gate, type ScriptedAnswer } from '../support/chat.js'
import { type TestLike } from '../support/app.js'
import { temporaryFolder } from '../support/folder.js'
import { modelEndpoint, type ModelStep } from '../support/model-endpoint.js'
import { spawnServer, type ServerProcess } from '../support/server.js'

const needed = process.platform === 'linux' ? {} : { skip: 'processes are found through /proc, which only Linux has' }

/** Creates a folder for services that are started on it one after the other, and a model for all of them. */
async function place (t: TestLike, environment: Record<string, string> = {}) {
  const folder = temporaryFolder(t, 'outliving')
  for (const name of ['home', 'workspace']) mkdirSync(join(folder, name))
  const endpoint = await modelEndpoint(t)
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

/** Returns what the journal of a turn contains, and whether its numbers have no gap. */
async function told (server: ServerProcess, streamId: string) {
  const reader = await server.events(`/api/chat/stream?stream_id=${streamId}&replay=1&after_seq=0`)
  await reader.ended
  const seqs = reader.frames.map(({ id }) => Number(id!.split(':')[1]))
  return { frames: reader.frames, text: textOf(reader.frames), isWhole: seqs.every((seq, index) => seq === index + 1), last: reader.frames.at(-1)!.event }
}

/** Words that show whether one is missing or duplicated. */
const words = (count: number): string[] => Array.from({ length: count }, (_, index) => `w${index} `)
const slowly = (count: number): ModelStep[] => words(count).flatMap((text) => [{ text }, { waitMs: 4 }])

/** Returns an answer that stops at each gate until it is opened. */
const inParts = (parts: Array<ModelStep[] | Gate>): ModelStep[] => Object.assign([], {
  * [Symbol.iterator] (): Generator<ModelStep> {
    for (const part of parts) {
      if (Array.isArray(part)) yield * part
      else while (!part.isOpen) yield { waitMs: 5 }
    }
  }
})

t.test('a turn goes on while the service is killed, again and again, and loses and doubles nothing', needed, async (t) => {
  const at = await place(t)
  const [first, second] = [gate(), gate()]
  const all = slowly(400)
  at.script([inParts([all.slice(0, 300), first, all.slice(300, 500), second, all.slice(500)])])
  let server = await at.serve()
  const { streamId, sessionId } = await begin(server)
  const host = await hostOf(server)
  const seen = await server.events(`/api/chat/stream?stream_id=${streamId}`)
  await eventually('its first words', () => textOf(seen.frames).includes('w5 '))
  await server.json('/api/session/queue', { session_id: sessionId, action: 'add', message: 'Then this' })
  for (const during of [first, second]) {
    await server.end('SIGKILL')
    during.open()
    t.ok(readProcess(host), 'its host is there')
    server = await at.serve()
    if (during === first) t.equal(await hostOf(server), host, 'and is the one of the next service')
  }
  const whole = await told(server, streamId)
  t.equal(whole.text, words(400).join(''))
  t.ok(whole.isWhole)
  t.equal(whole.last, 'stream_end')
  t.same(whole.frames.slice(0, seen.frames.length).map(({ data }) => data), seen.frames.map(({ data }) => data), 'what a client has seen stands as it was')
  const saidIn = async () => (await server.json(`/api/session?session_id=${sessionId}`)).session.messages.map(({ content }: { content: string }) => content)
  t.same(await eventually('what was queued', async () => (await saidIn()).length === 4 && (await saidIn())), ['Go', words(400).join(''), 'Then this', 'Done.'])
  t.equal(at.endpoint.requests.filter(({ stream }) => stream).length, 2, 'the model was asked once for each')
  t.equal(await server.end('SIGTERM'), 0)
  t.notOk(readProcess(host), 'a stop that was asked for ends it')
  t.same(at.names(), [])
})

t.test('what ends while nobody is there is told to the next service, and the host is gone by then', { ...needed, long: true }, async (t) => {
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

t.test('prompts wait for whoever answers, and what was decided before a kill is not asked twice', needed, async (t) => {
  const at = await place(t)
  at.script([[{ tool: 'terminal', args: { command: 'touch one' }, id: 'call_1' }, { tool: 'terminal', args: { command: 'touch two' }, id: 'call_2' }], [{ text: 'Both.' }]])
  let server = await at.serve()
  const { streamId, sessionId } = await begin(server)
  const host = await hostOf(server)
  const card = async () => await server.pending(sessionId)
  const first = await card()
  await server.end('SIGKILL')
  server = await at.serve()
  t.equal((await card()).approval_id, first.approval_id, 'the same card')
  t.match(await eventually('the run to take it', async () => {
    const answer = await server.respond(sessionId, 'once', first.approval_id)
    return answer.ok === true && answer
  }), { ok: true })
  await server.end('SIGKILL')
  server = await at.serve()
  const second = await card()
  t.not(second.approval_id, first.approval_id)
  t.match(second.command, /two/)
  await server.respond(sessionId, 'once', second.approval_id)
  const whole = await told(server, streamId)
  t.match(whole, { text: 'Both.', isWhole: true, last: 'stream_end' })
  t.match(whole.frames.filter(({ event }) => event === 'tool_complete').map(({ data }) => data), ['one', 'two'].map((name, index) => ({
    id: `call_${index + 1}`, name: 'terminal', args: { command: `touch ${name}` }, command: `touch ${name}`, is_error: false
  })), 'a service knows a call that began before it')
  t.same(['one', 'two'].map((name) => existsSync(join(at.folder, 'workspace', name))), [true, true])
  t.equal(await hostOf(server), host)
  t.equal(await server.end('SIGTERM'), 0)
})

t.test('a cancel that was acknowledged holds, whatever is killed behind it', needed, async (t) => {
  const at = await place(t)
  at.script([held(gate(), [{ text: 'Going on. ' }], [{ text: 'Never.' }])])
  const server = await at.serve()
  const { streamId } = await begin(server)
  const seen = await server.events(`/api/chat/stream?stream_id=${streamId}`)
  await eventually('its first words', () => textOf(seen.frames) !== '')
  process.kill(await hostOf(server), 'SIGSTOP')
  const host = await hostOf(server)
  t.match(await server.json(`/api/chat/cancel?stream_id=${streamId}`), { ok: true })
  await server.end('SIGKILL')
  process.kill(host, 'SIGCONT')
  const again = await at.serve()
  t.equal((await told(again, streamId)).last, 'cancel')
  await eventually('the provider to be let go', () => at.endpoint.requests[0]!.isClosed)
  t.equal(await again.end('SIGTERM'), 0)
})

t.test('a host that nobody comes for ends its turns, and the next service says why', { ...needed, long: true }, async (t) => {
  const at = await place(t, { SVC_WEBUI_AWAY_MINUTES: '1' })
  at.script([held(gate(), [{ text: 'Part. ' }], [])])
  const server = await at.serve()
  const { streamId, sessionId } = await begin(server)
  const host = await hostOf(server)
  const seen = await server.events(`/api/chat/stream?stream_id=${streamId}`)
  await eventually('its first words', () => textOf(seen.frames) !== '')
  await server.json('/api/session/queue', { session_id: sessionId, action: 'add', message: 'Then this' })
  await server.end('SIGKILL')
  process.kill(host, 'SIGTERM')
  await eventually('the end of the host', () => readProcess(host) === null)
  const again = await at.serve()
  const { frames, isWhole } = await told(again, streamId)
  t.match(await eventually('it is held', async () => {
    const queue = await again.json(`/api/session/queue?session_id=${sessionId}`)
    return queue.held !== null && queue
  }), { queue: [{ message: 'Then this' }], held: { reason: 'failed' } })
  t.ok(isWhole)
  t.match(frames.at(-1), { event: 'apperror', data: { type: 'interrupted', message: /while the service was away/ } })
  const { session } = await again.json(`/api/session?session_id=${sessionId}`)
  t.match(session.messages.map(({ content }: { content: string }) => content).slice(0, 2), ['Go', 'Part. '])
  t.equal(await again.end('SIGTERM'), 0)
})

t.test('a turn that waits for a person outlives its host as well', { ...needed, long: true }, async (t) => {
  const at = await place(t)
  at.script([[{ tool: 'terminal', args: { command: 'touch one' }, id: 'call_1' }], [{ text: 'Done.' }]])
  const server = await at.serve()
  const { streamId, sessionId } = await begin(server)
  const host = await hostOf(server)
  const card = async (on: ServerProcess) => await on.pending(sessionId)
  const asked = await card(server)
  // The host learns with a heartbeat that all of it is stored.
  await new Promise((resolve) => setTimeout(resolve, 6_000))
  await server.end('SIGKILL')
  process.kill(host, 'SIGTERM')
  await eventually('the end of the host', () => readProcess(host) === null)
  const again = await at.serve()
  const { approval_id: id } = await card(again)
  t.equal(id, asked.approval_id)
  await eventually('the run to take it', async () => (await again.respond(sessionId, 'once', id)).ok === true)
  t.match(await told(again, streamId), { text: 'Done.', isWhole: true, last: 'stream_end' })
  t.equal(await again.end('SIGTERM'), 0)
})

t.test('a host that died with its service leaves what a restart always left, and one that is stuck is killed', { ...needed, long: true }, async (t) => {
  for (const signal of ['SIGKILL', 'SIGSTOP'] as const) {
    const at = await place(t)
    at.script([held(gate(), [{ text: 'Part. ' }], []), [{ text: 'Anew.' }]])
    const server = await at.serve()
    const { streamId, sessionId } = await begin(server)
    const host = await hostOf(server)
    const seen = await server.events(`/api/chat/stream?stream_id=${streamId}`)
    await eventually('its first words', () => textOf(seen.frames) !== '')
    process.kill(host, signal)
    await server.end('SIGKILL')
    const again = await at.serve()
    t.match(await told(again, streamId), { text: 'Part. ', isWhole: true, last: 'apperror' })
    await eventually('the end of the host', () => readProcess(host) === null)
    const { stream_id: next } = await again.json('/api/chat/start', { session_id: sessionId, message: 'Again' })
    t.match(await told(again, next), { text: 'Anew.' })
    t.equal(await again.end('SIGTERM'), 0)
    t.same(at.names(), [])
  }
})

t.test('nobody but the next service is listened to', { ...needed, long: true }, async (t) => {
  // Too long for a socket address.
  const at = await place(t)
  const stateDir = join(at.folder, 'a'.repeat(90), 'state')
  mkdirSync(stateDir, { recursive: true })
  const wait = gate()
  at.script([held(wait, [{ text: 'Here. ' }], [{ text: 'Still.' }])])
  const server = await at.serve({ SVC_WEBUI_STATE_DIR: stateDir })
  const { streamId } = await begin(server)
  const seen = await server.events(`/api/chat/stream?stream_id=${streamId}`)
  await eventually('its first words', () => textOf(seen.frames) !== '')
  const folder = join(stateDir, 'hosts', await eventually('its folder', () => readdirSync(join(stateDir, 'hosts'))[0]))
  await eventually('its card', () => existsSync(join(folder, 'host.json')))
  t.equal(statSync(join(folder, 'host.json')).mode & 0o777, 0o600)
  t.equal(statSync(join(folder, 'socket')).mode & 0o777, 0o600)
  const cwd = process.cwd()
  process.chdir(folder)
  t.teardown(() => { process.chdir(cwd) })
  for (const hello of ['garbage\n', '{"type":"hello","secret":"guessed"}\n', '{"type":"end"}\n']) {
    const stranger = connect({ path: 'socket' })
    const closed = new Promise((resolve) => stranger.once('close', resolve))
    stranger.on('error', () => {})
    stranger.write(hello)
    await closed
  }
  process.chdir(cwd)
  await server.end('SIGKILL')
  const again = await at.serve({ SVC_WEBUI_STATE_DIR: stateDir })
  wait.open()
  t.match(await told(again, streamId), { text: 'Here. Still.', isWhole: true, last: 'stream_end' })
  t.equal(await again.end('SIGTERM'), 0)
})

t.test('a host that was not up yet when its service went keeps what it was given', needed, async (t) => {
  // The second as a kill does it: what the host writes then fails, and must not take away what it has yet to read.
  const ways: Array<(pipe: Socket, message: string) => void> = [
    (pipe, message) => { pipe.end(message) }, (pipe, message) => { pipe.write(message, () => pipe.destroy()) }
  ]
  for (const [index, leave] of ways.entries()) {
    const at = temporaryFolder(t, 'early')
    const standby = { folder: join(at, 'host'), profile: 'default', fit: 'any', waitMs: 60_000 }
    const commandMark = `${createMarks(at).service}early${index}.`
    const child = spawn(process.execPath, [
      asset('dist/services/agent/host/main.js'), JSON.stringify({ profileHome: at, serviceRoots: [], commandMark, standby })
    ], { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] })
    const ended = once(child, 'exit')
    // Of a release that it does not know: the turn ends at once.
    const spec = { v: 0, runId: 'early', generation: 1, places: { workspace: at }, todos: [], grants: [] }
    leave((child.stdio[3] as Socket).on('error', () => {}), `${JSON.stringify({ type: 'start', spec })}\n`)
    t.same(await ended, [0, null])
    const said = join(standby.folder, 'said')
    t.ok(existsSync(said), 'it has read what it was given')
    if (existsSync(said)) t.match(JSON.parse(readFileSync(said, 'utf8')), { runId: 'early', seq: 1, events: [{ t: 'end', state: 'failed' }] })
    t.match(JSON.parse(readFileSync(join(standby.folder, 'host.json'), 'utf8')), { pid: child.pid, mark: commandMark })
  }
})

t.test('a service on a copy of the state folder lets the hosts of the other one be', { ...needed, long: true }, async (t) => {
  const at = await place(t)
  const wait = gate()
  at.script([held(wait, [{ text: 'Here. ' }], [{ text: 'Still.' }])])
  const server = await at.serve()
  const { streamId } = await begin(server)
  const seen = await server.events(`/api/chat/stream?stream_id=${streamId}`)
  await eventually('its first words', () => textOf(seen.frames) !== '')
  const pid = await hostOf(server)
  const copied = join(temporaryFolder(t, 'copied'), 'home')
  cpSync(join(at.folder, 'home'), copied, { recursive: true, filter: (path) => !lstatSync(path).isSocket() })
  const copy = await at.serve({ SVC_HOME: copied })
  t.match(await told(copy, streamId), { text: 'Here. ', isWhole: true, last: 'apperror' })
  t.ok(readProcess(pid), 'it is at work')
  wait.open()
  t.match(await told(server, streamId), { text: 'Here. Still.', isWhole: true, last: 'stream_end' })
  for (const each of [copy, server]) t.equal(await each.end('SIGTERM'), 0)
})

t.test('with other settings new turns get another host, and the old one ends with its last', { ...needed, long: true }, async (t) => {
  const at = await place(t)
  const wait = gate()
  at.script([held(wait, [{ text: 'Old. ' }], [{ text: 'Done.' }]), [{ text: 'New.' }]])
  const server = await at.serve()
  const old = await begin(server)
  const host = await hostOf(server)
  const seen = await server.events(`/api/chat/stream?stream_id=${old.streamId}`)
  await eventually('its first words', () => textOf(seen.frames) !== '')
  await server.end('SIGKILL')
  const again = await at.serve({ OPENAI_API_KEY: 'another-key-12345' })
  const fresh = await begin(again)
  t.match(await told(again, fresh.streamId), { text: 'New.' })
  t.not(await hostOf(again), host)
  t.ok(readProcess(host))
  wait.open()
  t.match(await told(again, old.streamId), { text: 'Old. Done.', isWhole: true, last: 'stream_end' })
  await eventually('the end of the old one', () => readProcess(host) === null)
  t.equal(await again.end('SIGTERM'), 0)
})

t.test('where turns are to end with the service they do', { ...needed, long: true }, async (t) => {
  const at = await place(t, { SVC_WEBUI_AWAY_MINUTES: '0' })
  at.script([held(gate(), [{ text: 'Part. ' }], [])])
  const server = await at.serve()
  const { streamId } = await begin(server)
  const host = await hostOf(server)
  const seen = await server.events(`/api/chat/stream?stream_id=${streamId}`)
  await eventually('its first words', () => textOf(seen.frames) !== '')
  await server.end('SIGKILL')
  await eventually('the end of the host', () => readProcess(host) === null)
  const again = await at.serve()
  t.match(await told(again, streamId), { text: 'Part. ', last: 'apperror' })
  t.equal(await again.end('SIGTERM'), 0)
})

t.test('a sub-agent ends with the service that was killed, and the turn that waits for it is told so and goes on', { ...needed, long: true }, async (t) => {
  const at = await place(t)
  let isAsked = false
  at.endpoint.script(({ stream, messages }) => {
    if (!stream) return [{ text: 'A title' }]
    if (messages.at(-1)?.role === 'tool') return [{ text: 'Without it.' }]
    if (isAsked) return held(gate(), [{ text: 'I look. ' }], [])
    isAsked = true
    return [{ tool: 'delegate', args: { task: 'Look' }, id: 'call_1' }]
  })
  const server = await at.serve()
  const { streamId, sessionId } = await begin(server)
  await eventually('the sub-agent', () => at.endpoint.requests.filter(({ stream }) => stream).length === 2)
  const host = await hostOf(server)
  await server.end('SIGKILL')
  const again = await at.serve()
  t.match(await told(again, streamId), { text: 'Without it.', isWhole: true, last: 'stream_end' })
  t.equal(await hostOf(again), host)
  await eventually('the provider of the sub-agent to be let go', () => at.endpoint.requests.filter(({ stream }) => stream)[1]!.isClosed)
  const { sessions } = await again.json('/api/sessions')
  t.same(sessions.filter((row: { session_id: string, parent_session_id?: string }) => row.session_id === sessionId || row.parent_session_id === sessionId).map((row: { is_streaming: boolean }) => row.is_streaming), [false, false])
  t.equal(await again.end('SIGTERM'), 0)
})

t.test('a service that cannot speak to a host of another release lets it finish, and stores what it has left', needed, async (t) => {
  for (const [said, text, last] of [[1, 'Before. After.', 'stream_end'], [99, 'Before. ', 'apperror']] as const) {
    const at = await place(t)
    const wait = gate()
    at.script([held(wait, [{ text: 'Before. ' }], [{ text: 'After.' }]), [{ text: 'New.' }]])
    let server = await at.serve()
    const { streamId, sessionId } = await begin(server)
    const host = await hostOf(server)
    const seen = await server.events(`/api/chat/stream?stream_id=${streamId}`)
    await eventually('its first words', () => textOf(seen.frames) === 'Before. ')
    const card = join(at.hosts, at.names()[0]!, 'host.json')
    await eventually('its card', () => existsSync(card))
    await server.end('SIGKILL')
    writeFileSync(card, JSON.stringify({ ...JSON.parse(readFileSync(card, 'utf8')), v: 1, said }))
    server = await at.serve()
    t.equal((await server.json(`/api/session?session_id=${sessionId}`)).session.active_stream_id, streamId, 'the turn is still running')
    t.match(await server.json('/api/chat/start', { session_id: sessionId, message: 'After it', if_busy: 'queue' }), { queued: true })
    const { streamId: other } = await begin(server, 'Another')
    t.match(await told(server, other), { text: 'New.', last: 'stream_end' }, 'new turns have a new host')
    t.not(await hostOf(server), host)
    t.ok(readProcess(host), 'the old one is left alone')
    await eventually('it to be said that new rules do not reach it', () => /an older version runs goes on by the rules/.test(server.output()))
    await server.end('SIGKILL')
    server = await at.serve()
    t.ok(readProcess(host), 'also by the service after the next')
    wait.open()
    const whole = await told(server, streamId)
    t.match(whole, { text, isWhole: true, last })
    if (last === 'apperror') t.match(whole.frames.at(-1)!.data, { message: /An older version of the service was still working on this turn/ })
    await eventually('the end of the old host', () => readProcess(host) === null)
    t.equal(await server.end('SIGTERM'), 0)
    t.same(at.names(), [])
  }
})

t.test('a turn of a host of another release can be stopped, which ends that host, and a stop of the service ends it as well', { ...needed, long: true }, async (t) => {
  for (const way of ['cancel', 'stop']) {
    const at = await place(t)
    at.script([held(gate(), [{ text: 'Before. ' }], [])])
    let server = await at.serve()
    const { streamId } = await begin(server)
    const host = await hostOf(server)
    const seen = await server.events(`/api/chat/stream?stream_id=${streamId}`)
    await eventually('its first words', () => textOf(seen.frames) === 'Before. ')
    const card = join(at.hosts, at.names()[0]!, 'host.json')
    await eventually('its card', () => existsSync(card))
    await server.end('SIGKILL')
    writeFileSync(card, JSON.stringify({ ...JSON.parse(readFileSync(card, 'utf8')), v: 1 }))
    server = await at.serve()
    if (way === 'cancel') {
      t.match(await server.json(`/api/chat/cancel?stream_id=${streamId}`), { ok: true, cancelled: true })
      t.match(await told(server, streamId), { text: 'Before. ', last: 'cancel' })
      await eventually('the end of the old host', () => readProcess(host) === null)
    }
    t.equal(await server.end('SIGTERM'), 0)
    t.equal(readProcess(host), null)
  }
})

/** The tests that prove cells of the table in docs/operations.md: a file, and the beginning of a test's name. */
const proofs = {
  again: ['test/agent/outliving.slow.test.ts', 'a turn goes on while the service is killed, again and again'],
  prompts: ['test/agent/outliving.slow.test.ts', 'prompts wait for whoever answers'],
  nobody: ['test/agent/outliving.slow.test.ts', 'a host that nobody comes for ends its turns'],
  asking: ['test/agent/outliving.slow.test.ts', 'a turn that waits for a person outlives its host as well'],
  subAgent: ['test/agent/outliving.slow.test.ts', 'a sub-agent ends with the service that was killed'],
  older: ['test/agent/outliving.slow.test.ts', 'a service that cannot speak to a host of another release'],
  olderStop: ['test/agent/outliving.slow.test.ts', 'a turn of a host of another release can be stopped'],
  dead: ['test/agent/outliving.slow.test.ts', 'a host that died with its service'],
  broken: ['test/chat/chat.test.ts', 'however often the connection breaks'],
  question: ['test/chat/parked.slow.test.ts', 'so does a question, and its time begins when somebody is there again'],
  permission: ['test/chat/parked.slow.test.ts', 'a turn that waits for permission outlives a restart'],
  killedBoth: ['test/chat/parked.slow.test.ts', 'killed without a warning, with the agent in a process of its own'],
  output: ['test/chat/live-output.slow.test.ts', 'what a command prints is seen while it runs'],
  delegated: ['test/side-turns/delegation.slow.test.ts', 'a sub-agent works in a session of its own'],
  delegatedDead: ['test/side-turns/delegation.slow.test.ts', 'when the agent process dies'],
  commands: ['test/agent/process-life.slow.test.ts', 'they end with the service that is stopped, and so does a host; one whose service is killed goes on'],
  commandsDead: ['test/agent/process-life.slow.test.ts', 'commands outside the sandbox end with their host'],
  update: ['test/updates/restart.long.test.ts', 'a turn goes on over an update'],
  blocked: ['test/updates/apply.slow.test.ts', 'turns that run'],
  held: ['test/updates/quiet.slow.test.ts', 'what has waited begins after the restart'],
  systemd: ['test/service/systemd.slow.test.ts', 'whether systemd starts the service again is asked of it'],
  stopped: ['test/service/server.slow.test.ts', 'SIGTERM ends open turns honestly'],
  queue: ['test/queue/queue.test.ts', 'over a stop of the service: nobody is there, and each begins once'],
  queueHeld: ['test/queue/queue.test.ts', 'a turn that failed, was stopped or waits for a person holds the queue'],
  tasks: ['test/chat/kills.long.test.ts', 'what works beside a conversation, and runs of jobs'],
  slots: ['test/crons/kill.long.test.ts', 'killed over a slot and in the middle of a run'],
  line: ['test/side-turns/background.slow.test.ts', 'those that wait begin in the order in which they came']
} as const
type Proof = keyof typeof proofs
type Cell = readonly [says: string, proof: Proof]

const [goesOn, after]: [string, string] = ['goes on', 'begin after the restart']
const toldSo = 'end; the turn is told so and goes on'
/** Each row: turn, waiting turn, commands, sub-agents, queued messages, queued tasks and jobs. */
const followed: Record<string, readonly Cell[]> = {
  'a client disconnects':
    [[goesOn, 'broken'], ['waits', 'question'], ['go on', 'output'], ['go on', 'delegated'], ['begin', 'queue'], ['begin', 'line']],
  '`kill -9`, a crash of the service':
    [[goesOn, 'again'], ['waits', 'prompts'], ['go on', 'commands'], [toldSo, 'subAgent'], [after, 'again'], [after, 'tasks']],
  'an update, with the restart that belongs to it': [
    [goesOn, 'update'], ['waits', 'update'], ['go on', 'update'], ['the update is refused or waits while one runs', 'blocked'],
    [after, 'held'], [after, 'held']
  ],
  'a start of a version with another protocol': [
    ['goes on alone', 'older'], ['waits, and ends as below', 'nobody'], ['go on', 'older'], ['end', 'olderStop'], ['begin after it', 'older'],
    [after, 'tasks']
  ],
  '`systemctl restart`, of a unit with `KillMode=process`':
    [[goesOn, 'systemd'], ['waits', 'prompts'], ['go on', 'commands'], [toldSo, 'subAgent'], [after, 'queue'], [after, 'tasks']],
  'the service is away for longer than `SVC_WEBUI_AWAY_MINUTES`':
    [['`interrupted`', 'nobody'], ['waits', 'asking'], ['end', 'commands'], ['end', 'subAgent'], ['are held', 'nobody'], [after, 'slots']],
  'SIGTERM, Ctrl-C, a stop by systemd or of the container':
    [['`interrupted`', 'stopped'], ['waits', 'permission'], ['end', 'commands'], ['end', 'commands'], [after, 'queue'], [after, 'tasks']],
  '`kill -9` of the agent process': [
    ['`interrupted`', 'commandsDead'], ['`interrupted`', 'delegatedDead'], ['end', 'commandsDead'], ['`interrupted`', 'delegatedDead'],
    ['are held', 'queueHeld'], ['begin', 'line']
  ],
  '`kill -9` of both, a crash of the machine or a power cut':
    [['`interrupted`', 'dead'], ['waits', 'killedBoth'], ['end', 'commandsDead'], ['`interrupted`', 'tasks'], [after, 'again'], [after, 'tasks']]
}
t.test('each cell of the table of what survives what has a test that proves it', async (t) => {
  const page = readFileSync('docs/operations.md', 'utf8')
  const table = page.slice(page.indexOf('| Event | Running turn |')).split('\n\n')[0]!
  const rows = table.split('\n').slice(2).map((row) => row.split('|').slice(1, -1).map((cell) => cell.trim()))
  t.same(rows, Object.entries(followed).map(([event, cells]) => [event, ...cells.map(([says]) => says)]))
  const used = new Set<string>(Object.values(followed).flat().map(([, proof]) => proof))
  for (const [name, [file, title]] of Object.entries(proofs)) {
    t.ok(used.has(name), `${name} proves a cell`)
    t.ok(readFileSync(file, 'utf8').includes(`'${title}`), `${file}: ${title}`)
  }
})
