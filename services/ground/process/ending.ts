import { setTimeout as delay } from 'node:timers/promises'
import { codeOf } from '../errors.js'
import { runningProcesses } from './processes.js'

const longestPauseMs = 100

/** Sends a signal to every process of a group. False when none is left. */
export function signalGroup (group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-group, signal)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM' // it lives, under another user
  }
}

/** A process that has ended counts as part of its group until its parent collects it, which may never happen in a container. */
export function someoneRuns (group: number): boolean {
  return signalGroup(group, 0) && (runningProcesses()?.some((found) => found.group === group) ?? true)
}

/**
 * Ends a group: SIGTERM, and SIGKILL for what is still there after `graceMs`; `abruptly` by SIGKILL alone. Resolves when
 * nobody of it is left, or nothing helps.
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

/** Growing, as most processes end at once; together the time of grace. */
export function * pauses (graceMs: number): Generator<number> {
  for (let [totalMs, pauseMs] = [
    0, 1
  ]; totalMs < graceMs; totalMs += pauseMs, pauseMs = Math.min(pauseMs * 2, longestPauseMs)) yield pauseMs
}
