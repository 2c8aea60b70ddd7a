import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { residentMib } from '../../processes.js'
import { call } from '../../wire.js'
import { type Arena } from '../arena.js'
import { checkTurn } from '../check-turns.js'
import { createCrew } from '../crew.js'
import { brief, flood, startFaultyEndpoint, steady } from '../faulty-endpoint.js'
import { type Scenario } from '../scenario.js'

const cutOffLimitMs = 90_000
const grownLimitMib = 200

export const silentReaders: Scenario = {
  name: 'silent-readers',
  says: 'readers that connect and never read, and requests that never end, beside one who reads',
  short: true,
  async run (arena) {
    const { tally, short } = arena
    const endpoint = await startFaultyEndpoint()
    arena.later(endpoint.close)
    const service = await arena.ready({ env: { OPENAI_API_KEY: 'torture', OPENAI_BASE_URL: endpoint.url } })
    const client = createCrew(arena).client(service)
    await client.turn(await client.newSession(), 'Hello', { model: brief.model })
    const beforeMib = residentMib(service.pid)
    const count = short ? 20 : 60
    const sockets: Socket[] = []
    arena.later(() => { for (const socket of sockets) socket.destroy() })
    const turn = await client.turn(await client.newSession(), 'Go on', {
      model: short ? steady.model : flood.model,
      async meanwhile ({ streamId, sessionId }) {
        for (let index = 0; index < count; index++) {
          sockets.push(mute(service.url, `/api/chat/stream?stream_id=${streamId}&after_seq=0`))
          if (index % 10 === 0) {
            sockets.push(
              mute(service.url, '/api/sessions/events'), mute(service.url, `/api/approval/stream?session_id=${sessionId}`), half(service.url)
            )
          }
        }
      }
    })
    tally.tried('readers', sockets.length)
    const grownMib = residentMib(service.pid) - beforeMib
    tally.note(`${sockets.length} readers that read nothing: ${Math.round(grownMib)} MiB more`)
    if (grownMib > grownLimitMib) tally.wrong(`the service grew by ${Math.round(grownMib)} MiB`)
    if (turn.received.at(-1)?.event !== 'stream_end') tally.wrong(`the turn ended with ${turn.received.at(-1)?.event}`)
    await checkTurn(turn, { url: service.url, tally })
    if (!short) await untilCutOff(arena, service.url, 2 * count / 10)
    for (const socket of sockets) socket.destroy()
    await arena.stop(service)
  }
}

/** Waits until readers that took nothing of a turn for a minute are disconnected; the other streams are idle. */
async function untilCutOff ({ tally }: Arena, url: string, idle: number): Promise<void> {
  const untilMs = performance.now() + cutOffLimitMs
  let open
  do {
    await delay(500)
    open = (await call(`${url}/api/system/health`)).body.open_event_streams as number
  } while (open > idle && performance.now() < untilMs)
  if (open > idle) tally.wrong(`${open} event streams are still open after ${cutOffLimitMs / 1000} s in which nobody read`)
}

/** Sends a request and never reads the answer. */
function mute (url: string, path: string): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  socket.pause()
  socket.write(`GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\naccept: text/event-stream\r\nuser-agent: mute\r\n\r\n`)
  return socket
}

/** Sends a request whose body never comes. */
function half (url: string): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  socket.write(
    `POST /api/session/new HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"title": "`
  )
  return socket
}
