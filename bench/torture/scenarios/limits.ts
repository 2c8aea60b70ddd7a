import { execFileSync } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { needs } from '../../../test/support/programs.js'
import { type ServerProcess } from '../../../test/support/server.js'
import { isAlive } from '../../processes.js'
import { call, type Answer } from '../../wire.js'
import { hostPid, type Arena } from '../arena.js'
import { createCrew, type Crew } from '../crew.js'
import { type Scenario } from '../scenario.js'

const recoverLimitMs = 20_000
const workMs = 2_500
/** Size of the heap: enough to start and to serve, but not for everything that is asked of it. */
const [leastHeapMb, mostHeapMb] = [48, 96]
const mib = 1_048_576

export const limits: Scenario = {
  name: 'limits',
  says: 'no file handles, a small heap and a limit on file sizes while people work; then the limit is lifted, or the service started again',
  short: false,
  missing: () => needs('prlimit').skip,
  async run (arena) {
    const { url: modelUrl } = await arena.endpoint(80)
    const env = { OPENAI_API_KEY: 'torture', OPENAI_BASE_URL: modelUrl }
    const crew = createCrew(arena, { mayRefuse: isLimit, cardsMayEnd: true })
    let service = await arena.ready({ env })
    for (let round = 0; round < arena.rounds; round++) {
      await runOutOfHandles(arena, crew, service)
      service = await outgrowFiles(arena, crew, service, env)
      await arena.stop(service)
      service = await runOutOfMemory(arena, crew, env)
    }
    await crew.checkReplays(service)
    await arena.stop(service)
  }
}

/** Whether a refusal names its limit, or says that the agent process is not there for now. */
const isLimit = ({ status, body }: Answer): boolean => ([413, 502, 503, 507].includes(status) && typeof body.error === 'string') ||
  (status === 409 && body.code === 'gateway_run_unavailable')

const limit = (pid: number, which: 'nofile' | 'fsize', value: string): void => {
  execFileSync('prlimit', ['--pid', String(pid), `--${which}=${value}:`])
}

/** Takes the file handles from the service, its agent process or both, in the middle of work, and gives them back. */
async function runOutOfHandles (arena: Arena, crew: Crew, service: ServerProcess): Promise<void> {
  const { random, tally } = arena
  const host = await hostPid(service)
  const struck = random.pick([[service.pid], [host], [service.pid, host]])
  const before = struck.map((pid) => [pid, /Max open files\s+(\d+)/.exec(readFileSync(`/proc/${pid}/limits`, 'utf8'))?.[1] ?? '1024'] as const)
  const life = { over: false }
  const working = crew.work(service, life)
  await delay(random.whole(200, workMs))
  for (const [pid] of before) limit(pid, 'nofile', String(readdirSync(`/proc/${pid}/fd`).length + random.whole(0, 4)))
  tally.tried('faults')
  await delay(workMs)
  // Connections that it cannot accept wait until it can.
  for (const [pid, handles] of before) if (isAlive(pid)) limit(pid, 'nofile', handles)
  life.over = true
  await working
  if (!isAlive(service.pid)) tally.wrong(`without file handles the service ended: ${service.output().slice(-300)}`)
  await expectHealth(arena, service, 'no file handles')
  await crew.check(service)
}

/** Files, including the database's, may not grow any more; whatever that does to the service, the next start must have everything. */
async function outgrowFiles (arena: Arena, crew: Crew, service: ServerProcess, env: Record<string, string>): Promise<ServerProcess> {
  const { random, tally } = arena
  const life = { over: false }
  const working = crew.work(service, life)
  await delay(random.whole(200, workMs))
  limit(service.pid, 'fsize', String(random.whole(1, 8) * mib / 4))
  tally.tried('faults')
  await delay(workMs)
  const survived = isAlive(service.pid)
  if (survived) limit(service.pid, 'fsize', 'unlimited')
  life.over = true
  await working
  tally.note(survived ? 'the service outlived a limit of the size of files' : 'a limit of the size of files ended the service')
  if (survived) await expectHealth(arena, service, 'a limit of the size of files')
  else tally.tried('kills')
  const next = survived ? service : await arena.ready({ env })
  await crew.check(next)
  return next
}

/** Asks a service with a small heap for more than fits. Returns the service after the next start, with the usual heap. */
async function runOutOfMemory (arena: Arena, crew: Crew, env: Record<string, string>): Promise<ServerProcess> {
  const { random, tally } = arena
  const heapMb = random.whole(leastHeapMb, mostHeapMb)
  const small = await arena.service({ env: { ...env, NODE_OPTIONS: `--max-old-space-size=${heapMb}` } })
  if (small.url === '') {
    tally.note(`a heap of ${heapMb} MB: too small to start`)
    return await arena.ready({ env })
  }
  const life = { over: false }
  const working = crew.work(small, life)
  const asking = askMuch(small, life)
  tally.tried('faults')
  await Promise.race([small.exited, delay(2 * workMs)])
  life.over = true
  const survived = isAlive(small.pid)
  tally.note(`a heap of ${heapMb} MB: the service ${survived ? 'served on' : 'ended'}`)
  await Promise.all([working, asking])
  if (isAlive(small.pid)) await small.end('SIGTERM')
  else tally.tried('kills')
  const service = await arena.ready({ env })
  await crew.check(service)
  return service
}

/** Requests whole conversations and long answers, several at once, until the service does not answer. */
async function askMuch ({ url }: ServerProcess, life: { over: boolean }): Promise<void> {
  const ask = async (): Promise<void> => {
    while (!life.over) {
      const { body } = await call(`${url}/api/sessions`)
      for (const { session_id: id } of (body.sessions as Array<{ session_id: string }>).slice(0, 20)) {
        await call(`${url}/api/session/export?session_id=${id}`)
      }
      await call(`${url}/api/file/save`, 'POST', { session_id: 'none', path: 'x', content: 'x'.repeat(mib) })
    }
  }
  await Promise.allSettled(Array.from({ length: 8 }, ask))
}

async function expectHealth ({ tally }: Arena, { url }: ServerProcess, after: string): Promise<void> {
  const untilMs = performance.now() + recoverLimitMs
  let last: Answer | null = null
  while (performance.now() < untilMs) {
    last = await call(`${url}/health`).catch(() => null)
    if (last?.status === 200) return
    await delay(100)
  }
  tally.wrong(`/health is ${last?.status ?? 'not answered'} ${recoverLimitMs / 1000} s after ${after}: ${JSON.stringify(last?.body)}`)
}
