import { type Piscina } from 'piscina'
import { asset, fromSource } from '../assets.js'
import * as domain from '../errors.js'
import { codeOf } from '../errors.js'
import { timeLimit } from '../time/time-limit.js'
import { createLane } from '../concurrency/lane.js'
import { once } from '../concurrency/once.js'
import { type Kind, type Kinds, type Order, type Outcome, type TaskInput, type TaskName, type TaskResult } from './tasks.js'
import { type Log } from '../log.js'

export interface Workers {
  /**
   * Runs a task in a worker thread. Rejects with the task's own error, and with Unavailable if it takes longer than allowed (`timeout`),
   * needs more memory than a thread has (`too_large`) or waits too long for a free thread (`busy`). The time counts from its start. A
   * thread that exceeds a limit is ended, whatever it was doing.
   */
  run<Name extends TaskName> (task: Name, input: TaskInput<Name>, options?: { timeoutMs?: number }): Promise<TaskResult<Name>>
  close (): Promise<void>
}

/** How many tasks of each kind run at once: slow tasks never delay those that a person waits for. */
const widths: Record<Kind, number> = { quick: 2, searching: 1, showing: 1, keeping: 1, bringing: 1, long: 1 }
const waitMs = 60_000
/** Idle threads end after this time, so that an idle service does not pay for them. */
const idleMs = 60_000
const usualLimitMs = 30_000
const memoryLimitMb = 256

/** In development the threads run the build, because the loader that runs the service does not work inside them. */
const isDevelopment = fromSource && process.execArgv.some((option) => option.includes('/tsx/'))
const entry = !fromSource ? 'services/threads/main.js' : isDevelopment ? 'dist/services/threads/main.js' : 'services/threads/main.ts'

export interface WorkersOptions {
  kinds: Kinds
  /** Called for threads that fail outside of a task. */
  log?: Log
}

/** Creates worker threads, which start when there is something to do. */
export function createWorkers ({ kinds, log = () => {} }: WorkersOptions): Workers {
  const lanes = {
    quick: createLane(widths.quick, waitMs),
    searching: createLane(widths.searching, waitMs),
    showing: createLane(widths.showing, waitMs),
    keeping: createLane(widths.keeping, waitMs),
    bringing: createLane(widths.bringing, waitMs),
    long: createLane(widths.long, waitMs)
  }

  async function open (): Promise<Piscina> {
    const { Piscina } = await import('piscina')
    const threadPool = new Piscina({
      filename: asset(entry),
      minThreads: 0,
      // As many as may run at once, so that the pool's own queue, which stalls when threads die, is never used.
      maxThreads: Object.values(widths).reduce((sum, width) => sum + width, 0),
      idleTimeout: idleMs,
      concurrentTasksPerWorker: 1,
      // Recording takes 700 KB, and nothing reads it.
      recordTiming: false,
      // Threads get nothing of the service's environment and options, except where the loader of the sources needs them.
      ...(entry.endsWith('.ts') ? {} : { env: {}, execArgv: [] }),
      resourceLimits: { maxOldGenerationSizeMb: memoryLimitMb }
    })
    // Without a listener, an error would end the process.
    threadPool.on('error', (error) => log('a worker thread failed', { reason: String(error) }))
    return threadPool
  }
  const pool = once(open)

  return {
    async run (task, input, { timeoutMs = usualLimitMs } = {}) {
      const leave = await lanes[kinds[task]]()
      const limit = timeLimit(timeoutMs)
      let outcome: Outcome
      try {
        const order: Order = { task, input }
        outcome = await (await pool()).run(order, { signal: limit.signal }) as Outcome
      } catch (error) {
        if (limit.signal.aborted) throw new domain.Unavailable(`This took longer than ${timeoutMs / 1_000} s and was given up`, 'timeout')
        if (codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY') {
          throw new domain.Unavailable('This needs more memory than the service gives it', 'too_large')
        }
        throw error
      } finally {
        limit.clear()
        leave()
      }
      if ('result' in outcome) return outcome.result as TaskResult<typeof task>
      throw revived(outcome.failure)
    },
    async close () {
      const opened = await pool.begun()?.catch(() => undefined)
      pool.forget()
      await opened?.destroy()
    }
  }
}

function revived ({ kind, message, code, details }: Extract<Outcome, { failure: unknown }>['failure']): domain.DomainError {
  const types = domain as unknown as Record<string, typeof domain.DomainError>
  return new (types[kind] ?? domain.DomainError)(message, code, details)
}
