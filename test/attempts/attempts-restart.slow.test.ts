import { existsSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { eventually, said, startChat, type ChatService } from '../support/chat.js'
import { emptyRepository, needsGit, type TestRepository } from '../support/git-repository.js'
import { needsSandbox } from '../support/needs-sandbox.js'

interface Attempt { session_id: string, workspace: string, state: string, check_passed: boolean | null, reason: string | null }
interface Attempts { state: string, sessions: Attempt[], taken_session_id: string | null, can_undo: boolean }

/** Creates a folder for a service, with a repository in it; removed after the test. */
function prepared (t: { testdir: () => string }): { folder: string, repository: TestRepository } {
  const folder = realpathSync(mkdtempSync(join(t.testdir(), 'service-')))
  mkdirSync(join(folder, 'home'), { recursive: true })
  writeFileSync(join(folder, 'home', 'config.yaml'), 'approvals:\n  allow: ["write:workspace"]\n')
  const repository = emptyRepository(join(folder, 'workspace', 'app'))
  for (const name of ['a.txt', 'b.txt', 'gone.txt']) repository.write(name)
  repository.commitAll('First')
  return { folder, repository }
}

function script (service: ChatService, hangs: () => boolean = () => false): void {
  service.endpoint.script((request) => {
    if (said(request, 'system')[0]?.startsWith('Task: compare') === true) return [{ text: '{"best": 1, "reasons": {"1": "Good.", "2": "Bad."}}' }]
    if (!request.stream) return [{ text: 'A title' }]
    if (hangs()) return [{ waitMs: 60_000 }, { text: 'Late' }]
    return request.messages.some(({ role }) => role === 'tool')
      ? [{ text: 'Done.' }]
      : [{ tool: 'write_file', args: { path: 'a.txt', content: 'A\n' } }, { tool: 'write_file', args: { path: 'new/b.txt', content: 'B\n' } }]
  })
}
const look = async (service: ChatService, id: string): Promise<Attempts> => (await service.get(`/api/attempts?attempts_id=${id}`)).body
const ready = async (service: ChatService, id: string): Promise<Attempts> => await eventually('all are over', async () => {
  const found = await look(service, id)
  return found.state === 'ready' && found
})
/** Writes to the database what it would contain if the service were killed at this point. */
const put = (service: ChatService, sql: string, ...values: unknown[]): void => { service.app.db.sqlite.prepare(sql).run(...values) }

t.test('attempts that were acknowledged are there after a stop of the service, and go on from where they were', needsGit, async (t) => {
  const { folder, repository } = prepared(t)
  const first = await startChat(t, { folder })
  let isHanging = true
  script(first, () => isHanging)
  const begin = async (service: ChatService) =>
    (await service.post('/api/attempts', { workspace: repository.root, message: 'Do it', models: ['scripted-1'], count: 2, check: 'test -f new/b.txt' })).body
  const { attempts_id: id, sessions } = await begin(first)
  await eventually('their models work', () => first.requests('scripted-1').length === 2)
  t.same((await look(first, id)).sessions.map(({ state }) => state), ['running', 'running'])
  isHanging = false
  const { attempts_id: judged } = await begin(first)
  await ready(first, judged)
  await first.stop()

  const second = await first.again(t, folder)
  script(second)
  t.same((await ready(second, id)).sessions.map(({ state }) => state), ['failed', 'failed'], 'what the stop has cut off says so')
  t.equal((await look(second, id)).sessions.length, sessions.length)
  // States that a stop may leave: before the turns began, in the middle of the checks, and while the judge was asked.
  put(second, "update attempt_sessions set state = 'checking', check_passed = null where attempts_id = ?", judged)
  put(second, "update attempts set state = 'judging', best_session_id = null where id = ?", judged)
  put(second, "update attempt_sessions set state = 'waiting', stream_id = null, outcome = null where attempts_id = ?", id)
  put(second, "update attempts set state = 'running' where id = ?", id)
  await second.stop()

  const third = await first.again(t, folder)
  script(third)
  const again = await eventually('they are judged again', async () => {
    const found = await look(third, judged)
    return found.state === 'ready' && found.sessions.every(({ check_passed: passed }) => passed === true) && found
  })
  t.equal(again.sessions[0]?.reason, 'Good.')
  t.match(await ready(third, id), { sessions: [{ state: 'done', check_passed: true }, { state: 'done', check_passed: true }] })

  // Never acknowledged: nothing of them remains.
  put(third, "update attempts set state = 'preparing' where id = ?", judged)
  await third.stop()
  const fourth = await first.again(t, folder)
  await eventually('they are gone', () => repository.git('worktree', 'list').split('\n').length === 3)
  await eventually('git may forget them', () => repository.git('for-each-ref', `refs/agent-attempts/${judged}`) === '')
  t.equal((await fourth.get(`/api/attempts?attempts_id=${judged}`)).status, 404)
})

t.test('a check is confined as the agent\'s commands are, and what a session may do its attempts may', { ...needsGit, ...needsSandbox }, async (t) => {
  const { folder, repository } = prepared(t)
  writeFileSync(join(folder, 'home', 'config.yaml'), '')
  const service = await startChat(t, { folder, env: { SVC_WEBUI_SANDBOX: '1' } })
  script(service)
  const session = await service.newSession({ workspace: repository.root, model: 'scripted-1', model_provider: 'openai' })
  const streamId = await service.send(session, 'Write')
  await service.pending(session)
  await service.respond(session, 'session')
  await (await service.watch(streamId)).ended
  repository.git('checkout', '--quiet', '.')
  const check = `test -f new/b.txt && test ! -e ${join(folder, 'home')}/config.yaml && (touch ${folder}/outside || true) && echo confined`
  const { attempts_id: id } = (await service.post('/api/attempts', { session_id: session, message: 'Do it', count: 1, check })).body
  t.match((await ready(service, id)).sessions, [{ state: 'done', check_passed: true, check_output: /^[^]*confined\n\[exit code 0\]$/ }])
  t.notOk(existsSync(join(folder, 'outside')))
  const slow = (await service.post('/api/attempts', { session_id: session, message: 'Do it', count: 1, check: 'sleep 30', check_seconds: 1 })).body
  t.match((await ready(service, slow.attempts_id)).sessions, [{ state: 'done', check_passed: false, check_output: /time limit/ }])
})

t.test('what a stop of the service has cut off while it was taken is finished, or taken back where someone has changed it since', { ...needsGit, long: true }, async (t) => {
  const { folder, repository } = prepared(t)
  let service = await startChat(t, { folder })
  script(service)
  const { attempts_id: id, sessions: [{ session_id: one }] } = (await service.post('/api/attempts', {
    workspace: repository.root, message: 'Do it', models: ['scripted-1'], count: 1
  })).body
  await ready(service, id)
  const take = async () => await service.post('/api/attempts/take', { attempts_id: id, session_id: one })
  const restart = async () => {
    await service.stop()
    service = await service.again(t, folder)
    script(service)
  }
  t.equal((await take()).status, 200)

  // Half of it was written.
  repository.write('a.txt')
  put(service, "update attempt_takes set state = 'writing'")
  put(service, 'update attempts set taken_session_id = null, kept_until = null')
  await restart()
  await eventually('the rest is written', async () => (await look(service, id)).taken_session_id === one)
  t.equal(repository.read('a.txt'), 'A\n')
  t.equal(repository.read('new/b.txt'), 'B\n')

  // Half of it was written, and someone has changed the other half before the next start.
  repository.write('a.txt', 'mine\n')
  put(service, "update attempt_takes set state = 'writing'")
  put(service, 'update attempts set taken_session_id = null, kept_until = null')
  await restart()
  await eventually('what was written is taken back', () => !repository.has('new/b.txt'))
  t.equal(repository.read('a.txt'), 'mine\n')
  t.match(await look(service, id), { taken_session_id: null, can_undo: false })
  t.match(await take(), { status: 409, body: { code: 'attempt_conflict', files: ['a.txt'] } })
  repository.write('a.txt')
  t.equal((await take()).status, 200)
  t.equal((await service.post('/api/attempts/undo', { attempts_id: id })).status, 200)
  t.equal(repository.git('status', '--porcelain'), '')
})
