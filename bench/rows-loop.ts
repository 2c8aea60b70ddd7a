import { join } from 'node:path'
import { seedLarge } from '../test/support/large-sessions.js'
import { createLoopWatch, watchedBy } from '../test/support/loop-watch.js'
import { type Bench } from './context.js'
import { loopCases } from './loop-cases.js'
import { startEndpoint, startService } from './processes.js'
import { workspaceOf } from './seed.js'

const most = 50

/**
 * Measures how long one request or answer blocks everything else: the longest time that the event loop was blocked, in CPU
 * time of its thread.
 */
export async function loopRows (bench: Bench): Promise<void> {
  const home = join(bench.home, 'large')
  const large = seedLarge(home, workspaceOf(home), { hostileChars: 5_000_000, messages: 100_000, answers: 5_000, sessions: 20_000 })
  const watchFile = join(home, 'watch')
  const endpoint = await startEndpoint(0)
  const service = await startService({ ...bench, home, modelUrl: endpoint.url, variables: watchedBy(watchFile, bench.isProfiled) })
  try {
    const longest = createLoopWatch(service.pid, watchFile)
    await longest()
    for (const [measure, work] of loopCases(service, large, bench.quick)) {
      if (bench.match !== undefined && !bench.match.split('|').some((part) => measure.includes(part))) continue
      await longest()
      const startMs = performance.now()
      const status = await work()
      const { ms, where } = await longest()
      bench.report.add({
        measure, value: ms, unit: 'ms', promise: { most },
        note: `${status === undefined ? '' : `${status}, `}${Math.round(performance.now() - startMs)} ms in all`
      })
      if (where !== undefined) console.log(where)
    }
  } finally {
    await service.stop()
    endpoint.stop()
  }
}
