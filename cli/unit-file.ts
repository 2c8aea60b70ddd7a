import { readdirSync, readFileSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { dotenvIn } from '../plugins/ground/config-environment.js'
import { usualStateDir } from '../plugins/ground/config.js'
import { commandLine } from '../services/ground/command-line.js'
import { parseDotenv } from '../services/ground/home/dotenv.js'
import { serviceName } from '../services/ground/process/supervisor.js'
import { tried } from '../services/ground/tried.js'
import { CommandFailed } from './command.js'
import { environmentIn, type Kind } from './unit.js'

interface ServiceFolders { home: string, stateDir: string }

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

/** Returns the text of an installed service's file, with what `systemctl --user edit` has added to it; empty if it cannot be read. */
function installedText (file: string): string {
  const folder = `${file}.d`
  const added = tried(() => readdirSync(folder), []).filter((name) => name.endsWith('.conf')).sort().map((name) => join(folder, name))
  return [file, ...added].map((path) => tried(() => readFileSync(path, 'utf8'), '')).join('\n')
}

/** Returns the line that starts the service with these folders: its supervisor does, if this service is installed there. */
export function startLine (places: ServiceFolders): string {
  if (installedVariables(places) === null) return commandLine('start')
  return kinds[process.platform] === 'systemd'
    ? `systemctl --user start ${serviceName}`
    : `launchctl kickstart gui/${userInfo().uid}/${serviceName}`
}

/**
 * Returns the variables with which the supervisor starts the service with these folders, including those of `.env` in its working
 * directory; null if that service is not installed.
 */
export function installedVariables ({ home, stateDir }: ServiceFolders): Record<string, string> | null {
  const kind = kinds[process.platform]
  if (kind === undefined) return null
  const { folder, files, variables: named } = environmentIn(kind, installedText(unitFile(kind)), homedir())
  const variables: Record<string, string> = { ...folder === null ? {} : dotenvIn(folder), ...named }
  for (const file of files) Object.assign(variables, tried(() => parseDotenv(readFileSync(file, 'utf8')), {}))
  const { SVC_HOME, SVC_WEBUI_STATE_DIR = usualStateDir(home) } = variables
  return SVC_HOME === home && SVC_WEBUI_STATE_DIR === stateDir ? variables : null
}
