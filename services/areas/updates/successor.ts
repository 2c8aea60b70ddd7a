import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { openArgument } from '../../ground/process/open-browser.js'
import { supervisorOf, type Surroundings } from '../../ground/process/supervisor.js'

/** `exit`: a supervisor starts this process again; `self`: it starts its own successor. */
export type RestartWay = 'exit' | 'self'

/** EX_TEMPFAIL: an exit code after which systemd's `Restart=on-failure` and Docker's restart policies start the process again. */
export const restartExitCode = 75

/** Returns how this process can be started again, depending on its supervisor. */
export const restartWay = (surroundings: Surroundings): RestartWay => supervisorOf(surroundings) === null ? 'self' : 'exit'

/** Tells a program that it succeeds one that is still running. Versions rely on each other to know it: see {@link waitForTurn}. */
export const successorArgument = '--successor'

export interface Successor {
  process: ChildProcess
  /**
   * Resolves with true when the program is loaded, which is most of a start, and waits for its turn; with false if it has ended, or was
   * killed because it took too long.
   */
  isLoaded: Promise<boolean>
  /** Called when the caller has released all it holds; resolves when the message is sent. */
  go: () => Promise<void>
}

/**
 * Starts this program again, with the same arguments, in a session of its own. It waits for `go`, and ends if this process ends before
 * that.
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

/** Does the same for a caller that has already released all it holds. */
export const startAgain = (): ChildProcess => spawnAgain([], 'inherit')

function spawnAgain (more: string[], stdio: StdioOptions): ChildProcess {
  // The first process has opened the browser.
  const own = process.argv.slice(1).filter((argument) => ![successorArgument, openArgument].includes(argument))
  const child = spawn(process.execPath, [...process.execArgv, ...own, ...more], { detached: true, stdio })
  child.on('error', (error) => { console.error(`The service could not be restarted: ${error.message}`) })
  child.unref()
  return child
}

/**
 * Called in a successor: reports that it is loaded and waits until the previous process has released all it holds. Exits if that process
 * has gone without a message.
 */
export async function waitForTurn (): Promise<void> {
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

/** Waits until a started process `isUp`. Returns false if it has ended, or took too long and was killed. */
export async function waitUntilUp (child: ChildProcess, { isUp, timeoutMs }: { isUp: () => boolean, timeoutMs: number }): Promise<boolean> {
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
