import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { asset } from '../../../services/ground/assets.js'
import { type ServerProcess } from '../../../test/support/server.js'
import { call } from '../../wire.js'
import { type Arena } from '../arena.js'
import { createCrew } from '../crew.js'
import { type Scenario } from '../scenario.js'
import { empty, fill, unmountable } from '../small-disk.js'

const workMs = 2_500
const atOnce = 50
const mostAsked = 20_000

export const unwritableLog: Scenario = {
  name: 'unwritable-log',
  says: 'a log whose disk is full, whose reader is gone, or whose reader is stalled, while people work',
  short: false,
  missing: unmountable,
  async run (arena) {
    const disk = arena.tmpfs('log', 1)
    // The line with the address of the service has to be read from the file.
    const intoFile = 'tail --pid=$$ -n +1 -F "$0" & exec "$@" >>"$0" 2>&1'
    const logging = ['sh', '-c', intoFile, join(disk, 'service.log'), process.execPath, asset('dist/server.js')] as const
    await workWithout(arena, 'a full disk', () => fill(disk), [...logging])
    empty(disk)
    await workWithout(arena, 'a reader that is gone', ({ channels }) => channels.forEach((channel) => channel.destroy()))
    await workWithout(arena, 'a reader that stands still', ({ channels }) => channels.forEach((channel) => channel.pause()))
  }
}

/** Does mixed work before and while the log cannot be written. */
async function workWithout (
  arena: Arena, what: string, lose: (service: ServerProcess) => void, program?: [string, ...string[]]
): Promise<void> {
  const { tally, rounds } = arena
  const { url: modelUrl } = await arena.endpoint(80)
  const service = await arena.ready({ program, env: { OPENAI_API_KEY: 'torture', OPENAI_BASE_URL: modelUrl, LOG_LEVEL: 'debug' } })
  const crew = createCrew(arena)
  for (let round = 0; round < rounds; round++) {
    const life = { over: false }
    const working = crew.work(service, life)
    await delay(workMs / 5)
    if (round === 0) lose(service)
    tally.tried('faults')
    await delay(workMs)
    life.over = true
    await working
    await crew.check(service)
  }
  const { status, dropped } = await floodLog(service.url)
  if (status !== 'ok') tally.wrong(`${what}: the service is ${status}`)
  if (dropped === 0) tally.wrong(`${what}: no line of the log was dropped, so nothing was tried`)
  tally.note(`${what}: ${dropped} lines dropped`)
  // A process's close is only reported once its output was read to the end.
  for (const channel of service.channels) channel.resume()
  await arena.stop(service)
}

/** Makes the service log until it drops lines: while a reader stalls, a number of lines are queued. */
async function floodLog (url: string): Promise<{ status: string, dropped: number }> {
  for (let asked = 0; ; asked += atOnce) {
    const { body: { status, log_lines_dropped: dropped } } = await call(`${url}/health`)
    if (dropped > 0 || asked > mostAsked) return { status, dropped }
    await Promise.all(Array.from({ length: atOnce }, async () => await call(`${url}/api/session?session_id=none`)))
  }
}
