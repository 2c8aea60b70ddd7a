import { spawn } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

export interface GroupOptions {
  cwd: string
  env: Record<string, string>
  signal: AbortSignal
  timeoutMs: number
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
const pollMs = 20
/** How long output is awaited after the program's end; a grandchild may hold the pipe open for ever. */
const drainMs = 250

/**
 * Runs a program as the leader of its own process group and leaves nothing of the group behind, however it ends: on
 * exit, time limit or abort the group gets SIGTERM, then SIGKILL. Standard input is empty. Rejects only when the program
 * cannot be started.
 */
export async function runGroup (file: string, args: string[], options: GroupOptions): Promise<GroupOutcome> {
  const { cwd, env, signal, timeoutMs, onStdout, onStderr } = options
  let ended: GroupOutcome['ended'] = 'exit'
  if (signal.aborted) return { exitCode: null, killedBy: null, ended: 'abort', stoppedOthers: false }

  const child = spawn(file, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const closed = new Promise<void>((resolve) => child.once('close', () => { resolve() }))
  const exit = new Promise<{ exitCode: number | null, killedBy: NodeJS.Signals | null }>((resolve, reject) => {
    child.once('exit', (exitCode, killedBy) => { resolve({ exitCode, killedBy }) })
    child.once('error', reject)
  })

  let stopping: Promise<void> | null = null
  const stop = (why: GroupOutcome['ended']): void => {
    if (stopping !== null || child.pid === undefined) return
    ended = why
    stopping = endGroup(child.pid)
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
    const stoppedOthers = stopping === null && signalGroup(pid, 0) && await someoneRuns(pid)
    await (stopping ?? endGroup(pid))
    return { ...outcome, ended, stoppedOthers }
  } finally {
    clearTimeout(limit)
    signal.removeEventListener('abort', onAbort)
    child.stdout.destroy()
    child.stderr.destroy()
  }
}

async function endGroup (pid: number): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (!signalGroup(pid, signal)) return
    for (let waitedMs = 0; waitedMs < graceMs; waitedMs += pollMs) {
      await delay(pollMs)
      if (!signalGroup(pid, 0)) return
      if (waitedMs % (pollMs * 5) === 0 && !await someoneRuns(pid)) return
    }
  }
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
async function someoneRuns (group: number): Promise<boolean> {
  const pids = await readdir('/proc').catch(() => null)
  if (pids === null) return true
  for (const pid of pids) {
    if (!/^\d+$/.test(pid)) continue
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
    // pid (name) state ppid pgrp …; the name may hold anything, also parentheses.
    const [state, , processGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (Number(processGroup) === group && state !== 'Z' && state !== 'X') return true
  }
  return false
}
