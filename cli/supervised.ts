import { spawn, spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { isAbsolute, join, sep } from 'node:path'
import { usualStateDir } from '../plugins/ground/config.js'
import { isStartedAnywhere } from '../services/areas/updates/published-form.js'
import { dist } from '../services/ground/assets.js'
import { commandLine } from '../services/ground/command-line.js'
import { codeOf } from '../services/ground/errors.js'
import { serviceName } from '../services/ground/process/supervisor.js'
import { CommandFailed } from './command.js'
import { fewArenas } from './memory.js'
import { placesNow } from './service.js'
import { unitFile } from './unit-file.js'
import { type Installed, type Kind } from './unit.js'

const ofNpm = /\/node_modules\/\.bin$|\/node-gyp-bin$/

export const logFile = (stateDir: string): string => join(stateDir, 'service.log')

/** Returns how this installation is started; `variables` are those of the options. Throws CommandFailed if it runs from source or npx. */
export function installed (variables: Record<string, string>): Installed {
  if (dist === null) throw new CommandFailed('The program runs from source. Build it first: npm run build')
  if (dist.includes(`${sep}_npx${sep}`)) {
    throw new CommandFailed('npx may remove this program at any time. Install it first: npm install --global agent-web-service')
  }
  const { home, stateDir } = placesNow()
  const { PATH = '', SVC_WEBUI_STATE_DIR: named, npm_execpath: npm } = process.env
  return {
    command: [process.execPath, '--max-semi-space-size=4', join(dist, 'server.js')],
    // A program that is installed for all folders reads nothing from this one, which may be gone at the next start.
    folder: isStartedAnywhere(dist) ? homedir() : process.cwd(),
    variables: {
      ...fewArenas,
      SVC_HOME: home,
      ...(named === undefined && stateDir === usualStateDir(home) ? {} : { SVC_WEBUI_STATE_DIR: stateDir }),
      ...variables,
      // Commands of the agent find the same programs as this shell, without what npm and npx have put in front of it.
      PATH: PATH.split(':').filter((folder) => isAbsolute(folder) && (npm === undefined || !ofNpm.test(folder))).join(':')
    }
  }
}

/** Runs a program of the system. Throws CommandFailed with its error output and, if no systemd answers, with the way out. */
export function system (program: string, args: readonly string[]): void {
  const { error, status, stderr } = spawnSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  if (codeOf(error) === 'ENOENT') throw new CommandFailed(`This machine has no ${program}. ${withoutSupervisor()}`)
  if (error !== undefined) throw new CommandFailed(`${program} cannot be run: ${error.message}`)
  if (status === 0) return
  const problem = `${[program, ...args].join(' ')} failed: ${stderr.trim() || `exit code ${status ?? '?'}`}`
  const isUnreached = /connect to (?:the )?(?:\w+ scope )?bus|not been booted with systemd/i.test(problem)
  throw new CommandFailed(isUnreached ? `${problem}. ${wayToSystemd()}` : problem)
}

/** Returns what a program of the system prints, without its last line break; empty if it fails. */
export const outputOf = (program: string, args: readonly string[]): string => {
  const { status, stdout } = spawnSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  return status === 0 ? stdout.trim() : ''
}

/** Stops the installed service and removes its file. Throws CommandFailed, and keeps the file, if its supervisor does not answer. */
export function uninstall (kind: Kind, file: string): void {
  if (kind === 'systemd') system('systemctl', ['--user', 'disable', '--now', serviceName])
  else system('launchctl', ['bootout', `gui/${userInfo().uid}/${serviceName}`])
  rmSync(file, { force: true })
  if (kind === 'systemd') system('systemctl', ['--user', 'daemon-reload'])
}

/** Returns what to do if no systemd answers. `runs`: whether systemd runs on this machine, which only the user then cannot reach. */
export function wayToSystemd (runs = existsSync('/run/systemd/system'), user = userInfo().username): string {
  if (!runs) return `systemd does not run on this machine. ${withoutSupervisor()}`
  return `su and sudo open no session for ${user}. Sign in as ${user} with ssh or "sudo machinectl shell ${user}@", and run this command again`
}

const withoutSupervisor = (): string => `Make whatever starts programs here run ${commandLine('start')}`

/** Runs a program in this terminal. Resolves with its exit code. */
export async function handOn (program: string, args: readonly string[]): Promise<number> {
  const child = spawn(program, args, { stdio: 'inherit' })
  // Ctrl-C ends the program, and this process after it.
  process.on('SIGINT', () => {})
  return await new Promise((resolve, reject) => {
    child.on('error', () => { reject(new CommandFailed(`${program} cannot be run. Is it installed?`)) })
    child.on('exit', (code) => { resolve(code ?? 0) })
  })
}

/** Returns the path of the installed service's file. Throws CommandFailed if no service is installed. */
export function assertInstalled (kind: Kind): string {
  const file = unitFile(kind)
  if (!existsSync(file)) throw new CommandFailed(`No service is installed: ${file} does not exist. Install it: ${commandLine('service install')}`)
  return file
}
