import { spawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { firstAnswer, freePort, residentMib, startService } from './processes.js'
import { median } from './report.js'
import { type Bench } from './context.js'

const settleMs = 3_000

/** Cold start with 1,000 sessions, and memory at rest, beside a bare node:http process. */
export async function startRows ({ home, entry, report, quick, nodeOptions }: Bench): Promise<void> {
  const rounds = quick ? 3 : 7
  const bareStarts: number[] = []
  const starts: number[] = []
  let bareMib = NaN
  for (let round = 0; round < rounds; round++) {
    const bare = await startBareNode()
    bareStarts.push(bare.startedInMs)
    bareMib = residentMib(bare.pid)
    bare.stop()
    const service = await startService({ home, entry })
    starts.push(service.startedInMs)
    await service.stop()
  }
  report.add({ measure: 'cold start to /health, 1,000 sessions', value: median(starts), unit: 'ms', bare: median(bareStarts), promise: { most: 400 }, note: `worst of ${rounds}: ${Math.round(Math.max(...starts))} ms` })

  const service = await startService({ home, entry, nodeOptions })
  const hostPid = await service.hostPid()
  await delay(settleMs)
  report.add({ measure: 'idle memory, web tier', value: residentMib(service.pid), unit: 'MiB', bare: bareMib, promise: { most: 100 } })
  report.add({ measure: 'idle memory, host', value: residentMib(hostPid), unit: 'MiB', bare: bareMib, promise: { most: 90 } })
  await service.stop()
}

async function startBareNode () {
  const port = await freePort()
  const startMs = performance.now()
  const child = spawn(process.execPath, ['-e', `require('node:http').createServer((q, r) => r.end('{}')).listen(${port}, '127.0.0.1')`], { stdio: 'ignore' })
  await firstAnswer(`http://127.0.0.1:${port}/`, child)
  return { pid: child.pid!, startedInMs: performance.now() - startMs, stop: () => child.kill('SIGKILL') }
}
