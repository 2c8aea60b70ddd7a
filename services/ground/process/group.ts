import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { endGroup, pauses, signalGroup, someoneRuns } from './ending.js'
import { watchLimits, type CommandLimits } from './limits.js'
import {
  markedProcesses, markVariable, numberedProcesses, numberOf, readProcess, runningProcesses, signalProcess, type ProcessEntry
} from './processes.js'
import { RunningProgram, usualGraceMs, type Ending, type Exit, type OutputListeners, type ProgramOptions } from './program.js'

/** Options of a group. An output listener may end the group early (`enough`). */
export interface GroupOptions extends Pick<ProgramOptions, 'cwd' | 'env' | 'timeoutMs' | 'abruptly'>, OutputListeners {
  signal: AbortSignal
  /**
   * Also ends processes that have left the group (setsid), if the system can tell. They are recognised by a variable of their environment.
   */
  strays?: boolean
  /** The prefix of their mark, which identifies whose command it is. */
  mark?: string
  /**
   * The variable that tells the program a number by which strays are recognised too. The program sets its limit of file locks to that
   * number.
   */
  numberIn?: string
  /** What the program and everything it starts may use. */
  limits?: CommandLimits
}

export interface GroupOutcome extends Exit {
  ended: Ending
  /** Whether the program had ended, but processes that it had started still ran and were stopped. */
  stoppedOthers: boolean
}

/** How long output is awaited after the program's end. A grandchild may hold the pipe open for ever. */
const drainMs = 250

/** The commands that run now, by the leader of their group. */
const running = new Map<number, Command>()

interface Command { mark: string | null, startTicks: number, isNumbered: boolean }

/**
 * Runs a program as the leader of its own process group and leaves nothing of the group behind, however the program ends: on exit, time
 * limit or abort the group gets SIGTERM, then SIGKILL, as do processes that left the group, with `strays`. Standard input is empty. Rejects
 * only if the program cannot be started.
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

/** Ends the processes that belong to a command. Returns whether there were any. */
async function endStrays (command: Command): Promise<boolean> {
  let some = false
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    for (const pauseMs of pauses(usualGraceMs)) {
      const strays = await straysOf(command)
      if (strays.length === 0) return some
      some = true
      // Signalled in every round, because a process may have started another after the last signal.
      for (const stray of strays) signalProcess(stray, signal)
      await delay(pauseMs)
    }
  }
  return some
}

/** Checks only processes started since the command: an older one cannot belong to it. */
async function straysOf ({ mark, startTicks, isNumbered }: Command): Promise<ProcessEntry[]> {
  if (mark === null) return []
  const younger = runningProcesses()?.filter((found) => found.startTicks >= startTicks) ?? []
  return isNumbered ? numberedProcesses(numberOf(mark), younger) : await markedProcesses(mark, younger)
}

/** Resolves when no group runs any more, or after `limitMs`. */
export async function groupsEnd (limitMs: number): Promise<void> {
  for (const startedMs = performance.now(); running.size > 0 && performance.now() - startedMs < limitMs;) await delay(10)
}

/** Kills every running group and its strays by SIGKILL, for a process that has no time left. */
export async function killGroups (): Promise<void> {
  const groups = [...running]
  for (const [pid] of groups) signalGroup(pid, 'SIGKILL')
  await Promise.all(groups.map(async ([, command]) => {
    for (const stray of await straysOf(command)) signalProcess(stray, 'SIGKILL')
  }))
}
