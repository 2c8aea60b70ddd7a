import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'
import { commandLine } from '../../services/ground/command-line.js'
import { serviceName } from '../../services/ground/process/supervisor.js'
import { refuseToAgents } from '../agents.js'
import { CommandFailed, hasFlag, type Run } from '../command.js'
import { placesNow, runningProcess } from '../service.js'
import { startVariables } from '../start-variables.js'
import { installed, logFile, supervisorHere, system, unitFile, type Kind } from '../supervised.js'
import { launchdPlist, systemdUnit } from '../unit.js'

export const run: Run = async (asked) => {
  const kind = supervisorHere()
  const { stateDir } = placesNow()
  const how = installed(startVariables(asked))
  const [file, text] = [unitFile(kind), kind === 'systemd' ? systemdUnit(how) : launchdPlist(how, logFile(stateDir))]
  if (hasFlag(asked, 'print')) return { text: text.trimEnd(), value: { file, text } }
  refuseToAgents(stateDir)
  const pid = runningProcess(stateDir)
  if (pid !== null && !existsSync(file)) throw new CommandFailed(`The service is already running (process ${pid}). Stop it first: ${commandLine('stop')}`)
  const isNew = !existsSync(file)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text, { mode: 0o600 })
  try {
    begin(kind, file, { stateDir, runs: pid !== null })
  } catch (error) {
    // Otherwise the supervisor would try the file again at its next start.
    if (isNew) rmSync(file, { force: true })
    throw error
  }
  const user = userInfo().username
  const lingers = kind === 'launchd' || existsSync(`/var/lib/systemd/linger/${user}`)
  return {
    text: [
      `Installed and started: ${file}.`, `See how it is doing: ${commandLine('status')}, ${commandLine('service logs')}.`,
      ...(lingers ? [] : [`It stops when you log out. To keep it running: loginctl enable-linger ${user}`])
    ].join('\n'),
    value: { file, lingers }
  }
}

function begin (kind: Kind, file: string, { stateDir, runs }: { stateDir: string, runs: boolean }): void {
  if (kind === 'systemd') {
    system('systemctl', ['--user', 'daemon-reload'])
    system('systemctl', ['--user', 'enable', serviceName])
    system('systemctl', ['--user', 'restart', serviceName])
    return
  }
  const domain = `gui/${userInfo().uid}`
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  if (runs) system('launchctl', ['bootout', `${domain}/${serviceName}`])
  system('launchctl', ['bootstrap', domain, file])
}
