import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { programRoots, startFiles } from '../../ground/assets.js'
import { commandLine } from '../../ground/command-line.js'
import { realPath, within } from '../../ground/files/containment.js'
import { scratchPrefix } from '../../ground/files/scratch.js'
import { type ConfiguredAgent } from '../../providers/index.js'
import { type PlacedSpec } from '../engines/engine.js'
import {
  bridgeFolder, bridgeVariables, confine, createPrivateFiles, homeFolders, inTheContainer, leadsOutOfSandbox, namingVariable, openBridge,
  startedInside, systemFolders, toolFolders, type Beside, type Bridge, type SandboxStatus, type Watch, type OutgoingProxiesOptions
} from '../sandbox/index.js'
import { ToolError } from '../tools/index.js'
import { agentFailure } from './failure.js'
import { ownPlaces, programPlace, writablePlaces } from './own-places.js'

/** The sandbox in which the process of an agent runs: one for each workspace and each set of readable folders. */
export interface Isolation extends Pick<Watch, 'repositories' | 'sockets'> {
  sandbox: Extract<SandboxStatus, { available: true }>
  workspace: string
  readable: readonly string[]
  /** Whether the workspace can only be read, for turns in plan mode. */
  readOnly: boolean
}

export interface IsolationOptions {
  /** Returns how programs can be confined here. */
  sandbox: () => Promise<SandboxStatus>
  /** Folders of the service and of its profiles. */
  hidden: readonly string[]
}

/** What an agent reaches from its sandbox: everything that the machine reaches, nothing, or what a bridge allows. */
type SandboxNetwork = 'all' | 'none' | OutgoingProxiesOptions

/** How an agent is started, and what to do when it has ended. */
export interface Prepared {
  file: string
  args: readonly string[]
  cwd: string
  /** Its whole environment, if that differs in the sandbox. */
  env?: Readonly<Record<string, string>>
  /** The variables by which programs find their way out of its sandbox. */
  proxyVariables?: Readonly<Record<string, string>>
  /** The variable that holds the number by which it and its processes are found, if they have no sandbox of their own. */
  numberIn?: string
  release: () => Promise<void>
}

/** Where a turn of an agent runs: in its sandbox, or outside, with the reason (null: the user has chosen that). */
export type Place = { isolation: Isolation } | { isolation: null, why: string | null }

const noSandbox = 'the sandbox is switched off'

/** Returns where a turn runs. Throws AgentFailure if the agent must run in the sandbox and there is none. */
export async function placeOf (
  { isolation, displayName, id }: ConfiguredAgent,
  { workspace, readable, sandbox: rule, planning }: Pick<PlacedSpec, 'workspace' | 'readable' | 'sandbox' | 'planning'>,
  { sandbox }: Pick<IsolationOptions, 'sandbox'>
): Promise<Place> {
  if (isolation === 'none') return { isolation: null, why: null }
  const status: SandboxStatus = rule === 'auto' ? await sandbox() : { available: false, reason: noSandbox }
  if (status.available) {
    return {
      isolation: {
        sandbox: status, workspace: realPath(workspace), readable: readable.filter((folder) => existsSync(folder)), repositories: [],
        sockets: [], readOnly: planning !== undefined
      }
    }
  }
  if (isolation === 'auto') return { isolation: null, why: status.reason }
  throw agentFailure(
    'error', `${displayName} is set to run in the sandbox only, and there is none here: ${status.reason}.`,
    `"${commandLine('doctor')}" says how to get one. Without it: Settings, Agents, or isolation: none for ${id} in config.yaml.`
  )
}

/** Returns the name of a sandbox. Turns with the same name share a process. */
export const nameOf = (isolation: Isolation | null): string =>
  isolation === null ? '' : JSON.stringify([isolation.workspace, isolation.readable, isolation.readOnly])

const privateFiles = createPrivateFiles()

interface PrepareOptions {
  env: Readonly<Record<string, string>>
  /** Folders of the service and of its profiles. */
  hidden: readonly string[]
  network: SandboxNetwork
}

