import { totalmem } from 'node:os'
import { processTree } from './tree.js'

/** What all processes of a confined command together may use. */
export interface CommandLimits {
  memoryBytes: number
  /** Processes and threads. */
  processes: number
}

const defaultProcesses = 4_096
const leastMemoryBytes = 1024 ** 3

/** Returns half of the machine's memory, at least 1 GiB, and more threads than a large build has. */
export const defaultLimits = (): CommandLimits => ({
  memoryBytes: Math.max(leastMemoryBytes, Math.floor(totalmem() / 2)), processes: defaultProcesses
})

/** Most commands end before this and are never checked. */
const firstLookMs = 500
const lookEveryMs = 500
const pageBytes = 4_096

/**
 * Measures what `pid` and all its descendants use, and calls `exceeded` if it is too much. Inside the sandbox no process can leave the
 * tree: an orphan gets the sandbox's first process as its parent. Returns a function that ends the watch.
 */
export function watchLimits (
  pid: number, { memoryBytes, processes }: CommandLimits, exceeded: (what: 'memory' | 'processes') => void
): () => void {
  let timer = setTimeout(look, firstLookMs)
  function look (): void {
    const { pages, threads } = usageBelow(pid)
    if (pages * pageBytes > memoryBytes) return exceeded('memory')
    if (threads > processes) return exceeded('processes')
    timer = setTimeout(look, lookEveryMs)
  }
  return () => clearTimeout(timer)
}

function usageBelow (pid: number): { pages: number, threads: number } {
  const tree = processTree(pid)
  const sum = (of: 'residentPages' | 'threads'): number => tree.reduce((total, entry) => total + entry[of], 0)
  return { pages: sum('residentPages'), threads: sum('threads') }
}

/**
 * Returns shell code that runs its arguments, inside the sandbox, with no more processes than allowed. The watch enforces the limit; this
 * only slows down programs that multiply faster than it checks.
 */
export const limiting = ({ processes }: CommandLimits): string =>
  `ulimit -u ${processes} 2>/dev/null || ulimit -p ${processes} 2>/dev/null; exec "$0" "$@"`
