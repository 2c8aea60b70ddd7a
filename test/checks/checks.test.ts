import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { proposalsIn } from '../../services/areas/checks/finding.js'
import { eventually, startChat, type ChatService } from '../support/chat.js'

interface Run { id: string, check_id: string, state: string, errors: number, files: number, exit_code: number | null }

const service = await startChat(t)
let folders = 0
/** Creates a session in a folder of its own. */
async function project (files: Record<string, string> = {}): Promise<{ session: string, write: (name: string, text: string) => void }> {
  const folder = join(service.workspace, `project-${++folders}`)
  mkdirSync(folder, { recursive: true })
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text)
  for (const [name, text] of Object.entries(files)) write(name, text)
  await service.post('/api/workspaces/add', { path: folder })
  return { session: await service.newSession({ workspace: folder }), write }
}
const post = async (path: string, session: string, body: Record<string, unknown>, headers?: Record<string, string>) =>
  await service.post(`/api/checks/${path}`, { session_id: session, ...body }, headers)
const list = async (session: string, headers?: Record<string, string>) => (await service.get(`/api/checks?session_id=${session}`, headers)).body
const save = async (session: string, name: string, command: string, more: Record<string, unknown> = {}): Promise<string> => {
  const { status, body, text } = await post('save', session, { name, command, ...more })
  if (status !== 200) throw new Error(text)
  return body.check.id
}
const over = async (id: string, from: ChatService = service) => await eventually('the run is over', async () => {
  const { body } = await from.get(`/api/checks/run?run_id=${id}`)
  return !['waiting', 'running'].includes(body.state) && body
})
const token = async (scope: string) => ({ authorization: `Bearer ${(await service.post('/api/auth/tokens/create', { name: scope, scope })).body.token}` })

t.test('what files of a folder offer', async (t) => {
  const offered = async (files: Record<string, string>): Promise<string[]> =>
    (await proposalsIn(async (name) => files[name] ?? null)).map(({ name, kind, command, file, script }) => [name, kind, command, file, script ?? '-'].join(' | '))
  t.same(await offered({ 'package.json': '{"scripts":{"pretest":"build","test":"node --test","lint":"eslint .","typecheck":"tsc","start":"x","format:check":"prettier -c ."}}', 'pnpm-lock.yaml': '' }), [
    'test | test | pnpm run test | package.json | pretest: build\nnode --test', 'lint | lint | pnpm run lint | package.json | eslint .',
    'typecheck | types | pnpm run typecheck | package.json | tsc', 'format:check | other | pnpm run format:check | package.json | prettier -c .'
  ])
  t.same(await offered({ 'package.json': '{"scripts":{"test":"echo \\"Error: no test specified\\" && exit 1"}}' }), [])
  t.same(await offered({ Makefile: 'A := 1\nall: build\n\ntest: build\n\tgo test\n\n\techo\nlint:\n\tvet\ncheck::\n\tx\n' }), [
    'test | test | make test | Makefile | test: build\n\tgo test\n\n\techo', 'lint | lint | make lint | Makefile | lint:\n\tvet', 'check | other | make check | Makefile | check::\n\tx'
  ].filter((line) => !line.startsWith('check |')))
  t.same(await offered({ 'pyproject.toml': '[project]\n[tool.pytest.ini_options]\n[tool.ruff]\n[tool.mypy]\n' }), [
    'pytest | test | python3 -m pytest | pyproject.toml | -', 'ruff | lint | ruff check --output-format=concise . | pyproject.toml | -', 'mypy | types | mypy . | pyproject.toml | -'
  ])
  t.same(await offered({ 'Cargo.toml': '', 'go.mod': '', 'deno.json': '{"tasks":{"lint":"deno lint"}}' }), [
    'test | test | cargo test | Cargo.toml | -', 'clippy | lint | cargo clippy | Cargo.toml | -', 'test | test | go test ./... | go.mod | -',
    'vet | lint | go vet ./... | go.mod | -', 'lint | lint | deno task lint | deno.json | deno lint'
  ])
  for (const hostile of ['', '[]', 'null', '{"scripts":[1]}', '{"scripts":{"test":1}}', '{"scripts":{"__proto__":"x"}}', '{']) t.same(await offered({ 'package.json': hostile, 'deno.json': '{' }).then((all) => all.slice(0, -1)), [], hostile)
})

