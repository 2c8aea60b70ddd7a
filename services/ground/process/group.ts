import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { endGroup, pauses, signalGroup, someoneRuns } from './ending.js'
import { watchLimits, type CommandLimits } from './limits.js'
import {
  markedProcesses, markVariable, numberedProcesses, numberOf, readProcess, runningProcesses, signalProcess, type ProcessEntry
} from './processes.js'
import { RunningProgram, usualGraceMs, type Ending, type Exit, type OutputListeners, type ProgramOptions } from './program.js'

/** Output may end the group early (`enough`). */
export interface GroupOptions extends Pick<ProgramOptions, 'cwd' | 'env' | 'timeoutMs' | 'abruptly'>, OutputListeners {
  signal: AbortSignal
  /**
   * Also ends processes that have left the group (setsid), where the system can tell. They are known by a variable of their environment.
   */
  strays?: boolean
  /** What their mark begins with: names whose command it is. */
  mark?: string
  /** The variable in which the program is told the number by which strays are known as well; it sets its limit of file locks to that. */
  numberIn?: string
  /** What it may use, with all it starts. */
  limits?: CommandLimits
}

export interface GroupOutcome extends Exit {
  ended: Ending
  /** The program itself had ended, but processes it had started were still running and were stopped. */
  stoppedOthers: boolean
}

/** How long output is awaited after the program's end; a grandchild may hold the pipe open for ever. */
const drainMs = 250

/** What runs now, by the leader of its group. */
const running = new Map<number, Command>()

interface Command { mark: string | null, startTicks: number, isNumbered: boolean }

/**
 * Runs a program as the leader of its own process group and leaves nothing of the group behind, however it ends: on
 * exit, time limit or abort the group gets SIGTERM, then SIGKILL; with `strays` so do those who left it. Standard input
 * is empty. Rejects only when the program cannot be started.
 */
export async function runGroup (file: string, args: string[], options: GroupOptions): Promise<GroupOutcome> {
  const { env, signal, limits, abruptly = false } = options
  if (signal.aborted) return { exitCode: null, killedBy: null, ended: 'abort', stoppedOthers: false }

  const mark = options.strays === true && process.platform === 'linux' ? `${options.mark ?? ''}${randomUUID()}` : null
  const { numberIn } = options
  const names = mark === null
    ? {}
    : { [markVariable]: mark, ...numberIn === undefined ? {} : { [numberIn]: String(numberOf(mark)) } }
  const program = new RunningProgram(file, args, { ...options, env: { ...env, ...names } })
  const startTicks = mark === null || program.pid === undefined ? 0 : readProcess(program.pid)?.startTicks ?? 0
  const command = { mark, startTicks, isNumbered: numberIn !== undefined }
  if (program.pid !== undefined) running.set(program.pid, command)
  const unwatch = limits === undefined || program.pid === undefined
    ? () => {}
    : watchLimits(program.pid, limits, (what) => program.stop(what))

  try {
    const exit = await program.exited
    program.unlimit()
    unwatch()
    await Promise.race([program.closed, delay(drainMs, undefined, { ref: false })])
    const pid = program.pid as number
    const wasStopped = program.ending !== 'exit'
    const leftBehind = !wasStopped && !abruptly && someoneRuns(pid)
    await (wasStopped ? program.stopped : endGroup(pid, { graceMs: usualGraceMs, abruptly }))
    const strayed = await endStrays(command)
    return { ...exit, ended: program.ending, stoppedOthers: program.ending === 'exit' && (leftBehind || strayed) }
  } finally {
    if (program.pid !== undefined) running.delete(program.pid)
    unwatch()
    program.release()
  }
}

/** Ends the processes that are known to be of a command. True when there were any. */
async function endStrays (command: Command): Promise<boolean> {
  let some = false
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    for (const pauseMs of pauses(usualGraceMs)) {
      const strays = await straysOf(command)
      if (strays.length === 0) return some
      some = true
      // Told again in every round: the one that was told may have started another meanwhile.
      for (const stray of strays) signalProcess(stray, signal)
      await delay(pauseMs)
    }
  }
  return some
}

/** Only what was started since: whoever is older cannot be of the command, and need not be asked. */
async function straysOf ({ mark, startTicks, isNumbered }: Command): Promise<ProcessEntry[]> {
  if (mark === null) return []
  const younger = runningProcesses()?.filter((found) => found.startTicks >= startTicks) ?? []
  return isNumbered ? numberedProcesses(numberOf(mark), younger) : await markedProcesses(mark, younger)
}

/** Resolves when no group runs any more, or after a while. */
export async function groupsEnd (limitMs: number): Promise<void> {
  for (const startedMs = performance.now(); running.size > 0 && performance.now() - startedMs < limitMs;) await delay(10)
}

/** Ends every group that runs, and who has left one, at once and by SIGKILL: for a process that has no more time. */
export async function killGroups (): Promise<void> {
  const groups = [...running]
  for (const [pid] of groups) signalGroup(pid, 'SIGKILL')
  await Promise.all(groups.map(async ([, command]) => {
    for (const stray of await straysOf(command)) signalProcess(stray, 'SIGKILL')
  }))
}
