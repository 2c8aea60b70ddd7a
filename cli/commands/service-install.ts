import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { restartExitCode } from '../../services/areas/updates/successor.js'
import { commandLine } from '../../services/ground/command-line.js'
import { serviceName } from '../../services/ground/process/supervisor.js'
import { tried } from '../../services/ground/tried.js'
import { refuseToAgents } from '../agents.js'
import { CommandFailed, hasFlag, type Run } from '../command.js'
import { isListening, placesNow, runningProcess } from '../service.js'
import { startVariables } from '../start-variables.js'
import { installed, logFile, outputOf, system, uninstall } from '../supervised.js'
import { supervisorHere, unitFile } from '../unit-file.js'
import { launchdPlist, systemdUnit, type Kind } from '../unit.js'

const lookEveryMs = 250
/** How long a start may take before the command stops waiting for it; a large database may take longer. */
const comesUpMs = 30_000

export const run: Run = async (asked) => {
  const kind = supervisorHere()
  const { stateDir } = placesNow()
  const how = installed(startVariables(asked))
  const [file, text] = [unitFile(kind), kind === 'systemd' ? systemdUnit(how) : launchdPlist(how, logFile(stateDir))]
  if (hasFlag(asked, 'print')) return { text: text.trimEnd(), value: { file, text } }
  refuseToAgents(stateDir)
  const pid = runningProcess(stateDir)
  if (pid !== null && !existsSync(file)) throw new CommandFailed(`The service is already running (process ${pid}). Stop it first: ${commandLine('stop')}`)
  const before = existsSync(file) ? readFileSync(file, 'utf8') : null
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text, { mode: 0o600 })
  let isUp = false
  try {
    begin(kind, file, { stateDir, runs: pid !== null })
    if (kind === 'systemd') isUp = await comesUp(stateDir, pid)
  } catch (error) {
    putBack(kind, file, { before, stateDir, runs: pid !== null })
    throw error
  }
  const user = userInfo().username
  const lingers = kind === 'launchd' || existsSync(`/var/lib/systemd/linger/${user}`)
  return {
    text: [
      isUp ? `Installed and started: ${file}.` : `Installed: ${file}. The service is starting.`, `See how it is doing: ${commandLine('status')}, ${commandLine('service logs')}.`,
      ...(lingers ? [] : [`It stops when you log out. To keep it running: sudo loginctl enable-linger ${user}`])
    ].join('\n'),
    value: { file, lingers }
  }
}

/** Puts back the file of before, if there was one: the supervisor would try the new one again at its next start. */
function putBack (kind: Kind, file: string, { before, ...how }: { before: string | null, stateDir: string, runs: boolean }): void {
  if (before === null) {
    tried(() => { uninstall(kind, file) }, null)
    rmSync(file, { force: true })
    return
  }
  writeFileSync(file, before, { mode: 0o600 })
  tried(() => {
    if (how.runs) begin(kind, file, how)
    else if (kind === 'systemd') for (const args of [['daemon-reload'], ['stop', serviceName]]) system('systemctl', ['--user', ...args])
  }, null)
}

function begin (kind: Kind, file: string, { stateDir, runs }: { stateDir: string, runs: boolean }): void {
  if (kind === 'systemd') {
    system('systemctl', ['--user', 'daemon-reload'])
    system('systemctl', ['--user', 'enable', serviceName])
    // After starts that failed, systemd would refuse another one.
    outputOf('systemctl', ['--user', 'reset-failed', serviceName])
    system('systemctl', ['--user', 'restart', serviceName])
    return
  }
  const domain = `gui/${userInfo().uid}`
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  // It fails for a service that is not loaded, which may be the reason for this start.
  if (runs) outputOf('launchctl', ['bootout', `${domain}/${serviceName}`])
  system('launchctl', ['bootstrap', domain, file])
}

/** Waits until the service answers; false if that takes longer than usual. Throws CommandFailed with the reason if it does not start. */
async function comesUp (stateDir: string, before: number | null): Promise<boolean> {
  for (const until = performance.now() + comesUpMs; performance.now() < until; await delay(lookEveryMs)) {
    const state = propertyOf('ActiveState')
    if (state === '') return false
    if (state === 'failed' || (propertyOf('SubState').startsWith('auto-restart') && propertyOf('ExecMainStatus') !== String(restartExitCode))) {
      const reason = outputOf('journalctl', ['--user', `_SYSTEMD_USER_UNIT=${serviceName}.service`, '--lines=1', '--output=cat', '--no-pager']).replace(/^- /, '')
      throw new CommandFailed(`The service does not start${reason === '' ? '' : `: ${reason}`}`)
    }
    if (runningProcess(stateDir) !== before && await isListening(stateDir)) return true
  }
  return false
}

const propertyOf = (name: string): string => outputOf('systemctl', ['--user', 'show', '--value', `--property=${name}`, serviceName])
