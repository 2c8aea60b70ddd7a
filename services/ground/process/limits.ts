import { totalmem } from 'node:os'
import { processTree } from './tree.js'

/** What all processes of a confined command may use together. */
export interface CommandLimits {
  memoryBytes: number
  /** Processes and threads. */
  processes: number
}

const defaultProcesses = 4_096
const leastMemoryBytes = 1024 ** 3

/** Half of the machine's memory, and more threads than a large build has. */
export const defaultLimits = (): CommandLimits => ({
  memoryBytes: Math.max(leastMemoryBytes, Math.floor(totalmem() / 2)), processes: defaultProcesses
})

/** Most commands are over by then, and are never looked at. */
const firstLookMs = 500
const lookEveryMs = 500
const pageBytes = 4_096

/**
 * Counts what `pid` and everything below it uses, and calls `exceeded` when it is too much. Inside the sandbox nothing can
 * leave the tree: who loses its parent gets the sandbox's own first process. Returns the function that ends the watch.
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
 * Shell code that runs what follows it as arguments, inside the sandbox, with no more processes than allowed. The watch is
 * what counts; this slows down what multiplies faster than it looks.
 */
export const limiting = ({ processes }: CommandLimits): string =>
  `ulimit -u ${processes} 2>/dev/null || ulimit -p ${processes} 2>/dev/null; exec "$0" "$@"`
