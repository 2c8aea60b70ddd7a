import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { asset } from '../../../services/ground/assets.js'
import { openEvents } from '../../../test/support/events.js'
import { type ServerProcess } from '../../../test/support/server.js'
import { call } from '../../wire.js'
import { type Arena } from '../arena.js'
import { checkTurn } from '../check-turns.js'
import { createCrew } from '../crew.js'
import { type Scenario } from '../scenario.js'

const dayMs = 86_400_000
const words = 240
/** A heartbeat comes after 5 s without a frame. */
const heartbeatLimitMs = 12_000
/** A turn of seconds cannot have taken longer than this. */
const longestS = 600

export const clockJumps: Scenario = {
  name: 'clock-jumps',
  says: "the service's wall clock is set a day ahead and back, while turns stream and cards wait",
  short: false,
  async run (arena) {
    const { tally } = arena
    const clock = join(arena.folder, 'clock')
    const { url: modelUrl } = await arena.endpoint(40)
    const service = await arena.ready({
      env: {
        OPENAI_API_KEY: 'torture', OPENAI_BASE_URL: modelUrl, TORTURE_CLOCK: clock,
        NODE_OPTIONS: `--import=${pathToFileURL(asset('bench/torture/clock-shift.js')).href}`
      }
    })
    const jump = async (aheadMs: number): Promise<void> => {
      writeFileSync(clock, String(aheadMs))
      process.kill(service.pid, 'SIGWINCH')
      await delay(100)
      tally.tried('requests')
    }
    const crew = createCrew(arena)
    const client = crew.client(service)
    for (const [name, aheadMs] of [['a day ahead', dayMs], ['a day back', -dayMs], ['an hour back', -3_600_000]] as const) {
      await jump(0)
      await waitThroughJump(arena, service, name, async () => await jump(aheadMs))
      await jump(0)
      const turn = await client.turn(await client.newSession(), `words=${words} tools=1`, {
        async meanwhile () {
          await delay(1_000)
          await jump(aheadMs)
          await delay(1_000)
          await jump(0)
        }
      })
      if (turn.received.at(-1)?.event !== 'stream_end') {
        tally.wrong(`${name}: a turn that streamed ended with ${turn.received.at(-1)?.event}`)
      }
      await checkTurn(turn, { url: service.url, tally })
      const { body } = await call(`${service.url}/api/session?session_id=${turn.sessionId}`)
      for (const [path, seconds] of durationsIn(
        body
      )) if (seconds < 0 || seconds > longestS) tally.wrong(`${name}: ${path} is ${seconds} s`)
    }
    await arena.stop(service)
  }
}

/** A question and an approval wait while the clock jumps: neither may expire, and their streams must stay alive. */
async function waitThroughJump (arena: Arena, service: ServerProcess, name: string, jump: () => Promise<void>): Promise<void> {
  const { tally } = arena
  const client = createCrew(arena).client(service)
  for (const [kind, wish] of [['clarify', 'words=2 question'], ['approval', 'words=2 ask']] as const) {
    const sessionId = await client.newSession()
    const { body: { stream_id: streamId } } = await client.post('/api/chat/start', { session_id: sessionId, message: wish })
    const turn = await openEvents(`${service.url}/api/chat/stream?stream_id=${streamId}`)
    const card = await openEvents(`${service.url}/api/${kind}/stream?session_id=${sessionId}`)
    await card.until(({ data }) => data.pending !== null)
    tally.tried('approvals')
    const comments = [turn.comments.length, card.comments.length] as const
    await jump()
    const untilMs = performance.now() + heartbeatLimitMs
    while (performance.now() < untilMs && (turn.comments.length === comments[0] || card.comments.length === comments[1])) await delay(100)
    if (turn.comments.length === comments[0]) tally.wrong(`${name}: a turn's stream had no heartbeat for ${heartbeatLimitMs / 1000} s`)
    if (card.comments.length === comments[1]) tally.wrong(`${name}: a ${kind} stream had no heartbeat for ${heartbeatLimitMs / 1000} s`)
    const { pending } = (await client.get(`/api/${kind}/pending?session_id=${sessionId}`)).body as { pending: unknown }
    if (pending === null) tally.lost('approvals', `${name}: the ${kind} that waited is gone`)
    await client.post('/api/chat/cancel', { stream_id: streamId })
    await Promise.race([turn.ended, delay(10_000, null, { ref: false })])
    card.drop()
  }
}

/** Returns everything in the answer that is named like a duration. */
function durationsIn (value: unknown, path = ''): Array<[string, number]> {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => typeof inner === 'number' && /duration|elapsed|_ms$|_seconds$/i.test(key)
    ? [[`${path}.${key}`, /_ms$/.test(key) ? inner / 1000 : inner] as [string, number]]
    : durationsIn(inner, `${path}.${key}`))
}
