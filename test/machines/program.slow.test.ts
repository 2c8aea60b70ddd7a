import t from '#test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeSetup } from '../../machine/setup.js'
import { start } from '../support/app.js'
import { until } from '../support/chat.js'
import { program } from '../support/machine-program.js'
import { modelEndpoint } from '../support/model-endpoint.js'
import { startNats } from '../support/nats.js'
import { needs } from '../support/programs.js'

void t.test('what it is started with is wrong in words, all at once', { long: true }, async (t) => {
  const folder = t.testdir({ work: {}, file: '' })
  for (const [args, code, words] of [
    [['--help'], 0, /^Connects this machine to a service/],
    [[], 2, /Give the address of the NATS server.*\n.*folders that may contain workspaces/s],
    [['--nats', 'http://x', '--name', 'Big One', '--workspaces', '/nowhere', '--ca', '/none', '--prefix', 'a b'], 2, /--nats is not.*\n--name: "Big One".*\n--workspaces: the folder \/nowhere does not exist.\n--ca: the file .* does not exist.*\n--prefix must be/s],
    [['--nats', 'nats://x', '--name', 'big', '--workspaces', '', 'file'], 2, /one of the folders is empty.\n--workspaces: file is a file/],
    [['--nose'], 2, /^There is no option --nose\. --help lists/],
    [['--workspace', 'x'], 2, /mean --workspaces\?/],
    [['setup', '--names', 'big,big', '--output', 'x'], 2, /needs its own name/],
    [['setup', '--names', 'big,gpu', '--output', 'keys'], 0, / machine --nats .+ --name gpu/],
    [['setup', '--names', 'big', '--output', 'keys'], 1, /nothing was written/]
  ] as const) {
    const { exited, output } = program(t, folder, [...args])
    t.equal(await exited, code, args.join(' '))
    t.match(output(), words)
    t.notMatch(output(), / at .+:\d+/, 'no stack')
  }
})

void t.test('it waits for a server and a service, joins, is seen with what it has, and leaves', needs('nats-server'), async (t) => {
  const server = await startNats(t)
  await server.stop()
  const folder = t.testdir({ work: {}, more: {} })
  const args = ['--nats', server.url, '--name', 'big', '--workspaces', join(folder, 'work'), join(folder, 'more')]
  const machine = program(t, folder, args)
  await until(() => machine.output().includes('does not answer'))
  t.match(machine.output(), `The NATS server does not answer at the address ${server.url}.`)
  await server.start()
  await until(() => machine.output().includes('The service has not been connected to this NATS server yet'))

  const service = await start(t, { env: { SVC_NATS_URL: server.url, SVC_NATS_RUNS_MB: '16' }, machines: { retryMs: 50 } })
  const seen = async () => (await service.get('/api/hosts')).body.hosts[1]
  await until(async () => (await seen())?.state === 'ready')
  t.match(await seen(), { name: 'big', profiles: ['default'], models: [{ provider: 'offline-demo' }], sandbox: { available: false }, load: { runs: 0 }, workspaces: [join(folder, 'work'), join(folder, 'more')], platform: String })
  await until(() => machine.output().includes('big has joined'))

  const twin = program(t, folder, args)
  t.equal(await twin.exited, 1)
  t.match(twin.output(), /^Another process of this program uses the folder .+--home\.\n$/)
  mkdirSync(join(folder, 'other'))
  const taken = program(t, folder, args, { SVC_HOME: join(folder, 'other') })
  t.equal(await taken.exited, 1)
  t.match(taken.output(), /A machine named big has already joined/)

  t.equal(await machine.end('SIGTERM'), 0)
  t.match(machine.output(), /\nbig has left the service.\n$/)
  t.notMatch(machine.output(), 'is lost')
  await until(async () => (await seen())?.state === 'away')
  t.match(await seen(), { note: 'It has left.' })

  // After a kill, it is back under its name at once.
  const killed = program(t, folder, args)
  await until(async () => (await seen())?.state === 'ready')
  await killed.end('SIGKILL')
  const again = program(t, folder, args)
  await until(() => again.output().includes('big has joined'))
  t.equal((await seen())?.state, 'ready')
})

