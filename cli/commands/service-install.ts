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
  const before = standing(kind, file)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text, { mode: 0o600 })
  let isUp = false
  try {
    begin(kind, file, { stateDir, isLoaded: before?.isActive === true })
    if (kind === 'systemd') isUp = await comesUp(stateDir, pid)
  } catch (error) {
    putBack(kind, file, { before, stateDir })
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

/** What was installed before: perhaps the service of another home folder. */
interface Before {
  text: string
  /** Whether the supervisor ran it, and whether it starts it with the machine. */
  isActive: boolean
  isEnabled: boolean
}

/** Returns what is installed; null if nothing is. */
function standing (kind: Kind, file: string): Before | null {
  if (!existsSync(file)) return null
  const text = readFileSync(file, 'utf8')
  if (kind === 'launchd') return { text, isActive: outputOf('launchctl', ['print', `${domain()}/${serviceName}`]) !== '', isEnabled: true }
  return {
    text,
    isActive: ['active', 'activating', 'reloading'].includes(propertyOf('ActiveState')),
    isEnabled: outputOf('systemctl', ['--user', 'is-enabled', serviceName]) === 'enabled'
  }
}

/** Puts back what was installed before, if anything was: the supervisor would try the new file again at its next start. */
function putBack (kind: Kind, file: string, { before, stateDir }: { before: Before | null, stateDir: string }): void {
  if (before === null) {
    tried(() => { uninstall(kind, file) }, null)
    rmSync(file, { force: true })
    return
  }
  const { text, isActive, isEnabled } = before
  writeFileSync(file, text, { mode: 0o600 })
  tried(() => {
    if (isActive) begin(kind, file, { stateDir, isLoaded: true })
    else if (kind === 'systemd') for (const args of [['daemon-reload'], ['stop', serviceName]]) system('systemctl', ['--user', ...args])
    if (kind === 'systemd' && !isEnabled) system('systemctl', ['--user', 'disable', serviceName])
  }, null)
}

const domain = (): string => `gui/${userInfo().uid}`

function begin (kind: Kind, file: string, { stateDir, isLoaded }: { stateDir: string, isLoaded: boolean }): void {
  if (kind === 'systemd') {
    system('systemctl', ['--user', 'daemon-reload'])
    system('systemctl', ['--user', 'enable', serviceName])
    // After starts that failed, systemd would refuse another one.
    outputOf('systemctl', ['--user', 'reset-failed', serviceName])
    system('systemctl', ['--user', 'restart', serviceName])
    return
  }
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  // It fails if the service has ended meanwhile.
  if (isLoaded) outputOf('launchctl', ['bootout', `${domain()}/${serviceName}`])
  system('launchctl', ['bootstrap', domain(), file])
}

/** Waits until the service answers; false if that takes longer than usual. Throws CommandFailed with the reason if it does not start. */
async function comesUp (stateDir: string, before: number | null): Promise<boolean> {
  for (const until = performance.now() + comesUpMs; performance.now() < until; await delay(lookEveryMs)) {
    const state = propertyOf('ActiveState')
    if (state === '') return false
    if (state === 'failed' || (propertyOf('SubState').startsWith('auto-restart') && propertyOf('ExecMainStatus') !== String(restartExitCode))) {
      throw new CommandFailed(`The service does not start${lastWords()}`)
    }
    if (runningProcess(stateDir) !== before && await isListening(stateDir)) return true
  }
  return false
}

const propertyOf = (name: string): string => outputOf('systemctl', ['--user', 'show', '--value', `--property=${name}`, serviceName])

/** Returns why the service has ended, as the end of a sentence: all problems of its configuration, or the last line of its log. */
function lastWords (): string {
  const log = outputOf('journalctl', ['--user', `_SYSTEMD_USER_UNIT=${serviceName}.service`, '--lines=100', '--output=cat', '--no-pager'])
  const lines = log.split('\n')
  // The journal keeps no white space at the beginning of a line.
  const isProblem = (line: string): boolean => /^\s*- /.test(line)
  const problems = lines.slice(lines.findLastIndex((line) => !isProblem(line)) + 1).map((line) => line.trim().slice('- '.length))
  if (problems.length > 1) return `:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`
  const reason = problems[0] ?? lines.at(-1) ?? ''
  return reason === '' ? '' : `: ${reason}`
}
