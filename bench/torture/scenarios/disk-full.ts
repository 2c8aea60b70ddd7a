import { statfsSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { openEvents } from '../../../test/support/events.js'
import { type ServerProcess } from '../../../test/support/server.js'
import { call } from '../../wire.js'
import { type Arena } from '../arena.js'
import { createCrew } from '../crew.js'
import { type Scenario } from '../scenario.js'
import { empty, fill, unmountable } from '../small-disk.js'

const sizeMb = 48
const answerLimitMs = 10_000

export const diskFull: Scenario = {
  name: 'disk-full',
  says: `a file system of ${sizeMb} MB that fills up while people work, at a start and at a stop`,
  short: false,
  missing: unmountable,
  async run (arena) {
    const { rounds } = arena
    const home = arena.tmpfs('small', sizeMb)
    const { url: modelUrl } = await arena.endpoint(80)
    const env = { OPENAI_API_KEY: 'torture', OPENAI_BASE_URL: modelUrl }
    const crew = createCrew(arena, {
      home, mayRefuse: ({ status, body }) => (status === 503 || status === 507) && /full|space|room|disk/i.test(JSON.stringify(body)),
      cardsMayEnd: true
    })
    let service = await arena.ready({ env, home })
    for (let round = 0; round < rounds; round++) {
      const life = { over: false }
      const working = crew.work(service, life, 2)
      await delay(500)
      fill(home)
      await delay(1_500)
      await lookAround(arena, service, home)
      empty(home)
      await delay(1_000)
      life.over = true
      await working
      await crew.check(service)
    }
    await stopWithoutRoom(arena, service, home)
    service = await startWithoutRoom(arena, home, env) ?? await arena.ready({ env, home })
    await crew.check(service)
    await arena.stop(service)
  }
}

/** Checks that the service answers on a full disk, says why it refuses, and shows what it has. */
async function lookAround ({ tally }: Arena, { url }: ServerProcess, home: string): Promise<void> {
  const look = async (path: string): Promise<number> => {
    const status = await Promise.race([call(url + path).then(({ status }) => status, () => 0), delay(answerLimitMs, -1, { ref: false })])
    tally.tried('requests')
    if (status <= 0) {
      tally.wrong(`with a full disk ${path} ${status === 0 ? 'is not answered' : `takes more than ${answerLimitMs / 1000} s`}`)
    }
    return status
  }
  if (await look('/livez') !== 200) tally.wrong('with a full disk /livez does not answer 200')
  if (await look('/api/sessions') !== 200) tally.wrong('with a full disk the sessions are not listed')
  const {
    sessions
  } = (await call(`${url}/api/sessions`)).body as { sessions: Array<{ session_id: string, active_stream_id: string | null }> }
  for (const { session_id: id, active_stream_id: streamId } of sessions.slice(0, 5)) {
    if (await look(`/api/session?session_id=${id}`) !== 200) tally.wrong(`with a full disk session ${id} cannot be read`)
    if (streamId === null) continue
    const reader = await openEvents(`${url}/api/chat/stream?stream_id=${streamId}&after_seq=0`)
    if (reader.status !== 200) tally.wrong(`with a full disk a reader that attaches is answered ${reader.status}`)
    reader.drop()
  }
  const { status, body } = await call(`${url}/api/session/new`, 'POST', {})
  if (status !== 200 && (status !== 503 || !/full|space|room|disk/i.test(JSON.stringify(body)))) {
    tally.wrong(`with a full disk a new session is answered ${status}: ${JSON.stringify(body).slice(0, 200)}`)
  }
  // A small write still fits in the space that the database's log has already taken; concurrent work may free a page.
  const ready = await look('/readyz')
  if (ready !== 503 && statfsSync(home).bavail === 0 && await look('/readyz') !== 503) {
    tally.wrong(`with a full disk /readyz answers ${ready}`)
  }
}

/** Checks that a stop on a full disk is an orderly one: turns get their last frame. */
async function stopWithoutRoom (arena: Arena, service: ServerProcess, home: string): Promise<void> {
  const client = createCrew(arena).client(service)
  const { body } = await client.post('/api/chat/start', { session_id: await client.newSession(), message: 'words=2000' })
  const reader = await openEvents(`${service.url}/api/chat/stream?stream_id=${body.stream_id}`)
  await reader.until('token')
  fill(home)
  await delay(500)
  await arena.stop(service)
  await Promise.race([reader.ended, delay(answerLimitMs, null, { ref: false })])
  const hasFarewell = reader.comments.some((comment) => /shut/.test(comment)) ||
    ['apperror', 'stream_end'].includes(reader.frames.at(-1)?.event ?? '')
  if (!hasFarewell) {
    arena.tally.wrong(`a reader heard no farewell from a service that was stopped with a full disk (last: ${reader.frames.at(-1)?.event}, ${reader.comments.at(-1) ?? 'no comment'})`)
  }
}

/** Checks that a start on a full disk serves what can be read, and reports the problem. Returns the service, if it came up. */
async function startWithoutRoom (arena: Arena, home: string, env: Record<string, string>): Promise<ServerProcess | null> {
  const service = await arena.service({ env, home })
  if (service.url !== '') await lookAround(arena, service, home)
  else arena.tally.wrong(`a start with a full disk ended: ${service.output().slice(0, 300)}`)
  empty(home)
  await delay(1_000)
  return service.url === '' ? null : service
}
