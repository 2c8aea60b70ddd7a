import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from '#test'
import { start, type TestLike, type TestService } from '../support/app.js'
import { eventually } from '../support/chat.js'
import { problemsIn } from '../support/compiler.js'
import { cuttable } from '../support/cuttable.js'
import { needs } from '../support/programs.js'

const run = promisify(execFile)

/** Creates a folder in which the TypeScript package is installed as it would be published, with its examples beside it. */
async function installed (t: TestLike & { testdir: (files?: Record<string, string>) => string }): Promise<string> {
  const folder = t.testdir({ 'package.json': '{"type": "module"}' })
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: 'clients/typescript' })
  const [{ filename, files }] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [{ filename: string, files: Array<{ path: string }> }]
  for (const path of ['LICENSE', 'README.md', 'dist/index.js', 'dist/index.d.ts', 'wire.d.ts', 'package.json']) {
    if (!files.some((file) => file.path === path)) throw new Error(`The package has no ${path}`)
  }
  const home = join(folder, 'node_modules', 'agent-web-service-client')
  mkdirSync(home, { recursive: true })
  await run('tar', ['-xzf', join(folder, filename), '-C', home, '--strip-components=1'])
  symlinkSync(resolve('node_modules/eventsource-parser'), join(folder, 'node_modules', 'eventsource-parser'))
  cpSync(join(home, 'examples'), folder, { recursive: true })
  return folder
}

type Run = (program: string, args: string[], input?: string) => Promise<{ stdout: string, stderr: string }>

/** Runs programs against a service that requires a sign-in, with a token of their own. */
async function withToken (t: TestLike, cwd: string, command: (program: string) => [string, ...string[]], scope = 'approve'): Promise<{ service: TestService, run: Run, headers: Record<string, string> }> {
  const service = await start(t, { env: { SVC_WEBUI_PASSWORD: 'a long password' }, demoWordsPerSecond: 100 })
  const signedIn = await service.post('/api/auth/login', { password: 'a long password' })
  const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!
  const { body: { token } } = await service.post('/api/auth/tokens/create', { name: 'Example', scope }, { cookie })
  return {
    service, headers: { authorization: `Bearer ${token}` },
    async run (program, args, input = '') {
      const [file, ...first] = command(program)
      const running = run(file, [...first, ...args], { cwd, env: { ...process.env, SVC_URL: service.url, SVC_TOKEN: token }, timeout: 60_000 })
      // A person answers when asked.
      running.child.stderr?.once('data', () => running.child.stdin?.end(input))
      return await running
    }
  }
}

/** Tests what both clients' examples do. */
async function tryExamples (t: Test, { service, run, headers }: Awaited<ReturnType<typeof withToken>>, extension: string, folder: string): Promise<void> {
  t.match((await run(`first-turn.${extension}`, ['todo buy milk; call home'])).stdout, /milk[\s\S]*\/session\/\w+/)

  const { body: { session: { session_id: sessionId } } } = await service.post('/api/session/new', {}, headers)
  const following = run(`follow-and-approve.${extension}`, [sessionId], 'y\n')
  await service.post('/api/chat/start', { session_id: sessionId, message: 'write notes.md: Hello' }, headers)
  const followed = await following
  t.match(followed.stderr, /Write notes\.md[\s\S]*Allow this once\?/)
  t.match(followed.stdout, /Created notes\.md/)
  t.equal((await service.get(`/api/file?session_id=${sessionId}&path=notes.md`, headers)).body.content, 'Hello')

  t.match((await run(`nightly-report.${extension}`, ['todo one; two', service.workspace])).stdout, /one/)
  t.match((await run(`nightly-report.${extension}`, ['write denied.md: x', service.workspace])).stdout, /denied/i)
  await t.rejects(run(`nightly-report.${extension}`, ['help', '/no/such/folder']), { code: 1, stderr: /folder|exist/i })

  writeFileSync(join(folder, 'plan.txt'), 'The plan')
  t.match((await run(`upload-and-ask.${extension}`, ['plan.txt', 'help'])).stdout, /rules/)
  await eventually('the attachment', async () => {
    const { body: { sessions } } = await service.get('/api/sessions?limit=1', headers)
    const { body } = await service.get(`/api/session?session_id=${sessions[0].session_id}`, headers)
    return body.session.messages[0].attachments?.[0]?.name === 'plan.txt'
  })
}

