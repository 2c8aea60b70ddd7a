import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { tried } from '../tried.js'

export interface ProcessEntry {
  pid: number
  parent: number
  group: number
  session: number
  threads: number
  /** Start time in ticks since the machine booted. Together with `pid` it identifies one process, and no later one. */
  startTicks: number
  /** Its memory in pages, including shared ones. */
  residentPages: number
  /** Whether it is stopped by a signal. */
  isStopped: boolean
}

/** Every process of a command, and every host, inherits this variable. A process that was given another environment is not found by it. */
export const markVariable = 'AGENT_COMMAND_ID'
/** The end of a host's mark. */
export const hostMark = 'host'

/**
 * Returns all processes that run; null if the system does not list them. Synchronous, because /proc is memory, and awaiting each file would
 * cost more.
 */
export const runningProcesses = (): ProcessEntry[] | null =>
  tried(() => readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(readProcess).filter((found) => found !== null), null)

/** Longer than any line of /proc/<pid>/stat. */
const statBytes = Buffer.alloc(4096)

/** Read with a fixed buffer, because the file has no size of its own: reading it whole would take 64 KB for each process. */
function readStat (pid: string | number): string {
  const descriptor = openSync(`/proc/${pid}/stat`, 'r')
  try {
    return statBytes.toString('latin1', 0, readSync(descriptor, statBytes))
  } finally {
    closeSync(descriptor)
  }
}

/** Returns null for a process that has ended, whether it was reaped or not. */
export function readProcess (pid: string | number): ProcessEntry | null {
  try {
    const stat = readStat(pid)
    // pid (name) state ppid pgrp session … threads (20th) … starttime (22nd) vsize rss …; the name may hold anything, also parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (fields[0] === 'Z' || fields[0] === 'X') return null
    const at = (index: number): number => Number(fields[index])
    return {
      pid: Number(pid), parent: at(1), group: at(2), session: at(3), threads: at(17), startTicks: at(19), residentPages: at(21),
      isStopped: /^t$/i.test(fields[0] ?? '')
    }
  } catch {
    return null
  }
}

export interface MarkedProcess extends ProcessEntry { mark: string }

const markPattern = new RegExp(`(?:^|\\0)${markVariable}=([^\\0]*)`)

/** Returns the processes whose mark begins with `prefix`. */
export async function markedProcesses (prefix: string, processes = runningProcesses() ?? []): Promise<MarkedProcess[]> {
  const found = await Promise.all(processes.map(async (entry) => {
    // Unreadable for a process of another user. Unlike the rest of /proc, this may block for a process that is stuck.
    const environment = await readFile(`/proc/${entry.pid}/environ`, 'latin1').catch(() => '')
    const mark = markPattern.exec(environment)?.[1]
    return mark?.startsWith(prefix) === true ? { ...entry, mark } : null
  }))
  return found.filter((entry) => entry !== null)
}

/**
 * Returns the number that a command with this mark may carry as its limit of file locks (`/proc/<pid>/limits`), because it cannot remove
 * such a limit. The mark ends with random hexadecimal digits.
 */
export const numberOf = (mark: string): number => Number.parseInt(mark.slice(-12), 16)

/** Returns the processes that carry a number as their limit of file locks. */
export function numberedProcesses (number: number, processes = runningProcesses() ?? []): ProcessEntry[] {
  return processes.filter(({ pid }) => {
    return tried(() => Number(/^Max file locks +\d+ +(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'latin1'))?.[1]) === number, false)
  })
}

/** Sends a signal to a process, unless its id now belongs to another process. */
export function signalProcess ({ pid, startTicks }: Pick<ProcessEntry, 'pid' | 'startTicks'>, signal: NodeJS.Signals): void {
  if (readProcess(pid)?.startTicks !== startTicks) return
  try {
    process.kill(pid, signal)
  } catch {} // it has just ended, or belongs to another user
}

const rounds = 50
const pauseMs = 20

/**
 * Kills the processes whose mark begins with `prefix`, except those that `isSpared` selects, and all processes in the sessions of such
 * commands, until there are none. Processes of other users stay. Never rejects. Returns how many were killed.
 */
export async function killMarked (prefix: string, isSpared: (mark: string) => boolean = () => false): Promise<number> {
  const killed = new Set<string>()
  for (let round = 0; round < rounds; round++) {
    const processes = runningProcesses() ?? []
    const found = (await markedProcesses(prefix, processes)).filter(({ mark, pid }) => !isSpared(mark) && pid !== process.pid)
    if (found.length === 0) break
    // A command has a session of its own: all processes in it belong to the command, marked or not. A host is in the service's session.
    const pids = new Set(found.map(({ pid }) => pid))
    const sessions = new Set(
      found.filter(({ mark, session }) => !mark.endsWith(`.${hostMark}`) && session > 1).map(({ session }) => session)
    )
    for (const entry of processes) {
      if (!pids.has(entry.pid) && !sessions.has(entry.session)) continue
      killed.add(`${entry.pid}:${entry.startTicks}`)
      signalProcess(entry, 'SIGKILL')
    }
    await delay(pauseMs)
  }
  return killed.size
}

/** Kills the processes that carry a number as their limit of file locks, until there are none. Never rejects. */
export async function killNumbered (number: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const found = numberedProcesses(number)
    if (found.length === 0) return
    for (const entry of found) signalProcess(entry, 'SIGKILL')
    await delay(pauseMs)
  }
}
