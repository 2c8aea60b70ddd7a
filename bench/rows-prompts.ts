import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { type Bench } from './context.js'
import { residentMib, startService, type Service } from './processes.js'
import { median, percentile } from './report.js'
import { call, newSession, post, readEvents } from './wire.js'

/** Reads outside the workspace, which always asks for permission, and costs nothing once it is granted. */
const message = 'read /etc/hostname'
const paused = 50

/** Measures what a turn costs while it waits for a person, and how fast it continues. */
export async function promptRows (bench: Bench): Promise<void> {
  const service = await startService({ ...bench, demoWordsPerSecond: 0 })
  try {
    await service.hostPid()
    await answerRow(bench, service)
    await memoryRow(bench, service)
  } finally {
    await service.stop()
  }
}

interface Waiting { sessionId: string, streamId: string, approvalId: string }

async function begin (url: string): Promise<Waiting> {
  const sessionId = await newSession(url)
  const { stream_id: streamId } = await post(`${url}/api/chat/start`, { session_id: sessionId, message })
  for (;;) {
    const { pending } = (await call(`${url}/api/approval/pending?session_id=${sessionId}`)).body
    if (pending !== null) return { sessionId, streamId, approvalId: pending.approval_id }
    await delay(2)
  }
}

async function answer (url: string, { sessionId, approvalId }: Waiting): Promise<void> {
  await post(`${url}/api/approval/respond`, { session_id: sessionId, choice: 'once', approval_id: approvalId })
}

async function answerRow ({ report, quick }: Bench, { url }: Service): Promise<void> {
  const times: number[] = []
  for (let round = 0; round < (quick ? 20 : 100); round++) {
    const waiting = await begin(url)
    let startedMs = 0
    const stream = await readEvents(`${url}/api/chat/stream?stream_id=${waiting.streamId}`, ({ event }) => {
      if (event === 'tool_complete') times.push(performance.now() - startedMs)
    })
    await delay(5)
    startedMs = performance.now()
    await answer(url, waiting)
    await stream.over
  }
  report.add({ measure: 'approval → its tool has run, p50', value: median(times), unit: 'ms', promise: { most: 20 } })
  report.add({ measure: '… p99', value: percentile(times, 0.99), unit: 'ms', note: `${times.length} approvals` })
}

/** Measures the second fifty: the growth of the processes from the first fifty has already happened. */
async function memoryRow ({ report }: Bench, service: Service): Promise<void> {
  const { url, pid } = service
  const hostPid = await service.hostPid()
  const held = () => ({ mib: residentMib(pid) + residentMib(hostPid), threads: threads(pid) + threads(hostPid) })
  const growth: number[] = []
  let grownThreads = 0
  for (let round = 0; round < 6; round++) {
    const before = held()
    const waiting: Waiting[] = []
    for (let turn = 0; turn < paused; turn++) waiting.push(await begin(url))
    await delay(500)
    const after = held()
    if (round > 0) growth.push(after.mib - before.mib)
    if (round > 0) grownThreads = Math.max(grownThreads, after.threads - before.threads)
    for (const turn of waiting) await answer(url, turn)
    await delay(1_000)
  }
  report.add({
    measure: `${paused} turns that wait: memory, web tier + host`, value: median(growth), unit: 'MiB', promise: { most: 2 },
    note: 'median of 5 rounds, noise of the collector included'
  })
  report.add({ measure: `${paused} turns that wait: threads`, value: grownThreads, unit: '', promise: { most: 0 } })
}

function threads (pid: number): number {
  return Number(/Threads:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
}
