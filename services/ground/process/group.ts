import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { watchLimits, type CommandLimits } from './limits.js'
import { markedProcesses, markVariable, readProcess, runningProcesses, signalProcess, type ProcessEntry } from './processes.js'

export interface GroupOptions {
  cwd: string
  env: Record<string, string>
  signal: AbortSignal
  timeoutMs: number
  /** Also ends processes that have left the group (setsid), where the system can tell. They are known by a variable of their environment. */
  strays?: boolean
  /** What their mark begins with: names whose command it is. */
  mark?: string
  /** What it may use, with all it starts. */
  limits?: CommandLimits
  /** Ends the group by SIGKILL alone, and says nothing of it: for a program that takes its children with it. */
  abruptly?: boolean
  /** Receives output as it comes; answering false ends the group early. */
  onStdout (chunk: Buffer): boolean
  onStderr? (chunk: Buffer): void
}

export interface GroupOutcome {
  exitCode: number | null
  killedBy: NodeJS.Signals | null
  /** `memory` and `processes`: it used more than its limits allow. */
  ended: 'exit' | 'timeout' | 'abort' | 'enough' | 'memory' | 'processes'
  /** The program itself had ended, but processes it had started were still running and were stopped. */
  stoppedOthers: boolean
}

/** How long a process may take to end on its own after SIGTERM. */
const graceMs = 1500
const longestPauseMs = 100
/** How long output is awaited after the program's end; a grandchild may hold the pipe open for ever. */
const drainMs = 250

/** What runs now, by the leader of its group. */
const running = new Map<number, { mark: string | null, startTicks: number }>()

/**
 * Runs a program as the leader of its own process group and leaves nothing of the group behind, however it ends: on
 * exit, time limit or abort the group gets SIGTERM, then SIGKILL; with `strays` so do those who left it. Standard input
 * is empty. Rejects only when the program cannot be started.
 */
export async function runGroup (file: string, args: string[], options: GroupOptions): Promise<GroupOutcome> {
  const { cwd, env, signal, timeoutMs, onStdout, onStderr } = options
  let ended: GroupOutcome['ended'] = 'exit'
  if (signal.aborted) return { exitCode: null, killedBy: null, ended: 'abort', stoppedOthers: false }

  const mark = options.strays === true && process.platform === 'linux' ? `${options.mark ?? ''}${randomUUID()}` : null
  const child = spawn(file, args, { cwd, env: mark === null ? env : { ...env, [markVariable]: mark }, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const startTicks = mark === null || child.pid === undefined ? 0 : readProcess(child.pid)?.startTicks ?? 0
  if (child.pid !== undefined) running.set(child.pid, { mark, startTicks })
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
  const unwatch = options.limits === undefined || child.pid === undefined ? () => {} : watchLimits(child.pid, options.limits, stop)
  child.stdout.on('data', (chunk: Buffer) => { if (!onStdout(chunk)) stop('enough') })
  child.stderr.on('data', (chunk: Buffer) => { onStderr?.(chunk) })

  try {
    const outcome = await exit
    clearTimeout(limit)
    unwatch()
    await Promise.race([closed, delay(drainMs, undefined, { ref: false })])
    const pid = child.pid as number
    const leftBehind = stopping === null && options.abruptly !== true && someoneRuns(pid)
    await (stopping ?? endGroup(pid, options))
    const strayed = mark !== null && await endStrays(mark, startTicks)
    return { ...outcome, ended, stoppedOthers: ended === 'exit' && (leftBehind || strayed) }
  } finally {
    if (child.pid !== undefined) running.delete(child.pid)
    clearTimeout(limit)
    unwatch()
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
      for (const stray of strays) signalProcess(stray, signal)
      await delay(pauseMs)
    }
  }
  return some
}

/** Growing, as most processes end at once; together the time of grace. */
function * pauses (): Generator<number> {
  for (let [totalMs, pauseMs] = [0, 1]; totalMs < graceMs; totalMs += pauseMs, pauseMs = Math.min(pauseMs * 2, longestPauseMs)) yield pauseMs
}

/** Only what was started since: whoever is older cannot carry the mark, and need not be asked. */
async function marked (mark: string, startTicks: number): Promise<ProcessEntry[]> {
  return await markedProcesses(mark, runningProcesses()?.filter((found) => found.startTicks >= startTicks) ?? [])
}

/** Resolves when no group runs any more, or after a while. */
export async function groupsEnd (limitMs: number): Promise<void> {
  for (const startedMs = performance.now(); running.size > 0 && performance.now() - startedMs < limitMs;) await delay(10)
}

/** Ends every group that runs, and who has left one, at once and by SIGKILL: for a process that has no more time. */
export async function killGroups (): Promise<void> {
  const groups = [...running]
  for (const [pid] of groups) signalGroup(pid, 'SIGKILL')
  await Promise.all(groups.map(async ([, { mark, startTicks }]) => {
    if (mark !== null) for (const stray of await marked(mark, startTicks)) signalProcess(stray, 'SIGKILL')
  }))
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
