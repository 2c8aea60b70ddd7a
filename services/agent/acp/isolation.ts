import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { programRoots, startFiles } from '../../ground/assets.js'
import { commandLine } from '../../ground/command-line.js'
import { realPath, within } from '../../ground/containment.js'
import { scratchPrefix } from '../../ground/scratch.js'
import { type ConfiguredAgent } from '../../providers/index.js'
import { type PlacedSpec } from '../engines/engine.js'
import {
  confine, createPrivateFiles, homeFolders, inTheContainer, leadsOutOfSandbox, namingVariable, systemFolders, toolFolders,
  type SandboxStatus, type Watch
} from '../sandbox/index.js'
import { ToolError } from '../tools/index.js'
import { agentFailure } from './failure.js'
import { ownPlaces, programPlace, writablePlaces } from './own-places.js'

/** The sandbox that the process of an agent runs in: one for each workspace, and for what was uploaded to a conversation. */
export interface Isolation extends Pick<Watch, 'repositories' | 'sockets'> {
  sandbox: Extract<SandboxStatus, { available: true }>
  workspace: string
  readable: readonly string[]
  /** For turns in plan mode: the workspace can be read and not written. */
  readOnly: boolean
}

export interface IsolationOptions {
  /** How what runs here can be confined. */
  sandbox: () => Promise<SandboxStatus>
  /** Folders of the service and of its profiles. */
  hidden: readonly string[]
}

/** An agent's command line, and what is to be done when it has ended. */
export interface Prepared {
  file: string
  args: readonly string[]
  cwd: string
  /** The variable in which it is told the number that it and all it starts are known by, where they have no sandbox of their own. */
  numberIn?: string
  release: () => Promise<void>
}

/** Where a turn of an agent runs: in its sandbox, or outside for the reason that is told (null: the user wants it so). */
export type Place = { isolation: Isolation } | { isolation: null, why: string | null }

const noSandbox = 'the sandbox is switched off'

/** Throws AgentFailure where the agent is to run in the sandbox or not at all, and there is none. */
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

/** Names the sandbox: turns with the same name share a process. */
export const nameOf = (isolation: Isolation | null): string =>
  isolation === null ? '' : JSON.stringify([isolation.workspace, isolation.readable, isolation.readOnly])

const privateFiles = createPrivateFiles()

/** How an agent is started in its sandbox; `file` is the path of its program. Throws AgentFailure. */
export async function prepare (
  agent: ConfiguredAgent, file: string, { sandbox, workspace, readable, repositories, sockets, readOnly }: Isolation,
  { env, hidden: closed }: { env: Readonly<Record<string, string>>, hidden: readonly string[] }
): Promise<Prepared> {
  const isContainer = sandbox.kind === 'container'
  const hidden = [...closed, ...sockets, ...await privateFiles()]
  const scratch = isContainer ? null : await mkdtemp(scratchPrefix('agent'))
  const release = async (): Promise<void> => { if (scratch !== null) await rm(scratch, { recursive: true, force: true }) }
  const homes = homeFolders(env)
  const secret = [...closed, ...homes].map(realPath)
  const isClosed = (folder: string): boolean => secret.some((place) => within(folder, place)) || folder === workspace
  const [, ...args] = agent.command
  const opened = writablePlaces(agent, env)
  const tooMuch = opened.find((path) => leadsOutOfSandbox(path) || closed.some((place) => within(realPath(place), path)))
  try {
    if (tooMuch !== undefined) {
      throw agentFailure('error', `${agent.displayName} cannot be started in the sandbox: "writable" opens a folder of the system or of this service.`)
    }
    const beside = [
      ...ownPlaces(agent, { env, workspace, scratch }), ...opened.map((path) => ({ path, access: 'write' as const }))
    ].filter(({ path }) => !closed.some((place) => within(realPath(place), realPath(path))))
    const folders = [...systemFolders, ...toolFolders(workspace, hidden.map(realPath), homes, env)]
    const program = folders.some((folder) => within(folder, file)) ? file : realPath(file)
    const programs = [file, ...args.filter((argument) => argument.startsWith('/') && existsSync(argument))]
      .map((path) => programPlace(path, isClosed)).filter((path) => !within(workspace, path))
    const seen = {
      program: '/bin/sh',
      // Not the workspace: some take a `.env` that lies where they are started for theirs.
      argv: ['-c', 'cd "$HOME" && exec "$@"', 'sh', program, ...args],
      workspace, cwd: workspace, hidden, readable, readOnly, programs: [...programRoots, ...startFiles], env: { ...env },
      beside: [...programs.map((path) => ({ path, access: 'read' as const })), ...beside]
    }
    if (sandbox.kind === 'container') {
      const { release: letGo, ...line } = inTheContainer({ ...seen, setpriv: sandbox.program })
      return { ...line, cwd: '/', numberIn: namingVariable, release: async () => letGo() }
    }
    const line = confine({
      ...seen, bwrap: sandbox.program, repositories, network: agent.network, filters: sandbox.filters === true
    })
    return { ...line, cwd: '/', release }
  } catch (error) {
    await release()
    if (!(error instanceof ToolError)) throw error
    throw agentFailure(
      'error', `${agent.displayName} cannot work in the sandbox in this workspace: it belongs to the system or to this service.`,
      'Choose another folder, or let it run without the sandbox: Settings, Agents.'
    )
  }
}
