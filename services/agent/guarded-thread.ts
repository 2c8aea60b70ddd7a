import { type Piscina } from 'piscina'
import { createLane } from '../ground/concurrency/lane.js'
import { once } from '../ground/concurrency/once.js'
import { timeLimit } from '../ground/time/time-limit.js'

/** The outcome of a task: its result, or the error; `isLate` if the time was up. */
export type Guarded<Result> = { result: Result } | { error: unknown, isLate: boolean }

const idleMs = 60_000
/** Tasks wait as long as it takes, however many there are. */
const longestWaitMs = 2 ** 31 - 1
const memoryLimitMb = 128

/**
 * Does tasks in a thread of its own, one after the other, each in a limited time. A task that blocks affects nothing else: the thread is
 * ended, and the next task gets a new one. Never rejects.
 *
 * @param entry the thread's script; its default export does the tasks
 * @param log called for threads that fail
 */
export function createGuardedThread<Order, Result> ({
  entry, limitMs, log
}: { entry: string, limitMs: number, log: (message: string) => void }) {
  const enter = createLane(1, longestWaitMs)

  async function open (): Promise<Piscina<Order, Result>> {
    const { Piscina } = await import('piscina')
    const threads = new Piscina<Order, Result>({
      filename: entry, minThreads: 0, maxThreads: 1, idleTimeout: idleMs, concurrentTasksPerWorker: 1, env: {}, execArgv: [],
      recordTiming: false, // it would take 700 KB
      resourceLimits: { maxOldGenerationSizeMb: memoryLimitMb }
    })
    // Without a listener, an error would end the process.
    threads.on('error', (error) => log(String(error)))
    return threads
  }
  const pool = once(open)

  return async (order: Order, signal: AbortSignal): Promise<Guarded<Result>> => {
    const leave = await enter()
    const limit = timeLimit(limitMs, [signal])
    try {
      return { result: await (await pool()).run(order, { signal: limit.signal }) }
    } catch (error) {
      return { error, isLate: limit.signal.aborted }
    } finally {
      limit.clear()
      leave()
    }
  }
}