t.test('a check is saved from what a file offers, run, and sent to the agent', async (t) => {
  const { session, write } = await project({ 'package.json': '{"scripts":{"lint":"echo"}}', 'a.ts': '' })
  const offered = await list(session)
  t.match(offered, { available: true, confined: false, checks: [], runs: [], proposals: [{ name: 'lint', kind: 'lint', command: 'npm run lint', file: 'package.json', script: 'echo' }] })
  t.match(await post('save', session, { name: 'lint', command: 'npm run lint' }), { status: 409, body: { code: 'check_changed' } }, 'what was not seen is not saved')
  const lint = await save(session, 'lint', 'npm run lint', { script: 'echo' })
  t.match(await list(session), { proposals: [], checks: [{ id: lint, kind: 'lint', file: 'package.json', script: 'echo', changed_script: null, after_turn: 'ask', auto_send: 0, seconds: 300 }] })

  write('package.json', '{"scripts":{"lint":"curl evil"}}')
  t.match((await list(session)).checks, [{ changed_script: 'curl evil' }])
  t.match(await post('run', session, { check_ids: [lint] }), { status: 409, body: { code: 'check_changed' } }, 'another script does not run')
  t.match(await post('run', session, {}), { status: 409 })
  t.match(await post('save', session, { id: lint, name: 'lint', command: 'npm run lint', after_turn: 'run' }), { status: 409 }, 'nor does another edit accept it')
  write('package.json', '{}')
  t.match((await list(session)).checks, [{ changed_script: '' }], 'gone')
  t.match(await post('save', session, { id: lint, name: 'lint', command: 'echo "a.ts(1,2): error TS1: bad" && exit 3' }), { status: 200, body: { check: { id: lint, file: null, script: null } } })

  const feed = await service.events('/api/events')
  const ok = await save(session, 'ok', 'printf "\\033[31mred\\033[0m\\n"')
  const { body: { runs } } = await post('run', session, {})
  t.same(runs.map(({ check_id: id }: Run) => id), [lint, ok])
  t.match(await over(runs[1].id), { state: 'passed', exit_code: 0, output: 'red', problems: [], confined: false, turn_id: null })
  const failed = await over(runs[0].id)
  t.match(failed, { state: 'failed', exit_code: 3, errors: 1, warnings: 0, files: 1, problems: [{ path: 'a.ts', line: 1, column: 2, severity: 'error', text: 'bad', code: 'TS1' }] })
  t.ok(feed.frames.filter(({ event, data }) => event === 'checks_changed' && data.session_id === session).length >= 4)

  const model = service.model([{ text: 'Fixed.' }])
  const sent = await post('send', session, { model, client_id: 'one', note: 'Be quick' })
  t.match(sent, { status: 200, body: { stream_id: String } })
  t.same((await post('send', session, { model, client_id: 'one', note: 'Be quick' })).body, sent.body, 'sent once')
  await eventually('the agent has it', () => service.requests(model).length === 1)
  t.match(JSON.stringify(service.requests(model)[0]?.messages.at(-1)), /Be quick.*## lint.*failed with exit code 3: 1 error.*- a\.ts:1:2 error TS1: bad.*The end of what it printed/)
  t.match((await list(session)).runs, [{}, { sent_at: Number }])
  t.match(await post('send', session, { run_ids: [runs[1].id], problems: [0] }), { status: 400 })
  await post('save', session, { id: lint, name: 'lint', command: 'printf "a.ts(1,2): error TS1: bad\\na.ts(3,1): error TS2: worse\\n"; exit 3' })
  const [{ id: two }] = (await post('run', session, { check_ids: [lint] })).body.runs
  await over(two)
  const picking = service.model([{ text: 'Fixed one.' }])
  for (const problems of [[2], [0, 2]]) t.match(await post('send', session, { model: picking, run_ids: [two], problems }), { status: 400, body: { error: /no such problem/ } }, 'none is left out in silence')
  t.match(await post('send', session, { model: picking, problems: [1] }), { status: 200 }, 'of the last run that failed')
  await eventually('the agent has the one problem', () => service.requests(picking).length === 1)
  t.match(JSON.stringify(service.requests(picking)[0]?.messages.at(-1)), /failed with exit code 3: 2 errors\..*Fix only these of them, which a person has picked:.*- a\.ts:3:1 error TS2: worse/)
  t.notMatch(JSON.stringify(service.requests(picking)[0]?.messages.at(-1)), /- a\.ts:1|printed:/)
  t.match(await post('delete', session, { id: lint }), { status: 200 })
  t.match(await list(session), { checks: [{ id: ok }], runs: [{ check_id: ok }] })
  t.match(await post('send', session, {}), { status: 400, body: { error: /nothing to send/ } })
})

t.test('runs are stopped by a person, their time and the end of their session, and only the last twenty stay', async (t) => {
  const { session } = await project()
  const slow = await save(session, 'slow', 'echo begun; sleep 1000', { seconds: 600 })
  const next = await save(session, 'next', 'echo next')
  const { body: { runs } } = await post('run', session, {})
  await eventually('its output is live', async () => (await service.get(`/api/checks/run?run_id=${runs[0].id}`)).body.output === 'begun')
  t.match((await list(session)).runs, [{ state: 'waiting' }, { state: 'running' }], 'one after the other')
  t.same((await post('run', session, { check_ids: [slow] })).body.runs.map(({ id }: Run) => id), [runs[0].id], 'a second client finds the same run')
  t.match(await post('send', session, { run_ids: [runs[0].id] }), { status: 400, body: { error: /still running/ } })
  t.match(await post('cancel', session, { run_ids: [runs[0].id] }), { status: 200, body: { cancelled: [runs[0].id] } })
  t.match(await over(runs[0].id), { state: 'cancelled', exit_code: null, output: 'begun' })
  t.match(await over(runs[1].id), { state: 'passed' })
  t.match(await post('cancel', session, {}), { status: 200, body: { cancelled: [] } })

  await post('save', session, { id: slow, name: 'slow', command: 'sleep 1000', seconds: 1 })
  const [late] = (await post('run', session, { check_ids: [slow] })).body.runs
  t.match(await over(late.id), { state: 'timed_out' })
  for (let count = 0; count < 22; count++) await over((await post('run', session, { check_ids: [next] })).body.runs[0].id)
  t.equal((await list(session)).runs.length, 20)
  t.equal(service.app.db.sqlite.prepare('select count(*) from check_runs where check_id in (?, ?)').pluck().get(slow, next), 20)

  await post('save', session, { id: slow, name: 'slow', command: 'sleep 1000', seconds: 600 })
  await post('run', session, { check_ids: [slow] })
  await service.post('/api/session/delete', { session_id: session })
  await eventually('nothing runs any more', () => service.app.checks.size().runs === 0)
  t.equal(service.app.db.sqlite.prepare('select count(*) from check_runs where session_id = ?').pluck().get(session), 0)
})

t.test('an output without end, and secrets in one', async (t) => {
  const { session } = await project()
  const secret = `ghp_${'a'.repeat(36)}`
  const [endless, telling] = [await save(session, 'endless', 'head -c 4000000 /dev/zero | tr "\\0" x; echo; echo end; exit 1'), await save(session, 'telling', `printf 'a.py:1:1: E1 token %s%s\\n' ghp_ ${'a'.repeat(36)}; exit 1`)]
  const { body: { runs } } = await post('run', session, { check_ids: [endless, telling] })
  const { output, state } = await over(runs[0].id)
  t.equal(state, 'failed')
  t.ok(output.length <= 257 * 1024 && output.endsWith('end'), `${output.length}`)
  t.notMatch(JSON.stringify(await over(runs[1].id)), secret)
  t.match(await over(runs[1].id), { output: /token/ })
})

t.test('who may do what', async (t) => {
  const { session } = await project()
  const [reading, chatting, approving] = [await token('read'), await token('chat'), await token('approve')]
  t.match(await post('save', session, { name: 'x', command: 'true' }, chatting), { status: 403 })
  const { body: { check: { id } } } = await post('save', session, { name: 'x', command: 'true' }, approving)
  for (const path of ['run', 'cancel', 'send']) t.match(await post(path, session, {}, reading), { status: 403 }, path)
  t.match(await post('delete', session, { id }, chatting), { status: 403 })
  t.equal((await service.get(`/api/checks?session_id=${session}`, reading)).status, 200)
  t.match(await post('run', session, {}, chatting), { status: 403, body: { code: 'scope_too_narrow' } }, 'there is no sandbox here')
  const { body: { runs } } = await post('run', session, {}, approving)
  t.match(await over(runs[0].id), { state: 'passed' })
  await service.post('/api/profile/create', { name: 'other' })
  const other = { cookie: 'svc_profile=other' }
  t.equal((await service.get(`/api/checks/run?run_id=${runs[0].id}`, other)).status, 404)
  t.equal((await service.get(`/api/checks?session_id=${session}`, other)).status, 409)

  const { session: elsewhere } = await project()
  t.same((await list(elsewhere)).checks, [], 'each folder has its own')
  for (const [path, body] of [['run', { check_ids: [id] }], ['delete', { id }], ['save', { id, name: 'x', command: 'true' }], ['cancel', { run_ids: [runs[0].id] }], ['send', { run_ids: [runs[0].id] }]] as const) {
    t.match(await post(path, elsewhere, body), { status: 404 }, path)
  }
  t.match(await post('run', elsewhere, {}), { status: 400, body: { error: /Save one first/ } })
  for (const bad of [{ name: '', command: 'x' }, { name: 'x', command: ' ' }, { name: 'x', command: 'a\0b' }, { name: 'x', command: 'x', auto_send: 6 }, { name: 'x', command: 'x', seconds: 0 }]) {
    t.match(await post('save', elsewhere, bad), { status: 400 }, JSON.stringify(bad))
  }
  for (let count = 0; count < 20; count++) await save(elsewhere, 'x', `echo ${count}`)
  t.equal(await save(elsewhere, 'y', 'echo 1'), (await list(elsewhere)).checks[1].id, 'the same command is the same check')
  t.match(await post('save', elsewhere, { name: 'x', command: 'echo 21' }), { status: 409, body: { code: 'checks_full' } })
})

t.test('a check that waits does not run what another one has put into its file meanwhile', async (t) => {
  const { session } = await project({ 'package.json': '{"scripts":{"lint":"echo fine"}}' })
  await save(session, 'evil', 'echo \'{"scripts":{"lint":"touch was-run"}}\' > package.json')
  const lint = await save(session, 'lint', 'npm run lint', { script: 'echo fine' })
  const { body: { runs } } = await post('run', session, {})
  t.equal(runs.length, 2)
  t.match(await over(runs[1].id), { check_id: lint, state: 'failed', exit_code: null, output: /has changed what this check runs, so it did not run/ })
  t.match((await list(session)).checks, [{}, { changed_script: 'touch was-run' }])
})

t.test('an output that steers terminals is plain text, and paths lead nowhere else', async (t) => {
  const { session } = await project({
    'a.ts': '',
    printed: '\u001b]8;;https://evil.test\u001b\\\u001b[31ma.ts:1:1: error: link\u001b]8;;\u0007\u001b]0;title\u0007\u009b\u0000 end\r\n' +
      '../../../etc/hosts:1:1: error: out\n/etc/hosts:2:1: error: out\nway.ts:3:1: error: out\n'
  })
  const folder = (await list(session)).workspace.replace(/^box:/, '')
  symlinkSync('/etc/passwd', join(folder, 'way.ts'))
  const id = await save(session, 'print', 'cat printed; exit 1')
  const found = await over((await post('run', session, { check_ids: [id] })).body.runs[0].id)
  t.notMatch(JSON.stringify([found.output, found.problems]), /\\u00(?:0[0-8be-f]|1|[89][0-9a-f])|evil\.test/)
  t.match(found.problems, [{ path: 'a.ts', line: 1 }, { path: null }, { path: null }, { path: null }])
})
