import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** `exit`: whoever watches over this process starts it again; `self`: it starts its successor. */
export type RestartWay = 'exit' | 'self'

/** EX_TEMPFAIL: an end that systemd's `Restart=on-failure` and Docker's restart policies follow up. */
export const restartExitCode = 75

interface Surroundings { pid: number, parent: number, env: NodeJS.ProcessEnv, inContainer: boolean }

/** How this process can be started again, by what is above it: systemd, a container's engine, pm2 or supervisord, else nobody. */
export function restartWay (surroundings: Surroundings = { pid: process.pid, parent: process.ppid, env: process.env, inContainer: existsSync('/.dockerenv') || existsSync('/run/.containerenv') }): RestartWay {
  const { pid, parent, env, inContainer } = surroundings
  // `npm start` lies between the two.
  const isOfSystemd = env.SYSTEMD_EXEC_PID !== undefined && [pid, parent].includes(Number(env.SYSTEMD_EXEC_PID))
  const isFirst = pid === 1 || (inContainer && parent === 1)
  return isOfSystemd || isFirst || env.pm_id !== undefined || env.SUPERVISOR_ENABLED !== undefined ? 'exit' : 'self'
}

/** Starts this program again, as it was started, in a session of its own. The caller has given up all it holds. */
export function startSuccessor (): ChildProcess {
  const child = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], { detached: true, stdio: 'inherit' })
  child.on('error', (error) => { console.error(`The service could not be started again: ${error.message}`) })
  child.unref()
  return child
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
