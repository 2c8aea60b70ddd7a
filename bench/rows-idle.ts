import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { type Bench } from './context.js'
import { load } from './load.js'
import { residentMib, startEndpoint, startService, type Service } from './processes.js'
import { newSession, post } from './wire.js'

const openAtOnce = 100
const requestsPerSecond = 500

/** Measures idle event streams: how much memory each takes, and how they affect other requests. */
export async function idleRows (bench: Bench): Promise<void> {
  const { connections, report, quick } = bench
  const endpoint = await startEndpoint(0)
  const service = await startService({ ...bench, modelUrl: endpoint.url })
  const sockets: Socket[] = []
  try {
    const probe = async () =>
      await load({ url: `${service.url}/api/auth/status`, connections: 10, rate: requestsPerSecond, seconds: quick ? 6 : 11 })
    const before = await probe()
    await delay(1_000)
    const beforeMib = residentMib(service.pid)
    const paths = await idlePaths(service)
    for (let opened = 0; opened < connections; opened += openAtOnce) {
      const batch = Array.from({
        length: Math.min(openAtOnce, connections - opened)
      }, (_, index) => openStream(service, paths[index % paths.length]!))
      sockets.push(...await Promise.all(batch))
    }
    await delay(2_000)
    const kibEach = (residentMib(service.pid) - beforeMib) * 1024 / connections
    const during = await probe()
    const open = sockets.filter((socket) => !socket.destroyed).length
    report.add({ measure: 'idle event streams held', value: open, unit: '', promise: { least: connections } })
    report.add({ measure: '… memory of each in the web tier', value: kibEach, unit: 'KiB', promise: { most: 10 } })
    report.add({
      measure: `… p99 of other requests (${requestsPerSecond}/s) with them`, value: during.p99, unit: 'ms', bare: before.p99,
      promise: { most: before.p99 + 5 }, note: `worst ${during.max} ms, without them ${before.max} ms`
    })
  } finally {
    for (const socket of sockets) socket.destroy()
    await service.stop()
    endpoint.stop()
  }
}

/** Half of the connections read a turn whose model never answers, half read the approvals of sessions. */
async function idlePaths ({ url }: Service): Promise<string[]> {
  const paths: string[] = []
  for (let index = 0; index < 10; index++) {
    const sessionId = await newSession(url)
    const { stream_id: streamId } = await post(`${url}/api/chat/start`, { session_id: sessionId, message: 'wait' })
    paths.push(`/api/chat/stream?stream_id=${streamId}`, `/api/approval/stream?session_id=${sessionId}`)
  }
  return paths
}

/** Resolves when the head of the answer has arrived. */
async function openStream ({ url }: Service, path: string): Promise<Socket> {
  const { hostname, port, host } = new URL(url)
  return await new Promise<Socket>((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) })
    socket.on('error', reject)
    socket.once('data', (chunk: Buffer) =>
      chunk.toString('latin1').startsWith('HTTP/1.1 200') ? resolve(socket) : reject(new Error(chunk.toString('latin1').slice(0, 200))))
    socket.on('data', () => {})
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAccept: text/event-stream\r\n\r\n`)
  })
}
