import { asset, fromSource } from '../../ground/assets.js'
import { createGuardedThread } from '../guarded-thread.js'
import { type Compared, type CompareOrder } from './compare.js'

/** Null also when it took too long. Never rejects. */
export type Comparer = (order: CompareOrder, signal: AbortSignal) => Promise<Compared>

const usualLimitMs = 2_000
/** The source is not for threads to run: what was built from it is. */
const ownEntry = fromSource ? 'dist/services/agent/foresight/thread.js' : 'services/agent/foresight/thread.js'

/** In this thread, loaded when it is needed. */
export const compareHere: Comparer = async (order) => (await import('./compare.js')).compare(order)

/** In a thread of its own, for a limited time: files may be made to be hard to compare. */
export function createComparer ({
  entry = asset(ownEntry), limitMs = usualLimitMs, log = () => {}
}: { entry?: string, limitMs?: number, log?: (message: string) => void } = {}): Comparer {
  const compareThere = createGuardedThread<CompareOrder, Compared>({
    entry, limitMs, log: (message) => log(`the thread that compares files failed: ${message}`)
  })
  return async (order, signal) => {
    const done = await compareThere(order, signal)
    return 'result' in done ? done.result : null
  }
}
