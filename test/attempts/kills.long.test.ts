import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import t from '#test'
import { eventually } from '../support/chat.js'
import { emptyRepository, needsGit } from '../support/git-repository.js'
import { modelEndpoint } from '../support/model-endpoint.js'
import { spawnServer, type ServerProcess } from '../support/server.js'

interface Attempt { session_id: string, workspace: string, state: string, has_worktree: boolean }
interface Attempts { state: string, sessions: Attempt[], taken_session_id: string | null, can_undo: boolean }

const rounds = 6
const over = new Set(['done', 'failed', 'cancelled', 'stopped'])
const files = ['a.txt', 'new/b.txt', 'new/c.txt', 'new/d.txt']

t.test('a kill at any moment of attempts leaves what was acknowledged, and nothing else', needsGit, async (t) => {
  const endpoint = await modelEndpoint(t, { models: ['scripted-1'] })
  endpoint.script(({ stream, messages }) => !stream
    ? [{ text: '{"best": 1, "reasons": {"1": "Good.", "2": "Bad."}}' }]
    : messages.some(({ role }) => role === 'tool')
      ? [{ text: 'Done.' }]
      : files.map((path, at) => ({ tool: 'write_file', args: { path, content: 'new\n' }, id: `call_${at}` })))
  const folder = realpathSync(t.testdir())
  mkdirSync(join(folder, 'home'), { recursive: true })
  writeFileSync(join(folder, 'home', 'config.yaml'), 'approvals:\n  allow: ["write:workspace"]\n')
  const repository = emptyRepository(join(folder, 'workspace', 'app'))
  repository.write('a.txt')
  repository.commitAll('First')
  const start = async (): Promise<ServerProcess> => await spawnServer(t, folder, { OPENAI_API_KEY: 'x', OPENAI_BASE_URL: endpoint.url })
  let server = await start()
  /** How long each took without a kill. */
  const usualMs = { begin: 0, take: 0 }
  /**
   * Sends a request, and kills the service after a share of the time that it usually takes, or once it is acknowledged. Resolves to the
   * acknowledgement; null if there was none.
   */
  async function killedDuring (what: keyof typeof usualMs, share: number | null, path: string, body: object): Promise<Record<string, unknown> | null> {
    const beganMs = performance.now()
    const answer = server.json(path, body).catch(() => null) as Promise<Record<string, unknown> | null>
    if (share === null) {
      await answer
      usualMs[what] = performance.now() - beganMs
    } else await delay(usualMs[what] * share)
    const crashed = server.crash().then(() => null)
    const said = await Promise.race([answer, crashed])
    await crashed
    server = await start()
    return said
  }
  const list = async (): Promise<Array<{ attempts_id: string, state: string }>> => (await server.json('/api/attempts/list')).attempts
  const look = async (id: string): Promise<Attempts> => await server.json(`/api/attempts?attempts_id=${id}`)
  const ready = async (id: string): Promise<Attempts> => await eventually('all are over', async () => {
    const found = await look(id)
    return found.state === 'ready' && found.sessions.every(({ state }) => over.has(state)) && found
  })
  const stands = (): string => files.map((name) => repository.has(name) ? repository.read(name) : '-').join()
  const before = stands()
  const earlier = new Set<string>()

  for (let round = 0; round < rounds; round++) {
    // The first is killed after its acknowledgement, the others at moments before and after that.
    const share = round === 0 ? null : 1.5 * round / rounds
    const begun = await killedDuring('begin', share, '/api/attempts', { workspace: repository.root, message: 'Do it', models: [{ model: 'scripted-1', provider: 'openai' }], count: 2 })
    const id = begun?.['attempts_id']
    if (round === 0) t.type(id, 'string')
    // Attempts of earlier rounds are still listed, without their worktrees.
    const known = (await list()).filter(({ attempts_id: one }) => !earlier.has(one))
    if (id !== undefined) t.ok(known.some(({ attempts_id: one }) => one === id), `round ${round}: what was acknowledged is there`)
    for (const { attempts_id: one } of known) {
      const { sessions } = await ready(one)
      t.equal(sessions.length, 2, 'all of it or nothing')
      for (const { workspace, has_worktree: hasWorktree } of sessions) t.ok(hasWorktree && existsSync(workspace))
    }
    const worktrees = (): string[] => repository.git('worktree', 'list', '--porcelain').split('\n').filter((line) => line.startsWith('worktree ')).slice(1)
    await eventually('no worktree but theirs', () => worktrees().length === 2 * known.length)
    t.equal(stands(), before, 'the folder is as it was')

    const [one] = known
    if (one === undefined) continue
    const [first] = (await look(one.attempts_id)).sessions
    const done = (await look(one.attempts_id)).sessions.find(({ state }) => state === 'done') ?? first
    const taken = await killedDuring('take', usualMs.take === 0 ? null : share, '/api/attempts/take', { attempts_id: one.attempts_id, session_id: done!.session_id })
    const after = await ready(one.attempts_id)
    const isTaken = after.taken_session_id !== null
    if (taken?.['ok'] === true) t.ok(isTaken, 'what was acknowledged is taken')
    if (done!.state === 'done') t.equal(stands(), isTaken ? files.map(() => 'new\n').join() : before, `round ${round}: all of it or nothing`)
    if (isTaken) t.match(await server.json('/api/attempts/undo', { attempts_id: one.attempts_id }), { ok: true })
    t.equal(stands(), before)
    for (const { attempts_id: each } of known) {
      await server.json('/api/attempts/remove', { attempts_id: each })
      earlier.add(each)
    }
    await eventually('nothing is left', () => worktrees().length === 0)
    t.equal(repository.git('status', '--porcelain'), '')
  }
  t.equal(await server.end('SIGTERM'), 0)
})
