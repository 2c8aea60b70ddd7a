import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { isNatsUrl, natsUrls, natsVariables } from '../plugins/ground/config-nats.js'
import { readPlaces } from '../plugins/ground/config.js'
import { commandLine } from '../services/ground/command-line.js'
import { codeOf } from '../services/ground/errors.js'
import { isMachineName } from '../services/ground/remote-folder.js'
import { type NatsOptions } from '../services/ground/nats/link.js'
import { optionProblems } from '../services/ground/command-line-problem.js'
import { present } from '../services/ground/present.js'
import { machineOptions } from './options.js'
import { CannotJoin } from './presence.js'

/** Thrown for an invalid command line, with one sentence for each problem. */
export class WrongArguments extends CannotJoin {}

export interface MachineSettings {
  nats: Omit<NatsOptions, 'inbox' | 'name'>
  name: string
  /** Real paths of the folders that may contain workspaces. */
  workspaces: string[]
  /** Home of the profiles on this machine, with their keys. */
  home: string
  /** Folder for the program's own data. */
  stateDir: string
}

export interface SetupSettings { names: string[], output: string, tls: boolean, prefix: string, add?: boolean }

export type MachineCommand =
  | { kind: 'help' }
  | { kind: 'join', settings: MachineSettings }
  | { kind: 'setup', settings: SetupSettings }

export const help = `Connects this machine to a service, so that conversations can work in folders of this machine.

  ${commandLine('machine --nats <url> --name <name> --workspaces <folder>…')}

  --nats <url>            the NATS server: nats://host:4222 or tls://host:4222; separate
                          several servers of a cluster by commas (SVC_NATS_URL)
  --name <name>           the name of this machine: 2 to 32 lower-case letters, digits and
                          hyphens (default: SVC_HOST_NAME, or the name of the system)
  --workspaces <folder>…  folders that may contain workspaces; no other folder can be opened
                          (default: SVC_HOST_WORKSPACES, separated by colons)
  --credentials <file>    the seed of a key pair, or credentials (SVC_NATS_CREDENTIALS)
  --ca <file>             certificates of the authority that signed the server's certificate (SVC_NATS_CA)
  --prefix <word>         the prefix of the service (default: SVC_NATS_PREFIX, or agents)
  --home <folder>         profiles of this machine, with their keys (default: SVC_HOME, or ~/.svc)

  ${commandLine('machine setup --names big,gpu --output <folder> [--prefix <word>] [--tls]')}
  ${commandLine('machine setup --add --names third --output <folder>')}

Writes the configuration of a NATS server, which gives each machine only the rights that it
needs, and a key file for each machine. With --add, adds machines to a configuration that
setup wrote, or gives them new keys. See docs/machines.md.
`

const options = {
  nats: { type: 'string' },
  name: { type: 'string' },
  workspaces: { type: 'string', multiple: true },
  credentials: { type: 'string' },
  ca: { type: 'string' },
  prefix: { type: 'string' },
  home: { type: 'string' },
  names: { type: 'string' },
  output: { type: 'string' },
  tls: { type: 'boolean' },
  add: { type: 'boolean' }
} as const satisfies Record<keyof typeof machineOptions, object>

type Values = ReturnType<typeof parse>['values']

/** Returns what the program was started for. Throws WrongArguments. */
export function readArguments (args: string[], environment: NodeJS.ProcessEnv): MachineCommand {
  // Checked first, so that help is shown whatever is wrong with the rest.
  if (args.some((word) => word === '--help' || word === '-h')) return { kind: 'help' }
  const { values, positionals } = parse(args)
  return args[0] === 'setup'
    ? { kind: 'setup', settings: setupOf(values, positionals.slice(1), environment) }
    : { kind: 'join', settings: joinOf(values, positionals, environment) }
}

function parse (args: string[]) {
  const problems = optionProblems(args, machineOptions, { mayBeEmpty: true })
  if (problems.length > 0) throw new WrongArguments(`${problems.join('\n')} --help lists the options.`)
  return parseArgs({ args, options, allowPositionals: true, strict: true })
}

