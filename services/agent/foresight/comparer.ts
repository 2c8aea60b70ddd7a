import { asset, fromSource } from '../../ground/assets.js'
import { createGuardedThread } from '../guarded-thread.js'
import { type Compared, type CompareOrder } from './compare.js'

/** Compares files; null also if that took too long. Never rejects. */
export type Comparer = (order: CompareOrder, signal: AbortSignal) => Promise<Compared>

const usualLimitMs = 2_000
/** Threads cannot run the source, only what was built from it. */
const ownEntry = fromSource ? 'dist/services/agent/foresight/thread.js' : 'services/agent/foresight/thread.js'

/** Compares in this thread; the module is loaded on first use. */
export const compareHere: Comparer = async (order) => (await import('./compare.js')).compare(order)

/** Compares in a thread of its own, for a limited time, because files may be crafted to be slow to compare. */
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
