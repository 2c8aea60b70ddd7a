import { setTimeout as delay } from 'node:timers/promises'
import { codeOf } from '../errors.js'
import { runningProcesses } from './processes.js'

const longestPauseMs = 100

/** Sends a signal to every process of a group. Returns false if none is left. */
export function signalGroup (group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-group, signal)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM' // it is alive, under another user
  }
}

/**
 * Whether any process of a group runs. One that has ended stays in its group until its parent reaps it, which may never happen in a
 * container, so it does not count.
 */
export function someoneRuns (group: number): boolean {
  return signalGroup(group, 0) && (runningProcesses()?.some((found) => found.group === group) ?? true)
}

/**
 * Ends a group: SIGTERM, then SIGKILL for what is left after `graceMs`; only SIGKILL if `abruptly`. Resolves when none is left, or nothing
 * helps.
 */
export async function endGroup (group: number, { graceMs, abruptly = false }: { graceMs: number, abruptly?: boolean }): Promise<void> {
  for (const signal of abruptly ? ['SIGKILL'] as const : ['SIGTERM', 'SIGKILL'] as const) {
    if (!signalGroup(group, signal)) return
    for (const pauseMs of pauses(graceMs)) {
      if (!someoneRuns(group)) return
      await delay(pauseMs)
    }
  }
}

/** Yields growing pauses, because most processes end at once. Together they last as long as the grace period. */
export function * pauses (graceMs: number): Generator<number> {
  for (let [totalMs, pauseMs] = [
    0, 1
  ]; totalMs < graceMs; totalMs += pauseMs, pauseMs = Math.min(pauseMs * 2, longestPauseMs)) yield pauseMs
}