function joinOf (values: Values, positionals: string[], env: NodeJS.ProcessEnv): MachineSettings {
  const problems: string[] = []
  const urls = natsUrls(values.nats ?? env['SVC_NATS_URL'] ?? '')
  if (urls.length === 0) problems.push('Give the address of the NATS server: --nats nats://host:4222')
  else if (!urls.every(isNatsUrl)) problems.push('--nats is not an address such as nats://host:4222 or tls://host:4222.')
  const own = hostname().replace(/\..*$/, '').toLowerCase()
  const name = values.name ?? env['SVC_HOST_NAME'] ?? (isMachineName(own) ? own : '')
  if (!isMachineName(name)) {
    problems.push(name === ''
      ? 'Give this machine a name: --name big'
      : `--name: "${name.slice(0, 60)}" is not a valid machine name. Use 2 to 32 lower-case letters, digits and hyphens.`)
  }
  // In `--workspaces a b c`, the arguments after the first folder are positionals, and further folders.
  const folders = values.workspaces === undefined && positionals.length === 0
    ? (env['SVC_HOST_WORKSPACES'] ?? '').split(':').filter((path) => path !== '')
    : [...values.workspaces ?? [], ...positionals]
  if (folders.length === 0) problems.push('Give the folders that may contain workspaces: --workspaces /data/projects')
  const workspaces = folders.flatMap((path) => folderOf(path, problems))
  const credentials = fileOf('--credentials', values.credentials ?? env['SVC_NATS_CREDENTIALS'], problems)
  const authority = fileOf('--ca', values.ca ?? env['SVC_NATS_CA'], problems)
  const prefix = prefixOf(values, env, problems)
  const { home } = readPlaces({ SVC_HOME: values.home ?? env['SVC_HOME'] })
  if (problems.length > 0) throw new WrongArguments(problems.join('\n'))
  return {
    nats: { urls, prefix, ...(credentials !== undefined && { credentials }), ...(authority !== undefined && { authority }) }, name,
    workspaces: [...new Set(workspaces)], home, stateDir: join(home, 'host')
  }
}

function setupOf (values: Values, more: string[], env: NodeJS.ProcessEnv): SetupSettings {
  const problems: string[] = []
  const names = (values.names ?? '').split(',').map((name) => name.trim()).filter((name) => name !== '')
  const [unknown] = more
  if (unknown !== undefined) problems.push(`"${unknown.slice(0, 60)}" is not an option. --help lists the options.`)
  if (names.length === 0) problems.push('Give the names of the machines: --names big,gpu')
  for (const name of names) {
    if (!isMachineName(
      name
    )) problems.push(`--names: "${name.slice(0, 60)}" is not a valid machine name. Use 2 to 32 lower-case letters, digits and hyphens.`)
  }
  if (new Set(names).size < names.length) problems.push('--names: each machine needs its own name.')
  if (values.output === undefined) problems.push('Give the folder to write to: --output <folder>')
  const prefix = prefixOf(values, env, problems)
  if (values.output === undefined || problems.length > 0) throw new WrongArguments(problems.join('\n'))
  return { names, output: resolve(values.output), tls: values.tls === true, prefix, ...(values.add === true && { add: true }) }
}

function prefixOf (values: Values, env: NodeJS.ProcessEnv, problems: string[]): string {
  const { pattern, description } = natsVariables.SVC_NATS_PREFIX
  const prefix = values.prefix ?? env['SVC_NATS_PREFIX'] ?? 'agents'
  if (!new RegExp(present(pattern, 'the pattern of a prefix')).test(prefix)) problems.push(`--prefix must be ${description}.`)
  return prefix
}

function folderOf (path: string, problems: string[]): string[] {
  try {
    if (path === '') throw new CannotJoin('--workspaces: one of the folders is empty.')
    const real = realpathSync(resolve(path))
    if (!statSync(real).isDirectory()) throw new CannotJoin(`--workspaces: ${path} is a file, not a folder.`)
    accessSync(real, constants.R_OK | constants.X_OK)
    return [real]
  } catch (error) {
    const isClosed = codeOf(error) === 'EACCES'
    problems.push(error instanceof CannotJoin
      ? error.message
      : isClosed ? `--workspaces: ${path} cannot be read by the user of this program.` : `--workspaces: the folder ${path} does not exist.`)
    return []
  }
}

function fileOf (option: string, path: string | undefined, problems: string[]): string | undefined {
  if (path === undefined || path === '') return undefined
  if (!existsSync(path) || !statSync(path).isFile()) problems.push(`${option}: the file ${path} does not exist.`)
  return resolve(path)
}
