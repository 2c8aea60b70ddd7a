import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

export interface GroupOptions {
  cwd: string
  env: Record<string, string>
  signal: AbortSignal
  timeoutMs: number
  /** Also ends processes that have left the group (setsid), where the system can tell. They are known by a variable of their environment. */
  strays?: boolean
  /** Ends the group by SIGKILL alone, and says nothing of it: for a program that takes its children with it. */
  abruptly?: boolean
  /** Receives output as it comes; answering false ends the group early. */
  onStdout (chunk: Buffer): boolean
  onStderr? (chunk: Buffer): void
}

export interface GroupOutcome {
  exitCode: number | null
  killedBy: NodeJS.Signals | null
  ended: 'exit' | 'timeout' | 'abort' | 'enough'
  /** The program itself had ended, but processes it had started were still running and were stopped. */
  stoppedOthers: boolean
}

/** How long a process may take to end on its own after SIGTERM. */
const graceMs = 1500
const longestPauseMs = 100
/** How long output is awaited after the program's end; a grandchild may hold the pipe open for ever. */
const drainMs = 250
/** Every process a command starts inherits it. One that was given another environment is not found by it. */
const markVariable = 'AGENT_COMMAND_ID'

/**
 * Runs a program as the leader of its own process group and leaves nothing of the group behind, however it ends: on
 * exit, time limit or abort the group gets SIGTERM, then SIGKILL; with `strays` so do those who left it. Standard input
 * is empty. Rejects only when the program cannot be started.
 */
export async function runGroup (file: string, args: string[], options: GroupOptions): Promise<GroupOutcome> {
  const { cwd, env, signal, timeoutMs, onStdout, onStderr } = options
  let ended: GroupOutcome['ended'] = 'exit'
  if (signal.aborted) return { exitCode: null, killedBy: null, ended: 'abort', stoppedOthers: false }

  const mark = options.strays === true && process.platform === 'linux' ? randomUUID() : null
  const child = spawn(file, args, { cwd, env: mark === null ? env : { ...env, [markVariable]: mark }, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const startTicks = mark === null ? 0 : readProcess(String(child.pid))?.startTicks ?? 0
  const closed = new Promise<void>((resolve) => child.once('close', () => { resolve() }))
  const exit = new Promise<{ exitCode: number | null, killedBy: NodeJS.Signals | null }>((resolve, reject) => {
    child.once('exit', (exitCode, killedBy) => { resolve({ exitCode, killedBy }) })
    child.once('error', reject)
  })

  let stopping: Promise<void> | null = null
  const stop = (why: GroupOutcome['ended']): void => {
    if (stopping !== null || child.pid === undefined) return
    ended = why
    stopping = endGroup(child.pid, options)
  }
  const onAbort = (): void => { stop('abort') }
  signal.addEventListener('abort', onAbort, { once: true })
  const limit = setTimeout(stop, timeoutMs, 'timeout')
  child.stdout.on('data', (chunk: Buffer) => { if (!onStdout(chunk)) stop('enough') })
  child.stderr.on('data', (chunk: Buffer) => { onStderr?.(chunk) })

  try {
    const outcome = await exit
    clearTimeout(limit)
    await Promise.race([closed, delay(drainMs, undefined, { ref: false })])
    const pid = child.pid as number
    const leftBehind = stopping === null && options.abruptly !== true && someoneRuns(pid)
    await (stopping ?? endGroup(pid, options))
    const strayed = mark !== null && await endStrays(mark, startTicks)
    return { ...outcome, ended, stoppedOthers: ended === 'exit' && (leftBehind || strayed) }
  } finally {
    clearTimeout(limit)
    signal.removeEventListener('abort', onAbort)
    child.stdout.destroy()
    child.stderr.destroy()
  }
}

async function endGroup (pid: number, { abruptly = false }: GroupOptions): Promise<void> {
  for (const signal of abruptly ? ['SIGKILL'] as const : ['SIGTERM', 'SIGKILL'] as const) {
    if (!signalGroup(pid, signal)) return
    for (const pauseMs of pauses()) {
      if (!someoneRuns(pid)) return
      await delay(pauseMs)
    }
  }
}

/** Ends the processes that carry the mark, all of them started at `startTicks` or later. True when there were any. */
async function endStrays (mark: string, startTicks: number): Promise<boolean> {
  let some = false
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    for (const pauseMs of pauses()) {
      const strays = await marked(mark, startTicks)
      if (strays.length === 0) return some
      some = true
      // Told again in every round: the one that was told may have started another meanwhile.
      for (const pid of strays) signalProcess(pid, signal)
      await delay(pauseMs)
    }
  }
  return some
}

/** Growing, as most processes end at once; together the time of grace. */
function * pauses (): Generator<number> {
  for (let [totalMs, pauseMs] = [0, 1]; totalMs < graceMs; totalMs += pauseMs, pauseMs = Math.min(pauseMs * 2, longestPauseMs)) yield pauseMs
}

async function marked (mark: string, startTicks: number): Promise<number[]> {
  const recent = runningProcesses()?.filter((found) => found.startTicks >= startTicks) ?? []
  const pids = await Promise.all(recent.map(async ({ pid }) => {
    // Not readable for a process of another user. Unlike the rest of /proc this may wait, for a process that is stuck.
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')
    return environment.includes(`${markVariable}=${mark}`) ? pid : null
  }))
  return pids.filter((pid) => pid !== null)
}

function signalProcess (pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {} // it has just ended
}

/** False when no process of the group is left. */
function signalGroup (pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-pid, signal)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' // it lives, under another user
  }
}

/** A process that has ended counts as part of its group until its parent collects it, which may never happen in a container. */
function someoneRuns (group: number): boolean {
  return signalGroup(group, 0) && (runningProcesses()?.some((found) => found.group === group) ?? true)
}

interface ProcessEntry { pid: number, group: number, startTicks: number }

/** Null where the system does not list its processes. Read at once: /proc is memory, and waiting for each file costs more. */
function runningProcesses (): ProcessEntry[] | null {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(readProcess).filter((found) => found !== null)
  } catch {
    return null
  }
}

/** Null for a process that has ended, collected or not. */
function readProcess (pid: string): ProcessEntry | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // pid (name) state ppid pgrp … starttime …; the name may hold anything, also parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' || fields[0] === 'X' ? null : { pid: Number(pid), group: Number(fields[2]), startTicks: Number(fields[19]) }
  } catch {
    return null
  }
}