/** Prepares the start of an agent in its sandbox; `file` is the path of its program. Throws AgentFailure. */
export async function prepare (
  agent: ConfiguredAgent, file: string, { sandbox, workspace, readable, repositories, sockets, readOnly }: Isolation,
  { env, hidden: closed, network }: PrepareOptions
): Promise<Prepared> {
  const isContainer = sandbox.kind === 'container'
  const hidden = [...closed, ...sockets, ...await privateFiles()]
  const scratch = isContainer ? null : await mkdtemp(scratchPrefix('agent'))
  let bridge: Bridge | null = null
  const release = async (): Promise<void> => {
    bridge?.close()
    if (scratch !== null) await rm(scratch, { recursive: true, force: true })
  }
  try {
    const { program, argv, beside } = shown(agent, file, { env, workspace, scratch, closed, hidden })
    const seen = { workspace, cwd: workspace, hidden, readable, readOnly, programs: [...programRoots, ...startFiles], env }
    if (sandbox.kind === 'container') {
      const { release: letGo, ...line } = inTheContainer({ ...seen, ...inHome([program, ...argv]), beside, setpriv: sandbox.program })
      return { ...line, cwd: '/', numberIn: namingVariable, release: async () => letGo() }
    }
    const confined = { ...seen, bwrap: sandbox.program, repositories, network: network === 'all', filters: sandbox.filters === true }
    if (scratch === null || typeof network === 'string') {
      return { ...confine({ ...confined, ...inHome([program, ...argv]), beside }), cwd: '/', release }
    }
    const ends = join(scratch, 'bridge')
    bridge = await openBridge(ends, network)
    const proxyVariables = bridgeVariables(bridge.proxyPort)
    const inside = startedInside({ node: process.execPath, sockets: bridge.sockets, env: { ...env, ...proxyVariables } })
    const line = confine({
      ...confined, ...inHome([...inside.command, program, ...argv]),
      beside: [...beside, { path: process.execPath, access: 'read' }, { path: bridgeFolder, access: 'read', from: ends }]
    })
    return { ...line, cwd: '/', env: inside.env, proxyVariables, release }
  } catch (error) {
    await release()
    if (!(error instanceof ToolError)) throw error
    throw agentFailure(
      'error', `${agent.displayName} cannot work in the sandbox in this workspace: it belongs to the system or to this service.`,
      'Choose another folder, or let it run without the sandbox: Settings, Agents.'
    )
  }
}

/** Starts a command in the home folder, not in the workspace: some agents read the `.env` of the folder they start in. */
const inHome = (command: readonly string[]): { program: string, argv: string[] } =>
  ({ program: '/bin/sh', argv: ['-c', 'cd "$HOME" && exec "$@"', 'sh', ...command] })

/** Returns the command line inside the sandbox, and what is visible there besides the workspace. Throws AgentFailure. */
function shown (agent: ConfiguredAgent, file: string, { env, workspace, scratch, closed, hidden }: {
  env: Readonly<Record<string, string>>
  workspace: string
  scratch: string | null
  closed: readonly string[]
  hidden: readonly string[]
}): { program: string, argv: string[], beside: Beside[] } {
  const [, ...argv] = agent.command
  const homes = homeFolders(env)
  const secret = [...closed, ...homes].map(realPath)
  const isClosed = (folder: string): boolean => secret.some((place) => within(folder, place)) || folder === workspace
  const opened = writablePlaces(agent, env)
  if (opened.some((path) => leadsOutOfSandbox(path) || closed.some((place) => within(realPath(place), path)))) {
    throw agentFailure('error', `${agent.displayName} cannot be started in the sandbox: "writable" opens a folder of the system or of this service.`)
  }
  const own = [...ownPlaces(agent, { env, workspace, scratch }), ...opened.map((path) => ({ path, access: 'write' as const }))]
    .filter(({ path }) => !closed.some((place) => within(realPath(place), realPath(path))))
  const folders = [...systemFolders, ...toolFolders(workspace, hidden.map(realPath), homes, env)]
  const programs = [file, ...argv.filter((argument) => argument.startsWith('/') && existsSync(argument))]
    .map((path) => programPlace(path, isClosed)).filter((path) => !within(workspace, path))
  return {
    program: folders.some((folder) => within(folder, file)) ? file : realPath(file), argv,
    beside: [...programs.map((path) => ({ path, access: 'read' as const })), ...own]
  }
}
