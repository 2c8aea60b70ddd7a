import { serviceName } from '../services/ground/process/supervisor.js'

/** The program that starts the service with the machine. */
export type Kind = 'systemd' | 'launchd'

/** How the system starts the service. */
export interface Installed {
  /** The program and its arguments. */
  command: readonly string[]
  /** The working directory, which may contain `.env`. */
  folder: string
  variables: Readonly<Record<string, string>>
}

/**
 * Returns a systemd user unit. It leaves out hardening that needs mounts, system call filters or `NoNewPrivileges`, because bubblewrap,
 * which confines the agent's commands more strictly, would not work with them.
 */
export function systemdUnit ({ command, folder, variables }: Installed): string {
  return `[Unit]
Description=Agent web service
After=network-online.target
StartLimitIntervalSec=60
StartLimitBurst=5

[Service]
Type=exec
ExecStart=${command.map((word) => quoted(word).replaceAll('$', '$$$$')).join(' ')}
WorkingDirectory=${escaped(folder)}
${Object.entries(variables).map(([name, value]) => variableOf('systemd', name, value)).join('\n')}
# It exits with 75 to be restarted after an update.
Restart=on-failure
RestartForceExitStatus=75
RestartSec=2
# Turns continue after a crash, a restart and an update. When it is stopped, the service itself ends everything that it has started.
KillMode=process
TimeoutStopSec=20
# If a command uses too much memory, only that command ends.
OOMPolicy=continue
UMask=0077
LimitCORE=0
LimitNOFILE=65536

[Install]
WantedBy=default.target
`
}

/** Returns a launchd agent for the user who is logged in. `log`: the file for its output. */
export function launchdPlist ({ command, folder, variables }: Installed, log: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>${text(serviceName)}
  <key>ProgramArguments</key>
  <array>${command.map((word) => `\n    ${text(word)}`).join('')}
  </array>
  <key>WorkingDirectory</key>${text(folder)}
  <key>EnvironmentVariables</key>
  <dict>${Object.entries(variables).map(([name, value]) => `\n    ${variableOf('launchd', name, value)}`).join('')}
  </dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key><false/>
  </dict>
  <key>ExitTimeOut</key><integer>20</integer>
  <key>Umask</key><integer>63</integer>
  <key>StandardOutPath</key>${text(log)}
  <key>StandardErrorPath</key>${text(log)}
</dict>
</plist>
`
}

/** Returns a variable of the service's environment, as its file has it. */
const variableOf = (kind: Kind, name: string, value: string): string =>
  kind === 'systemd' ? `Environment=${quoted(`${name}=${value}`)}` : `<key>${name}</key>${text(value)}`

/** What the file of an installed service says of its environment. */
interface Environment {
  /** The working directory; null if the file names none. */
  folder: string | null
  /** Files with further variables, which win. */
  files: string[]
  variables: Record<string, string>
}

/** Reads the file of an installed service, which its owner may have edited. `home`: the home folder of the user. */
export function environmentIn (kind: Kind, file: string, home: string): Environment {
  if (kind === 'launchd') {
    const { WorkingDirectory: folder = null, ...variables } = Object.fromEntries(
      [...file.matchAll(/<key>(\w+)<\/key>\s*<string>([^<]*)<\/string>/g)].map(([, name = '', value = '']) =>
        [name, value.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')]))
    return { folder, files: [], variables }
  }
  const plain = (word: string): string => word.replaceAll(/%([%h])/g, (_, letter) => letter === 'h' ? home : '%')
  // A hyphen says that the file or folder may be missing.
  const path = (value: string): string => plain(value.replace(/^-/, '')).replace(/^~$/, () => home)
  return {
    folder: settingsIn(file, 'WorkingDirectory').map(path).at(-1) ?? null,
    files: settingsIn(file, 'EnvironmentFile').map(path),
    variables: Object.fromEntries(settingsIn(file, 'Environment').flatMap(wordsIn).map((word) => {
      const assignment = plain(word)
      const equals = assignment.indexOf('=')
      return [assignment.slice(0, equals), assignment.slice(equals + 1)]
    }))
  }
}

/** Returns the values that a unit gives a setting, one for each line. An empty one takes back those before it. */
function settingsIn (unit: string, name: string): string[] {
  const values = [...unit.matchAll(new RegExp(`^[ \\t]*${name}[ \\t]*=(.*)$`, 'gm'))].map(([, value = '']) => value.trim())
  return values.slice(values.lastIndexOf('') + 1)
}

/** Returns the words of a line of a unit without their quotes. */
const wordsIn = (line: string): string[] => (line.match(/"(?:[^"\\]|\\.)*"|'[^']*'|\S+/g) ?? []).map((word) =>
  word.replace(/^(["'])(.*)\1$/, '$2').replaceAll(/\\(.)/g, '$1'))

/** Returns a text for a property list. */
const text = (value: string): string => `<string>${value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</string>`

/** Returns a word quoted for systemd, so that it expands no specifiers. In a command line, systemd also expands `$`: see ExecStart. */
function quoted (word: string): string {
  return `"${escaped(word).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}

const escaped = (word: string): string => word.replaceAll('%', '%%')
