import { asset, fromSource } from '../../ground/assets.js'
import { createGuardedThread } from '../guarded-thread.js'
import { type CommandReading, Findings } from './findings.js'
import { type CommandOrder, readOrder } from './shell/reading.js'
import { reason } from '../../../reasons/index.js'

/**
 * Finds out what a command line does, for the run with that id. Never rejects: for a command that cannot be read, permission is asked for.
 * Aborting `signal` abandons the work, because the result is no longer needed.
 */
export type CommandReader = (order: CommandOrder, runId: string, signal: AbortSignal) => Promise<CommandReading>

/** Reads commands in this thread: only the budget keeps a command from blocking it. */
export const readHere: CommandReader = async (order) => readOrder(order)

export interface CommandReaderOptions {
  /** Entry of the thread; default: the policy's own. */
  entry?: string
  limitMs?: number
  /** Called for each command that could not be read, with the id of its run. */
  log?: (message: string) => void
}

/** Many times as long as the largest budget takes, even on a busy machine and with the start of the thread included. */
const usualLimitMs = 10_000
/** Threads cannot run the source, only what was built from it. */
const ownEntry = fromSource ? 'dist/services/agent/policy/thread.js' : 'services/agent/policy/thread.js'

/**
 * Reads commands in a thread of its own, one after the other. Work that the budget fails to limit, or cannot count (a dead network drive
 * under a path), then delays one command instead of all turns of the agent: the thread is ended, permission is asked for the command,
 * and the next one gets a new thread.
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
