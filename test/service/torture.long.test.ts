import Sqlite from 'better-sqlite3'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, rmSync } from 'node:fs'
import t from '#test'
import { asset } from '../../services/ground/assets.js'
import { processesOf } from '../../bench/torture/arena.js'
import { createCrew } from '../../bench/torture/crew.js'
import { createTorture } from '../../bench/torture/run.js'
import { type Scenario } from '../../bench/torture/scenario.js'
import { isClean } from '../../bench/torture/tally.js'
import { scenarios } from '../../bench/torture/scenarios/index.js'
import { eventually } from '../support/chat.js'

// The short form of `npm run torture`, and a check that torture itself finds losses and leaves nothing behind.
const torture = createTorture({ seed: Math.floor(Math.random() * 1e9), rounds: 1, short: true })
t.teardown(() => torture.sweep())
t.jobs = 3

for (const scenario of scenarios.filter(({ short }) => short)) {
  t.test(`${scenario.name}: ${scenario.says}`, async (t) => {
    const outcome = await torture.run(scenario)
    t.same(outcome.findings, [], 'nothing was lost and every promise kept')
    t.same(outcome.leftBehind, [], 'nothing was left behind')
    t.ok(Object.values(outcome.tried).some((count) => count > 0), 'and something was tried')
  })
}

t.test('what is lost is noticed, and so is what is left behind', async (t) => {
  let stray = 0
  const thief: Scenario = {
    name: 'thief',
    says: 'takes away what was acknowledged',
    short: true,
    async run (arena) {
      const crew = createCrew(arena)
      const env = { OFFLINE_DEMO_WORDS_PER_SECOND: '0' }
      const service = await arena.ready({ env })
      const client = crew.client(service)
      const [first, second, third] = [await client.newSession(), await client.newSession(), await client.newSession()]
      for (const sessionId of [first, second]) await client.turn(sessionId, `help ${sessionId}`)
      await client.post('/api/file/create', { session_id: first, path: 'a.txt', content: '' })
      await client.save(first, 'a.txt', `${arena.workspace()}/a.txt`, 'text')
      await client.upload(first, 'attachment', 'b.txt', Buffer.from('bytes'))
      await client.rename(third, 'My title')
      await client.setting('pinned_sessions_limit', 9)
      await client.project('A project')
      await service.end('SIGKILL')
      const db = new Sqlite(arena.databaseFile())
      db.prepare("delete from messages where session_id = ? and role = 'user'").run(first)
      db.prepare('delete from frames where seq = 2').run()
      db.prepare("update sessions set title = 'Another' where id = ?").run(third)
      db.exec('delete from settings; delete from projects')
      db.close()
      rmSync(`${arena.workspace()}/a.txt`)
      rmSync(crew.ledger.uploads[0]!.path)
      await crew.check(await arena.ready({ env }))
      stray = spawn('sleep', ['60'], { detached: true, stdio: 'ignore', env: { ...process.env, HOME: arena.folder } }).pid!
    }
  }
  const outcome = await torture.run(thief)
  for (const kind of ['messages', 'frames', 'saves', 'uploads', 'renames', 'settings'] as const) t.ok((outcome.lost[kind] ?? 0) > 0, `${kind} are missed`)
  t.notOk(isClean(outcome))
  t.match(outcome.leftBehind, [new RegExp(`process ${stray} `)])
  t.same(processesOf(torture.folder).filter(({ pid }) => pid === stray), [], 'it is ended all the same')
})

t.test('Ctrl+C ends and removes everything', async (t) => {
  const entry = asset('bench/torture/index.js')
  const child = spawn(process.execPath, [entry, '--only', 'reconnects', '--seed', '1'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => { output += text })
  const folder = await eventually('its folder', () => /below (\S+)/.exec(output)?.[1])
  // The service, its agent process, and the model endpoint.
  await eventually('its processes', () => processesOf(folder).length >= 2)
  child.kill('SIGINT')
  t.equal((await exited)[0], 130)
  t.same(processesOf(folder), [], 'no process')
  t.notOk(existsSync(folder), 'no file')
})
