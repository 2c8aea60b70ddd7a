import { setTimeout as delay } from 'node:timers/promises'
import { runningProcesses, signalProcess, type ProcessEntry } from './processes.js'

const rounds = 100
const pauseMs = 5

/** Returns a process and all its descendants, except those whose parent has ended before them. */
export function processTree (pid: number): ProcessEntry[] {
  const all = runningProcesses() ?? []
  const children = new Map<number, ProcessEntry[]>()
  for (const entry of all) {
    const siblings = children.get(entry.parent)
    if (siblings === undefined) children.set(entry.parent, [entry])
    else siblings.push(entry)
  }
  const tree = all.filter((entry) => entry.pid === pid)
  for (const { pid: parent } of tree) tree.push(...children.get(parent) ?? [])
  return tree
}

/**
 * Stops a process and all its descendants (SIGSTOP). Resolves with whether all have stopped, because a process that waits for its disk does
 * not stop at once. No process leaves the tree of one that has a PID namespace of its own.
 */
export async function stopTree (pid: number): Promise<boolean> {
  // A process that was being created during one listing is in the next.
  for (let round = 0, still = 0; round < rounds; round++) {
    const moving = processTree(pid).filter(({ isStopped }) => !isStopped)
    still = moving.length === 0 ? still + 1 : 0
    if (still === 2) return true
    for (const entry of moving) signalProcess(entry, 'SIGSTOP')
    if (moving.length > 0) await delay(pauseMs)
  }
  return false
}

/** Continues the stopped processes. */
export function continueTree (pid: number): void {
  for (const entry of processTree(pid)) signalProcess(entry, 'SIGCONT')
}
