import { existsSync, readFileSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { commandLine } from '../services/ground/command-line.js'
import { serviceName } from '../services/ground/process/supervisor.js'
import { CommandFailed } from './command.js'
import { variableOf, type Kind } from './unit.js'

const kinds: Partial<Record<NodeJS.Platform, Kind>> = { darwin: 'launchd', linux: 'systemd' }

/** Returns what supervises the services of users on this system. Throws CommandFailed on an unsupported system. */
export function supervisorHere (): Kind {
  const kind = kinds[process.platform]
  if (kind !== undefined) return kind
  throw new CommandFailed(`The service can be installed on Linux (systemd) and macOS (launchd). On other systems, make the system run ${commandLine('start')}`)
}

/** Returns the path of the file that describes the service to the supervisor. */
export const unitFile = (kind: Kind): string => kind === 'systemd'
  ? join(configFolder(), 'systemd', 'user', `${serviceName}.service`)
  : join(homedir(), 'Library', 'LaunchAgents', `${serviceName}.plist`)

const configFolder = (): string => {
  const { XDG_CONFIG_HOME: named } = process.env
  return named !== undefined && isAbsolute(named) ? named : join(homedir(), '.config')
}

/** Returns the line that starts the service with a home folder: its supervisor does, if this service is installed there. */
export function startLine (home: string): string {
  const kind = kinds[process.platform]
  const file = kind === undefined ? '' : unitFile(kind)
  if (kind === undefined || !existsSync(file) || !readFileSync(file, 'utf8').includes(variableOf(kind, 'SVC_HOME', home))) return commandLine('start')
  return kind === 'systemd' ? `systemctl --user start ${serviceName}` : `launchctl kickstart gui/${userInfo().uid}/${serviceName}`
}
