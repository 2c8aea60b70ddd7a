import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { firstAnswer, freePort, residentMib, restMs, startService } from './processes.js'
import { median } from './report.js'
import { type Bench } from './context.js'

const settleMs = 3_000

/**
 * Measures a cold start with 1,000 sessions against a Node process that does nothing, and memory at rest against a bare node:http process.
 */
export async function startRows ({ home, entry, report, quick, nodeOptions }: Bench): Promise<void> {
  const rounds = quick ? 3 : 7
  const bare = await startBareNode()
  const bareMib = residentMib(bare.pid)
  bare.stop()
  // The first start after a build compiles, and stores the compiled code after some uptime.
  const first = await startService({ home, entry })
  await delay(settleMs)
  await first.stop()
  const nothings: number[] = []
  const starts: number[] = []
  for (let round = 0; round < rounds; round++) {
    nothings.push(await runNothing())
    const service = await startService({ home, entry })
    starts.push(service.startedInMs)
    await service.stop()
  }
  report.add({
    measure: 'cold start to /health, 1,000 sessions', value: median(starts), unit: 'ms', bare: median(nothings),
    promise: { most: 3.5 * median(nothings) },
    note: `worst of ${rounds}: ${Math.round(Math.max(...starts))} ms; the first after a build ${Math.round(first.startedInMs)} ms; bare: node -e 0`
  })

  const service = await startService({ home, entry, nodeOptions })
  const hostPid = await service.hostPid()
  await delay(restMs)
  report.add({ measure: 'idle memory, web tier', value: residentMib(service.pid), unit: 'MiB', bare: bareMib, promise: { most: 100 } })
  report.add({ measure: 'idle memory, host', value: residentMib(hostPid), unit: 'MiB', bare: bareMib, promise: { most: 90 } })
  await service.stop()
}

/** Returns how long `node -e 0` takes, in ms. */
async function runNothing (): Promise<number> {
  const startMs = performance.now()
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit')
  return performance.now() - startMs
}

async function startBareNode () {
  const port = await freePort()
  const child = spawn(process.execPath, ['-e', `require('node:http').createServer((q, r) => r.end('{}')).listen(${port}, '127.0.0.1')`], {
    stdio: 'ignore'
  })
  await firstAnswer(`http://127.0.0.1:${port}/`, child)
  return { pid: child.pid!, stop: () => child.kill('SIGKILL') }
}
