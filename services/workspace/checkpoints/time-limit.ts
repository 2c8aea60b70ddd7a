import { timeLimit } from '../../ground/time/time-limit.js'
import { type Plumbing } from './plumbing.js'

/** Runs `work`, and aborts it after `limitMs` or when the service stops. Rejects with SnapshotFailed in both cases. */
export type Limited = <T>(limitMs: number, work: (signal: AbortSignal) => Promise<T>) => Promise<T>

export function createLimited (plumbing: Plumbing, stopping: AbortSignal): Limited {
  return async (limitMs, work) => {
    const { signal, clear } = timeLimit(limitMs, [stopping])
    try {
      return await work(signal)
    } catch (error) {
      throw error === signal.reason ? plumbing.interrupted(signal) : error
    } finally {
      clear()
    }
  }
}