void t.test('a folder of a machine that has joined is listed, read and written, and nothing beside it', needs('nats-server'), async (t) => {
  const server = await startNats(t)
  const folder = t.testdir({ work: { 'a.txt': 'here' }, closed: { 'b.txt': 'hidden' } })
  const service = await start(t, { env: { SVC_NATS_URL: server.url, SVC_NATS_RUNS_MB: '16' }, machines: { retryMs: 50 } })
  const machine = program(t, folder, ['--nats', server.url, '--name', 'big', '--workspaces', join(folder, 'work')])
  await until(() => machine.output().includes('big has joined'))
  const id = await service.newSession({ workspace: `big:${join(folder, 'work')}` })
  t.match((await service.get(`/api/list?session_id=${id}&path=.`)).body.entries, [{ name: 'a.txt' }])
  const folderEvents = await service.events(`/api/workspace/events?session_id=${id}`)
  const { data: { signature } } = await folderEvents.until('initial')
  t.match(await service.post('/api/file/save', { session_id: id, path: 'a.txt', content: 'from afar' }), { status: 200 })
  await folderEvents.until(({ event, data }) => event === 'workspace_changed' && data.signature !== signature)
  t.match(await service.get(`/api/file?session_id=${id}&path=a.txt`), { status: 200, body: { content: 'from afar' } })
  t.match(await service.post('/api/session/new', { workspace: `big:${join(folder, 'closed')}` }), { status: 400 })
  t.match(await service.post('/api/session/new', { workspace: 'small:/work' }), { status: 503, body: { code: 'host_unreachable' } })
  const stream = await service.send(id, 'list')
  const reader = await service.events(`/api/chat/stream?stream_id=${stream}`)
  await reader.until('stream_end')
  t.match((await service.session(id)).messages.at(-1), { role: 'assistant', content: /a\.txt/ }, 'a turn works there')
  await machine.end('SIGKILL')
  t.match(await service.get(`/api/list?session_id=${id}&path=.`), { status: 503 })
})

void t.test('a model that only the machine has answers there, with its key, and is the usual one where the service has none', { ...needs('nats-server'), long: true }, async (t) => {
  const server = await startNats(t)
  const endpoint = await modelEndpoint(t)
  const config = `providers: { rack: { base_url: "${endpoint.url}", api_key: far-key-12345, models: [rack-large, rack-small] } }`
  const folder = t.testdir({ work: {}, home: { 'config.yaml': config } })
  const service = await start(t, { env: { SVC_NATS_URL: server.url, SVC_NATS_RUNS_MB: '16' }, machines: { retryMs: 50 } })
  const machine = program(t, folder, ['--nats', server.url, '--name', 'big', '--workspaces', join(folder, 'work')])
  await until(() => machine.output().includes('big has joined'))
  const id = await service.newSession({ workspace: `big:${join(folder, 'work')}` })
  const { body: { groups: [group] } } = await service.get(`/api/models?session_id=${id}`)
  t.equal(group.provider_id, 'rack')
  for (const [more, model] of [[{}, group.models[0].id], [{ model: 'rack-small', model_provider: 'rack' }, 'rack-small']] as const) {
    const stream = await service.send(id, 'Hello', more)
    await (await service.events(`/api/chat/stream?stream_id=${stream}`)).until('stream_end')
    const request = endpoint.requests.filter(({ stream }) => stream).at(-1)!
    t.equal(request.model, model)
    t.equal(request.headers.authorization, 'Bearer far-key-12345')
  }
})

void t.test('with keys of their own, service and machine can do all of that', { ...needs('nats-server'), long: true }, async (t) => {
  const folder = t.testdir({ work: { 'a.txt': 'here' } })
  const keys = join(folder, 'keys')
  await writeSetup({ names: ['big'], output: keys, tls: false, prefix: 'agents' })
  const written = readFileSync(join(keys, 'nats-server.conf'), 'utf8')
  const server = await startNats(t, { configuration: written.slice(written.indexOf('accounts {')) })
  const service = await start(t, { env: { SVC_NATS_URL: server.url, SVC_NATS_RUNS_MB: '16', SVC_NATS_CREDENTIALS: join(keys, 'service.nk') }, machines: { retryMs: 50 } })
  const machine = program(t, folder, ['--nats', server.url, '--name', 'big', '--credentials', join(keys, 'host-big.nk'), '--workspaces', join(folder, 'work')])
  await until(() => machine.output().includes('big has joined'))
  const id = await service.newSession({ workspace: `big:${join(folder, 'work')}` })
  const folderEvents = await service.events(`/api/workspace/events?session_id=${id}`)
  await folderEvents.until('initial')
  writeFileSync(join(folder, 'work', 'b.txt'), 'new')
  await folderEvents.until('workspace_changed')
  const stream = await service.send(id, 'list')
  const reader = await service.events(`/api/chat/stream?stream_id=${stream}`)
  await reader.until('stream_end')
  t.match((await service.session(id)).messages.at(-1), { role: 'assistant', content: /a\.txt/ })
  t.notMatch(machine.output(), /ermission/)
})
