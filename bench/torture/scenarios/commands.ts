import { setTimeout as delay } from 'node:timers/promises'
import { type ServerProcess } from '../../../test/support/server.js'
import { hostPid, processesOf, type Arena } from '../arena.js'
import { createCrew } from '../crew.js'
import { type Scenario } from '../scenario.js'

const endLimitMs = 10_000

/** Ways in which the processes that a command belongs to can end. */
const ends: Array<{ name: string, end (service: ServerProcess, host: number): Promise<unknown>, serves: boolean }> = [
  { name: 'kill -9 of the agent process', serves: true, end: async (_service, host) => process.kill(host, 'SIGKILL') },
  { name: 'kill -9 of the service and the agent process', serves: false, end: async (service) => await service.crash() },
  { name: 'an orderly stop', serves: false, end: async (service) => await service.end('SIGTERM') },
  {
    name: 'kill -9 of the service and a stopped agent process', serves: false,
    end: async (service, host) => { process.kill(host, 'SIGSTOP'); await service.crash() }
  }
]
const commands = [
  'sleep 301', "bash -c 'trap : TERM HUP INT; while :; do sleep 0.2; done'", 'setsid sleep 302', '(setsid nohup sleep 303 &) ; sleep 304'
]

export const commandsEnd: Scenario = {
  name: 'commands',
  says: 'approved commands, including those that ignore signals, end with the agent process, the service or the next start',
  short: false,
  async run (arena) {
    const { tally } = arena
    const { url: modelUrl } = await arena.endpoint(200)
    const env = { OPENAI_API_KEY: 'torture', OPENAI_BASE_URL: modelUrl }
    for (const { name, end, serves } of ends) {
      let service = await arena.ready({ env })
      const host = await hostPid(service)
      for (const command of commands) await runCommand(arena, service, command)
      const running = (): number => processesOf(arena.folder).filter(({ pid }) => pid !== service.pid && pid !== host).length
      for (let tries = 0; tries < 100 && running() < commands.length; tries++) await delay(100)
      if (running() < commands.length) tally.wrong(`${name}: only ${running()} processes of ${commands.length} commands run`)
      await end(service, host)
      tally.tried('kills')
      const own = new Set(serves ? [service.pid] : [])
      const isLeft = ({ pid, command }: { pid: number, command: string }): boolean => !own.has(pid) && !/host\/main\.js/.test(command)
      let left = await untilNone(arena, isLeft)
      tally.checked(commands.length)
      for (const { command } of left) tally.wrong(`${name}: "${command}" lived on for ${endLimitMs / 1000} s`)
      if (!serves) {
        service = await arena.ready({ env })
        own.add(service.pid)
        left = await untilNone(arena, (found) => isLeft(found))
        tally.checked(commands.length)
        for (const { command } of left) tally.wrong(`${name}: "${command}" lived on beside the next start`)
      }
      await arena.stop(service)
      for (const { pid } of processesOf(arena.folder)) process.kill(pid, 'SIGKILL')
    }
  }
}

async function untilNone (
  arena: Arena, fits: (found: { pid: number, command: string }) => boolean
): Promise<Array<{ pid: number, command: string }>> {
  const untilMs = performance.now() + endLimitMs
  let left = processesOf(arena.folder).filter(fits)
  while (left.length > 0 && performance.now() < untilMs) {
    await delay(100)
    left = processesOf(arena.folder).filter(fits)
  }
  return left
}

/** Runs a turn whose command asks for permission and gets it. */
async function runCommand (arena: Arena, service: ServerProcess, command: string): Promise<void> {
  const client = createCrew(arena).client(service)
  const sessionId = await client.newSession()
  const {
    body: { stream_id: streamId }
  } = await client.post('/api/chat/start', { session_id: sessionId, message: `words=1 run(${command})` })
  for (let tries = 0; tries < 400; tries++) {
    const { body } = await client.get(`/api/approval/pending?session_id=${sessionId}`)
    if (body.pending !== null) {
      const { status } = await client.post('/api/approval/respond', { session_id: sessionId, choice: 'once' })
      if (status === 200) {
        arena.tally.tried('approvals')
        return await delay(300)
      }
    }
    await delay(25)
  }
  throw new Error(`nobody asked whether "${command}" may run (turn ${streamId})`)
}