t.test('the TypeScript package works as it would be published: its examples run, and its types hold', { long: true }, async (t) => {
  const folder = await installed(t)
  await tryExamples(t, await withToken(t, folder, (program) => [process.execPath, program]), 'js', folder)

  writeFileSync(join(folder, 'client.ts'), `import { Client, type Wire } from 'agent-web-service-client'
const client = new Client({ url: 'http://127.0.0.1:8787' })
export const row = async (): Promise<Wire<'SessionDetail'>> => (await client.api.post('/api/session/new')).session
export const text = async (): Promise<string> => { for await (const frame of client.turn('x')) if (frame.event === 'token') return frame.data.text; return '' }
// @ts-expect-error: there is no such path
export const none = async (): Promise<unknown> => await client.api.get('/api/nothing')
`)
  t.same(problemsIn(folder, {
    compilerOptions: { strict: true, noEmit: true, target: 'ES2022', lib: ['ES2022', 'DOM', 'DOM.AsyncIterable'], module: 'NodeNext', types: [] }, include: ['client.ts']
  }), [])
  t.equal((JSON.parse(readFileSync('clients/typescript/package.json', 'utf8')) as { version: string }).version, (JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }).version, 'the version of the service')
  t.equal(readdirSync(folder).filter((name) => name.endsWith('.js')).length, 4)
})

const library = { PYTHONPATH: resolve('clients/python'), PYTHONDONTWRITEBYTECODE: '1' }
const python = (program: string): [string, ...string[]] => ['env', ...Object.entries(library).map(([name, value]) => `${name}=${value}`), 'python3', program]

t.test('the examples of the Python client run', { ...needs('python3'), long: true }, async (t) => {
  const folder = t.testdir()
  cpSync('clients/python/examples', folder, { recursive: true })
  await tryExamples(t, await withToken(t, folder, python), 'py', folder)
})

const following = `
import json, sys
from agent_web_service_client import ApiError, Client
client = Client(sys.argv[1], pauses_s=(0.005, 0.02))
frames = list(client.turn(sys.argv[2]))
ids = [frame.id for frame in frames]
half = frames[len(frames) // 2]
seen = []
for frame in client.events(turns=[sys.argv[2]]):
    if frame.event == "turn":
        seen.append(frame.data["id"])
        if frame.data["event"] == "stream_end":
            break
try:
    list(client.turn("unknown"))
except ApiError as error:
    refused = [error.status, str(error), error.code]
print(json.dumps({
    "ids": ids, "text": "".join(frame.data["text"] for frame in frames if frame.event == "token"), "last": frames[-1].event,
    "rest": [frame.id for frame in client.turn(sys.argv[2], after=half.id)] == ids[ids.index(half.id) + 1:],
    "nothing": list(client.turn(sys.argv[2], after=ids[-1])), "seen": seen == ids, "refused": refused
}))
`

t.test('the Python client takes a turn up where the connection was cut: no frame twice, none missing', { ...needs('python3'), long: true }, async (t) => {
  const service = await start(t, { demoWordsPerSecond: 60 })
  const way = await cuttable(t, service.url)
  const sessionId = await service.newSession()
  const streamId = await service.send(sessionId, 'slow 150')
  const folder = t.testdir({ 'following.py': following })
  const [file, ...args] = python(join(folder, 'following.py'))
  const running = run(file, [...args, way.url, streamId])
  let cuts = 0
  const cutting = setInterval(() => {
    way.refuse(++cuts % 3 === 0)
    way.cut()
  }, 150)
  t.teardown(() => clearInterval(cutting))
  await eventually('the end of the turn', async () => (await service.get(`/api/chat/stream/status?stream_id=${streamId}`)).body.journal.terminal)
  clearInterval(cutting)
  way.refuse(false)
  const told = JSON.parse((await running).stdout) as { ids: string[] }
  t.same(told.ids, told.ids.map((_, index) => `${streamId}:${index + 1}`))
  t.match(told, { text: /1 2 3 .* 150/, last: 'stream_end', rest: true, nothing: [], seen: true, refused: [404, 'stream not found', null] })
  t.ok(cuts > 3, `${cuts} cuts`)
})

t.test('a device pairs with the Python client, and sees why it is refused', needs('python3'), async (t) => {
  const service = await start(t, { env: { SVC_WEBUI_PASSWORD: 'a long password' } })
  const signedIn = await service.post('/api/auth/login', { password: 'a long password' })
  const { body: { code } } = await service.post('/api/auth/tokens/pair', { name: 'Phone', scope: 'read' }, { cookie: signedIn.headers.get('set-cookie')!.split(';')[0]! })
  const folder = t.testdir({
    'pair.py': `
import sys, typing
from agent_web_service_client import ApiError, Client, wire
assert all(typing.get_type_hints(one) is not None for one in vars(wire).values() if typing.is_typeddict(one))
paired = Client.pair(sys.argv[1], sys.argv[2])
client = Client(sys.argv[1], paired["token"])
print(len(client.get("/api/sessions", limit=5)["sessions"]))
for act in (lambda: client.post("/api/session/new"), lambda: Client.pair(sys.argv[1], sys.argv[2])):
    try:
        act()
    except ApiError as error:
        print(error.status, error.code)
`
  })
  const [file, ...args] = python(join(folder, 'pair.py'))
  t.equal((await run(file, [...args, service.url, code])).stdout, '0\n403 scope_too_narrow\n401 None\n')
})
