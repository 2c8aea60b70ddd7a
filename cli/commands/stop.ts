import { setTimeout as delay } from 'node:timers/promises'
import { ConsoleStatus, Stopping } from '../../schemas/console.js'
import { refuseToAgents } from '../agents.js'
import { CommandFailed, exitCodes, type Run } from '../command.js'
import { askOf, isListening, placesNow, runningProcess } from '../service.js'
import { numberOf } from '../values.js'

const pollMs = 50
/** How long a supervisor may take to start the service again. */
const restartLimitMs = 3_000

export const run: Run = async (asked) => {
  const timeoutMs = numberOf(asked, 'timeout', { least: 1, most: 600, usual: 30 }) * 1_000
  const { stateDir } = placesNow()
  refuseToAgents(stateDir)
  const pid = runningProcess(stateDir)
  if (pid === null) throw new CommandFailed(`The service is not running (state folder ${stateDir})`, exitCodes.notRunning)
  const startedBy = await askToStop(stateDir, pid)
  for (const until = Date.now() + timeoutMs; runningProcess(stateDir) === pid; await delay(pollMs)) {
    if (Date.now() > until) throw new CommandFailed(`The service (process ${pid}) is still running after ${timeoutMs / 1_000} s. To kill it: kill -9 ${pid}`)
  }
  if (startedBy !== null && await isRestarted(stateDir)) {
    throw new CommandFailed(`The service stopped, but its supervisor (${startedBy}) has restarted it. Stop it there`)
  }
  return { text: 'The service has stopped.', value: { stopped: true, pid } }
}

/** Stops the service, by a signal if its socket does not answer. Returns the supervisor that will start it again; null if none is known. */
async function askToStop (stateDir: string, pid: number): Promise<string | null> {
  if (!await isListening(stateDir)) {
    process.kill(pid, 'SIGTERM')
    return null
  }
  const ask = askOf(stateDir)
  const { started_by: startedBy } = await ask('/api/console', ConsoleStatus)
  await ask('/api/console/stop', Stopping, {})
  return startedBy
}

async function isRestarted (stateDir: string): Promise<boolean> {
  for (const until = Date.now() + restartLimitMs; Date.now() < until; await delay(pollMs)) {
    if (runningProcess(stateDir) !== null) return true
  }
  return false
}
