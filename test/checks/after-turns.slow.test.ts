import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { eventually, startChat } from '../support/chat.js'
import { pidsWith } from '../support/programs.js'
import { needsSandbox } from '../support/needs-sandbox.js'
import { spawnServer } from '../support/server.js'

interface Run { id: string, name: string, state: string, turn_id: string | null, sent_at: number | null, errors: number }

/** Script of a failing check: its output and exit code. */
const failing = 'echo "a.txt:1:1: error: wrong" && exit 1'

function folderOf (t: { testdir: () => string }): string {
  const folder = t.testdir()
  mkdirSync(join(folder, 'home'), { recursive: true })
  writeFileSync(join(folder, 'home', 'config.yaml'), 'approvals:\n  allow: ["write:workspace"]\n')
  return folder
}

t.test('after turns that have changed files, checks run by themselves and go to the agent as often as they may', needsSandbox, async (t) => {
  const folder = folderOf(t)
  const service = await startChat(t, { folder, env: { SVC_WEBUI_SANDBOX: '1' } })
  let written = 0
  const writing = () => [{ tool: 'write_file', args: { path: 'a.txt', content: `${++written}\n` } }]
  const model = service.model(...Array.from({ length: 40 }, (_, at) => at % 2 === 0 ? writing : [{ text: `Wrote ${at}.` }]))
  const session = await service.newSession({ model, model_provider: 'openai' })
  const look = async () => (await service.get(`/api/checks?session_id=${session}`)).body
  const save = async (body: Record<string, unknown>) => (await service.post('/api/checks/save', { session_id: session, ...body })).body.check
  const users = async (): Promise<Array<string | null>> => (await service.session(session)).messages
    .filter(({ role }: { role: string }) => role === 'user').map(({ _source: source }: { _source?: string }) => source ?? null)
  const quiet = async (): Promise<void> => {
    await eventually('all is quiet', () =>
      service.app.chat.isSettled(session) && service.app.checks.size().following === 0 && service.app.checks.size().runs === 0)
  }
  /** Each turn that has changed something is followed by a run. */
  const ran = async (count: number): Promise<void> => {
    await eventually(`${count} runs`, async () => (await look()).runs.length === count)
    await quiet()
  }
  t.match(await look(), { confined: true })

  const check = await save({ name: 'test', command: failing, after_turn: 'run', auto_send: 2 })
  await save({ name: 'offered', command: 'echo never', after_turn: 'ask', auto_send: 5 })
  await service.turn(session, 'Write')
  await ran(3)
  t.same(await users(), [null, 'check', 'check'], 'and no third time')
  const { runs } = await look()
  t.same(runs.map(({ name, state, sent_at: at, errors }: Run) => [name, state, at !== null, errors]), [['test', 'failed', false, 1], ['test', 'failed', true, 1], ['test', 'failed', true, 1]])
  t.ok(runs.every(({ turn_id: id }: Run) => id !== null))
  t.match(JSON.stringify(service.requests(model)[2]?.messages.at(-1)), /ran by themselves after your changes.*- a\.txt:1:1 error: wrong/)

  await service.turn(session, 'Again')
  await ran(6)
  t.same((await users()).slice(3), [null, 'check', 'check'], 'a person has written, so it may be sent again')

  // A queued message comes first, even if it is held.
  await service.post('/api/session/queue', { session_id: session, action: 'add', message: 'Later', not_before: 4e9 })
  await service.turn(session, 'Once more')
  await ran(7)
  t.equal((await users()).length, 7, 'nothing was sent before what waits')
  await service.post('/api/session/queue', { session_id: session, action: 'clear' })

  // A turn that changes nothing, a check whose file has other contents, a plan.
  const still = service.model([{ text: 'Nothing to do.' }])
  await service.turn(session, 'Look', still)
  await quiet()
  t.equal((await look()).runs.length, 7, 'nothing has changed, so nothing runs')
  writeFileSync(join(folder, 'workspace', 'package.json'), '{"scripts":{"test":"exit 1"}}')
  await service.post('/api/checks/delete', { session_id: session, id: check.id })
  await save({ name: 'test', command: 'npm run test', script: 'exit 1', after_turn: 'run', auto_send: 5 })
  const evil = service.model([{ tool: 'write_file', args: { path: 'package.json', content: '{"scripts":{"test":"touch evil"}}' } }], [{ text: 'Done.' }])
  await service.turn(session, 'Change the script', evil)
  await quiet()
  t.same((await look()).runs, [], 'what the turn has made of the script does not run')
  t.match((await look()).checks[1], { changed_script: 'touch evil' })
  t.notOk(existsSync(join(folder, 'workspace', 'evil')))
})

t.test('a check is confined as the agent\'s commands are', needsSandbox, async (t) => {
  const folder = folderOf(t)
  const service = await startChat(t, { folder, env: { SVC_WEBUI_SANDBOX: '1', SECRET_OF_SERVICE: 'hush' } })
  const session = await service.newSession()
  const script = [
    `cat ${folder}/home/config.yaml`, `touch ${folder}/outside`, 'touch inside', 'env', 'exec 3<>/dev/tcp/127.0.0.1/1 2>&1', 'git init -q .', 'git config core.fsmonitor ./evil',
    '(setsid sleep 4242 &)', 'echo end'
  ].join('; ')
  await service.post('/api/checks/save', { session_id: session, name: 'hostile', command: script })
  const { body: { runs } } = await service.post('/api/checks/run', { session_id: session })
  const { output, confined } = await eventually('it is over', async () => {
    const { body } = await service.get(`/api/checks/run?run_id=${runs[0].id}`)
    return !['waiting', 'running'].includes(body.state) && body
  })
  t.ok(confined)
  t.notMatch(output, /write:workspace|hush|test-key/)
  t.match(output, /left something that git would run|was undone/, 'what it leaves for git is found')
  t.ok(existsSync(join(folder, 'workspace', 'inside')))
  t.notOk(existsSync(join(folder, 'outside')))
  t.same(pidsWith('sleep\x004242'), [])
})

for (const isConfined of [true, false]) {
  t.test(`a kill of the service ends checks ${isConfined ? 'in' : 'outside'} the sandbox, and they say so`, isConfined ? needsSandbox : { long: true }, async (t) => {
    const folder = folderOf(t)
    const seconds = `${424_200 + process.pid}${isConfined ? 1 : 0}`
    const env = { SVC_WEBUI_SANDBOX: isConfined ? '1' : '0' }
    const server = await spawnServer(t, folder, env)
    const { session: { session_id: session } } = await server.json('/api/session/new', {})
    await server.json('/api/checks/save', { session_id: session, name: 'slow', command: `(setsid sleep ${seconds} &); sleep ${seconds}`, seconds: 600 })
    await server.json('/api/checks/run', { session_id: session })
    const mark = `sleep\0${seconds}`
    await eventually('it runs', () => pidsWith(mark).length >= 2)
    await server.end('SIGKILL')
    await eventually('its processes are gone', () => pidsWith(mark).length === 0)
    const again = await spawnServer(t, folder, env)
    const { runs } = await eventually('it says so', async () => {
      const found = await again.json(`/api/checks?session_id=${session}`)
      return found.runs[0]?.state === 'interrupted' && found
    })
    t.equal(runs.length, 1)
    t.equal(await again.end('SIGTERM'), 0)
  })
}
