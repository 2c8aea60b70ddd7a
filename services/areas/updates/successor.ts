import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { openArgument } from '../../ground/process/open-browser.js'
import { supervisorOf, type Surroundings } from '../../ground/process/supervisor.js'

/** `exit`: whoever watches over this process starts it again; `self`: it starts its successor. */
export type RestartWay = 'exit' | 'self'

/** EX_TEMPFAIL: an end that systemd's `Restart=on-failure` and Docker's restart policies follow up. */
export const restartExitCode = 75

/** How this process can be started again, by what is above it. */
export const restartWay = (surroundings: Surroundings): RestartWay => supervisorOf(surroundings) === null ? 'self' : 'exit'

/** Says to a program that it follows one that still runs. Versions rely on each other to know it: see {@link ownTurn}. */
const successorArgument = '--successor'

export interface Successor {
  process: ChildProcess
  /**
   * Its program is loaded, which is most of a start, and it waits for its turn. False: it has ended
   * instead, or is gone as it took too long.
   */
  isLoaded: Promise<boolean>
  /** The caller has given up all it holds: resolves when that is told. */
  go: () => Promise<void>
}

/**
 * Starts this program again, as it was started, in a session of its own. It waits for `go`, and ends when this process does before that.
 */
export function startSuccessor ({ loadLimitMs }: { loadLimitMs: number }): Successor {
  const child = spawnAgain([successorArgument], ['inherit', 'inherit', 'inherit', 'ipc'])
  const isLoaded = new Promise<boolean>((resolve) => {
    child.once('message', () => { resolve(true) })
    for (const end of ['exit', 'error']) child.once(end, () => { resolve(false) })
    setTimeout(() => { resolve(false) }, loadLimitMs).unref()
  }).then((is) => {
    if (!is) child.kill('SIGKILL')
    return is
  })
  return { process: child, isLoaded, go: async () => { await new Promise<void>((resolve) => { child.send('go', () => { resolve() }) }) } }
}

/** The same for a caller that has given up all it holds already. */
export const startAgain = (): ChildProcess => spawnAgain([], 'inherit')

function spawnAgain (more: string[], stdio: StdioOptions): ChildProcess {
  // The browser was opened by the first of them.
  const own = process.argv.slice(1).filter((argument) => ![successorArgument, openArgument].includes(argument))
  const child = spawn(process.execPath, [...process.execArgv, ...own, ...more], { detached: true, stdio })
  child.on('error', (error) => { console.error(`The service could not be started again: ${error.message}`) })
  child.unref()
  return child
}

/**
 * In a successor: says that it is loaded and waits until the process before has given up all it holds. Ends
 * this one when that has gone without a word.
 */
export async function ownTurn (): Promise<void> {
  if (process.send === undefined || !process.argv.includes(successorArgument)) return
  const leave = (): void => { process.exit(1) }
  process.once('disconnect', leave)
  const told = new Promise<void>((resolve) => { process.once('message', () => { resolve() }) })
  process.send('loaded', (error: Error | null) => { if (error !== null) leave() })
  await told
  process.removeListener('disconnect', leave)
  process.disconnect()
}

const pauseMs = 25

/** Waits until a process that was started `isUp`. False: it has ended instead, or took longer than it may, and is gone. */
export async function comesUp (child: ChildProcess, { isUp, timeoutMs }: { isUp: () => boolean, timeoutMs: number }): Promise<boolean> {
  const isGone = (): boolean => child.pid === undefined || child.exitCode !== null || child.signalCode !== null
  for (const until = performance.now() + timeoutMs; ; await delay(pauseMs)) {
    if (isUp()) return true
    if (isGone()) return false
    if (performance.now() > until) break
  }
  child.kill('SIGKILL')
  while (!isGone()) await delay(pauseMs)
  return false
}
