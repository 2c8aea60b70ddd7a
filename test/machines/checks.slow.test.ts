import { existsSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { createMachineChecks } from '../../machine/checks.js'
import { createCheckRunner } from '../../services/agent/index.js'
import { createSiteHere, createSitesElsewhere, type CheckSite, type SiteCheck } from '../../services/areas/checks/index.js'
import { realPath } from '../../services/ground/files/containment.js'
import { start } from '../support/app.js'
import { eventually } from '../support/chat.js'
import { program } from '../support/machine-program.js'
import { startNats } from '../support/nats.js'
import { joinPresent, startJoinable } from '../support/present-machine.js'
import { needs, pidsWith } from '../support/programs.js'
import { sandbox } from '../support/needs-sandbox.js'

const files = {
  'package.json': '{"scripts":{"test":"node --test"}}', Makefile: 'lint:\n\techo\n', 'pyproject.toml': '[tool.mypy]\n', 'Cargo.toml': '', 'a.ts': ''
}

t.test('checks of a folder of another machine run there, and none is green that was lost', needs('nats-server'), async (t) => {
  const server = await startNats(t)
  const folder = t.testdir({ work: files, closed: { 'b.ts': 'secret' }, home: { '.env': 'OPENAI_API_KEY=hush-hush-hush\n' } })
  const work = join(folder, 'work')
  symlinkSync(join(folder, 'closed'), join(work, 'way'))
  const env = { SVC_WEBUI_SANDBOX: sandbox.available ? '1' : '0' }
  const service = await start(t, { env: { SVC_NATS_URL: server.url, SVC_NATS_RUNS_MB: '16', ...env }, machines: { retryMs: 50 } })
  const joining = () => program(t, folder, ['--nats', server.url, '--name', 'big', '--workspaces', work], env)
  const joined = async (machine: ReturnType<typeof joining>) => await eventually('it has joined', () => machine.output().includes('big has joined'))
  let machine = joining()
  await joined(machine)
  const session = await service.newSession({ workspace: `big:${work}` })
  const post = async (path: string, body: Record<string, unknown> = {}) => await service.post(`/api/checks/${path}`, { session_id: session, ...body })
  const list = async () => (await service.get(`/api/checks?session_id=${session}`)).body
  const save = async (name: string, command: string): Promise<string> => (await post('save', { name, command, seconds: 600 })).body.check.id
  const run = async (id: string): Promise<string> => (await post('run', { check_ids: [id] })).body.runs[0].id
  const look = async (id: string) => (await service.get(`/api/checks/run?run_id=${id}`)).body
  const over = async (id: string) => await eventually('it is over', async () => {
    const found = await look(id)
    return !['waiting', 'running'].includes(found.state) && found
  })

  const offered = await list()
  t.match(offered, { available: true, confined: sandbox.available, workspace: `big:${work}` })
  t.same(offered.proposals.map(({ command }: { command: string }) => command), ['npm run test', 'make lint', 'mypy .', 'cargo test', 'cargo clippy'])
  const failing = await save('failing', `printf 'a.ts(1,2): error TS1: bad\\nway/b.ts(1,1): error TS2: out\\nnone.ts(3,1): error TS3: gone\\n'; cat ${folder}/home/.env; pwd; exit 3`)
  const found = await over(await run(failing))
  t.match(found, { state: 'failed', exit_code: 3, errors: 3, files: 1, confined: sandbox.available, problems: [{ path: 'a.ts', line: 1, column: 2 }, { path: null, file: 'way/b.ts' }, { path: null, file: 'none.ts' }] })
  t.match(found.output, new RegExp(`^${work}$`, 'm'), 'it ran there')
  t.notMatch(found.output, 'hush-hush-hush', 'and saw no key of that machine')
  t.match(await over(await run(await save('passing', 'true'))), { state: 'passed' })

  const mark = `sleep\0${700_000 + process.pid}`
  const slow = await save('slow', `echo begun; (setsid ${mark.replace('\0', ' ')} &); ${mark.replace('\0', ' ')}`)
  const stopped = await run(slow)
  await eventually('its output is live', async () => (await look(stopped)).output === 'begun')
  t.match(await post('cancel', { run_ids: [stopped] }), { status: 200, body: { cancelled: [stopped] } })
  t.match(await look(stopped), { state: 'cancelled', output: 'begun' })
  t.same(pidsWith(mark), [], 'with all that it has started')

  // The service waits until an interrupted connection returns.
  const patient = await run(await save('patient', 'touch begun; while [ ! -e go ]; do sleep 0.05; done; echo done'))
  await eventually('it runs', () => existsSync(join(work, 'begun')))
  await server.stop()
  writeFileSync(join(work, 'go'), '')
  await server.start()
  t.match(await over(patient), { state: 'passed', output: 'done' })

  const lost = await run(slow)
  await eventually('it runs there', () => pidsWith(mark).length >= 2)
  await machine.end('SIGKILL')
  t.match(await list(), { available: false, proposals: [], checks: [{ changed_script: null }, {}, {}, {}] })
  t.match(await post('run', { check_ids: [failing] }), { status: 503, body: { code: 'host_unreachable' } })
  await eventually('its processes are gone', () => pidsWith(mark).length === 0)
  machine = joining()
  await joined(machine)
  t.match(await over(lost), { state: 'interrupted', exit_code: null, errors: 0, output: /^The machine big was (started anew|lost) while this ran/ })
  await eventually('it can be asked again', async () => (await list()).available)
  t.match(await over(await run(failing)), { state: 'failed', errors: 3 })

  const left = await run(slow)
  await eventually('it runs there', () => pidsWith(mark).length >= 2)
  t.equal(await machine.end('SIGTERM'), 0)
  t.same(pidsWith(mark), [], 'an orderly stop ends it')
  t.match(await over(left), { state: 'interrupted', output: 'The machine big was stopped while this ran.' })
})

t.test('a machine ends checks that nobody asks about, and what an earlier service has begun', needs('nats-server'), async (t) => {
  const { server, service } = await startJoinable(t)
  const folder = realPath(t.testdir({ work: files, state: {} }))
  const work = join(folder, 'work')
  const runner = createCheckRunner({ stateDir: join(folder, 'state'), env: { PATH: process.env.PATH ?? '' }, hidden: () => [] })
  t.teardown(() => runner.close())
  const site: CheckSite = createSiteHere({
    territory: (root) => ({ root, closed: [] }), checkpoints: service.app.checkpoints, runner,
    sandbox: async () => ({ available: false, reason: 'none' })
  })
  const opened = (path: string): string => path
  const checks = createMachineChecks({ machine: 'big', site, opened, hasProfile: (profile) => profile === 'default', lapseMs: 300, log: () => {} })
  t.teardown(async () => await checks.close())
  const link = await server.link()
  const present = await joinPresent(t, service, link, checks.answers)
  const timing = { waitMs: 50, patienceMs: 300, retryMs: 10 }
  const far = createSitesElsewhere({ asking: service.app.machines, sandboxRule: () => 'auto', timing })('big')
  const wanted = (command: string, more: Partial<SiteCheck> = {}): SiteCheck =>
    ({ profile: 'default', folder: work, command, seconds: 60, outputBytes: 1_000, isConfined: false, signal: new AbortController().signal, live: () => {}, ...more })
  const begin = async (id: string, owner: string, command: string) =>
    await checks.answers.check_begin({ id, owner, profile: 'default', workspace: work, command, seconds: 60, outputBytes: 1_000, isConfined: false })

  t.match(await far.run(wanted('echo fine')), { passed: true, ended: 'exit', output: 'fine', exitCode: 0 })
  await eventually('a result that was heard is kept no longer', () => checks.size() === 0)
  t.match(await far.run(wanted('echo fine', { profile: 'other' })), { passed: false, ended: 'unstarted', output: 'The machine big has no profile called other' })
  t.match(await far.run(wanted('touch free', { isConfined: true })), { passed: false, ended: 'unstarted', output: /no sandbox any more/ }, 'what was to be confined never runs free')
  t.same(await far.pathsIn(work, ['a.ts', '../state', 'none']), ['a.ts', null, null])

  await begin('one', 'earlier', 'echo $$ > pid; sleep 1000')
  t.same(await begin('one', 'earlier', 'touch twice'), null, 'the same is begun once')
  await eventually('it runs', () => existsSync(join(work, 'pid')))
  await eventually('nobody asks, so it ends', () => checks.size() === 0)
  t.equal(await checks.answers.check_told({ id: 'one', waitMs: 0, withOutput: true }), null)

  const seconds = `${800_000 + process.pid}`
  await begin('two', 'earlier', `sleep ${seconds}1`)
  await eventually('it runs', () => pidsWith(`sleep\0${seconds}1`).length > 0)
  // Other processes may end while grep looks at them, which is an error to it.
  t.match(await far.run(wanted(`grep -alsE 'sleep.${seconds}[1]' /proc/[0-9]*/cmdline || true`)), { exitCode: 0, output: '' }, 'what an earlier service has begun is over before')
  const late = far.run(wanted(`sleep ${seconds}2`))
  await eventually('it runs', () => pidsWith(`sleep\0${seconds}2`).length > 0)
  await present.leave()
  t.match(await late, { passed: false, ended: 'lost', output: /The machine big was lost while this ran/ })
  t.match(await far.run(wanted('true')), { passed: false, ended: 'lost', output: 'The machine big is not reachable, so the check did not run.' })
  await eventually('it ends there by itself', () => checks.size() === 0)
  await t.rejects(far.look('default', work), { code: 'host_unreachable' })
  t.same(await far.pathsIn(work, ['a.ts']), [null])
})
