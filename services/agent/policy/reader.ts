import { asset, fromSource } from '../../ground/assets.js'
import { createGuardedThread } from '../guarded-thread.js'
import { type CommandReading, Findings } from './findings.js'
import { type CommandOrder, readOrder } from './shell/reading.js'
import { reason } from '../../../reasons/index.js'

/**
 * Finds out what a command line does, for the run with that id. Never rejects: what cannot be read is asked about. Once
 * `signal` is aborted nobody wants to know any more.
 */
export type CommandReader = (order: CommandOrder, runId: string, signal: AbortSignal) => Promise<CommandReading>

/** In this thread: nothing but the budget keeps a command from holding it up. */
export const readHere: CommandReader = async (order) => readOrder(order)

export interface CommandReaderOptions {
  /** Entry of the thread; default: the policy's own. */
  entry?: string
  limitMs?: number
  /** Hears of commands that could not be read, each with the run that it is of. */
  log?: (message: string) => void
}

/** Many times what the largest budget takes, also on a busy machine and with the thread still to be started. */
const usualLimitMs = 10_000
/** The source is not for threads to run: what was built from it is. */
const ownEntry = fromSource ? 'dist/services/agent/policy/thread.js' : 'services/agent/policy/thread.js'

/**
 * Reads commands in a thread of its own, one after the other. What the budget is meant to make impossible, and what it
 * cannot count (a dead network drive under a path), then holds up one command and not the agent with all its turns: the
 * thread is ended, the command is asked about, and the next one gets a new thread.
 */
export function createCommandReader ({
  entry = asset(ownEntry), limitMs = usualLimitMs, log = () => {}
}: CommandReaderOptions = {}): CommandReader {
  const read = createGuardedThread<CommandOrder, CommandReading>({
    entry, limitMs, log: (message) => log(`the thread that reads commands failed: ${message}`)
  })
  return async (order, runId, signal) => {
    const done = await read(order, signal)
    if ('result' in done) return done.result
    if (!signal.aborted) {
      log(
        `a command of the run ${runId} could not be read: ${done.isLate ? `it took longer than ${limitMs / 1_000} s` : String(done.error)}`
      )
    }
    return unread()
  }
}

function unread (): CommandReading {
  const findings = new Findings()
  findings.giveUp(reason('took_too_long'))
  return findings.result()
}
