import { homedir } from 'node:os'
import { programRoots } from '../../ground/assets.js'
import { realPath } from '../../ground/containment.js'
import { createLoopEngine } from '../engines/loop.js'
import { type LoopTiming, type ResolvedModel } from '../engines/model-calls.js'
import { type CommandReader, readHere } from '../policy/index.js'
import { protocolVersion, type AuxRequest, type AuxTasks, type FromHost, type ModelRef, type RunSpec, type ToHost, type Toolset } from '../protocol.js'
import { createBoundary, findSandbox, type SandboxStatus } from '../sandbox/index.js'
import { createTools, type Tool } from '../tools/index.js'
import { writeCommitMessage } from './commit-message.js'
import { compressHistory } from './compress.js'
import { judgeGoal } from './judge.js'
import { createModelResolver } from './model-resolver.js'
import { Outbox } from './outbox.js'
import { Run } from './run.js'
import { generateTitle } from './title.js'

export interface HostOptions {
  profileHome: string
  /** Homes of other profiles, the default one's, which holds them all, among them. */
  otherHomes?: string[]
  /** The service's own folders: tools touch them only with permission. */
  serviceRoots: string[]
  /** Where it is kept what commands have left in workspaces; a folder that they cannot see. Without it nothing is watched. */
  boundaryFolder?: string
  /** What the processes of commands are marked with, before a name of their own. */
  commandMark?: string
  /** Environment of the host, with the model providers' variables. */
  env: Record<string, string>
  timing?: Partial<LoopTiming>
  /** Finds out how terminal commands can be confined; default: with bubblewrap, where it works. */
  findSandbox?: () => Promise<SandboxStatus>
  /** Reads command lines for the policy; default: in this thread. */
  readCommand?: CommandReader
  /** Words per second of the built-in demo. */
  demoWordsPerSecond?: number
  send: (message: FromHost) => void
}

export interface Host {
  receive (message: ToHost): void
  /** Aborts every run; their tools' children are killed. */
  close (): void
}

/** A server that hangs has ended its turn after two minutes. */
export const remoteTiming: LoopTiming = { retryBaseMs: 1_000, firstChunkMs: 115_000, nextChunkMs: 90_000, silenceMs: 115_000 }
/** Without a graphics card a long prompt takes minutes; the client itself gives up the wait for an answer after five. */
export const localTiming: LoopTiming = { ...remoteTiming, firstChunkMs: 290_000, silenceMs: 600_000 }

function isOffered (tool: Tool, toolset: Toolset): boolean {
  switch (toolset) {
    case 'all': return true
    case 'delegated': return tool.name !== 'delegate'
    case 'reading': return tool.risk === 'read'
  }
}

/** `task` says which of the inputs it is. */
async function perform (resolved: ResolvedModel, ref: ModelRef, { task, input }: Pick<AuxRequest, 'task' | 'input'>): Promise<unknown> {
  switch (task) {
    case 'title': return await generateTitle(resolved, input as AuxTasks['title']['input'])
    case 'judge': return await judgeGoal(resolved, input as AuxTasks['judge']['input'])
    case 'compress': return await compressHistory(resolved, input as AuxTasks['compress']['input'], ref.contextLength)
    case 'commit_message': return await writeCommitMessage(resolved, input as AuxTasks['commit_message']['input'])
  }
}

function closedFolders ({ profileHome, otherHomes = [], serviceRoots }: HostOptions): string[] {
  return [profileHome, ...otherHomes, ...serviceRoots].map(realPath)
}

/** What child processes of tools may see: enough to be a shell, nothing of the service's secrets. */
const childVariables = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'TERM']

/** The agent of one profile: runs turns side by side and reports what happens in them. */
export function createHost (options: HostOptions): Host {
  const runs = new Map<string, Run>()
  const outbox = new Outbox(options.send)
  const resolveModel = createModelResolver(options)
  const childEnv: Record<string, string> = {}
  for (const name of childVariables) if (options.env[name] !== undefined) childEnv[name] = options.env[name]
  const sandbox = (options.findSandbox ?? (() => findSandbox(options.env)))()
  void sandbox.then((status) => options.send({ type: 'sandbox', status }))
  const toolboxes = new Map<string, Tool[]>()
  const engine = createLoopEngine({
    resolveModel: (spec) => resolveModel(spec.model),
    sandbox: () => sandbox,
    toolsFor,
    policy: { home: options.profileHome, otherHomes: options.otherHomes, serviceRoots: options.serviceRoots, programRoots },
    childEnv,
    readCommand: options.readCommand ?? readHere,
    ...(options.boundaryFolder === undefined ? {} : { boundary: createBoundary({ folder: options.boundaryFolder, closed: closedFolders(options), userHome: realPath(options.env.HOME ?? homedir()) }) }),
    commandMark: options.commandMark,
    timing: { remote: { ...remoteTiming, ...options.timing }, local: { ...localTiming, ...options.timing } }
  })

  /** A run's tools, as many of them as it may use. */
  function toolsFor ({ toolset }: RunSpec, sandbox: SandboxStatus | null): Tool[] {
    const key = `${toolset} ${sandbox?.available ?? false}`
    const tools = toolboxes.get(key) ?? createTools({ sandbox: sandbox ?? undefined }).filter((tool) => isOffered(tool, toolset))
    toolboxes.set(key, tools)
    return tools
  }

  async function answerAux ({ requestId, model, ...request }: AuxRequest): Promise<void> {
    try {
      const resolved = await resolveModel(model)
      const result = await perform(resolved, model, request)
      options.send({ type: 'aux', reply: { requestId, result } })
    } catch (error) {
      options.send({ type: 'aux', reply: { requestId, result: null, error: error instanceof Error ? error.message : String(error) } })
    }
  }

  options.send({ type: 'ready', v: protocolVersion, pid: process.pid })

  return {
    receive (message) {
      switch (message.type) {
        case 'start': {
          const { spec } = message
          if (!outbox.open(spec.runId, spec.generation)) return
          const run = new Run(spec, (event) => outbox.push(spec.runId, event), () => outbox.drained(spec.runId))
          runs.set(spec.runId, run)
          void run.perform(engine).finally(() => {
            runs.delete(spec.runId)
            outbox.close(spec.runId)
          })
          return
        }
        case 'control': {
          const { controlId, runId, ...body } = message.control
          const result = runs.get(runId)?.control(body) ?? 'not_running'
          outbox.flush()
          options.send({ type: 'ack', ack: { controlId, result } })
          return
        }
        case 'aux':
          void answerAux(message.request)
          return
        case 'stored':
          outbox.stored(message.runId, message.seq)
          return
        case 'ping':
          options.send({ type: 'pong' })
      }
    },
    close () {
      for (const run of runs.values()) run.cancel()
    }
  }
}
