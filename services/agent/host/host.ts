import { homedir } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { programRoots } from '../../ground/assets.js'
import { createIntake } from '../../ground/concurrency/intake.js'
import { once } from '../../ground/concurrency/once.js'
import { realPath } from '../../ground/files/containment.js'
import { fieldsOf } from '../../ground/fields.js'
import { keepNewest } from '../../ground/keep-newest.js'
import { type AgentEngineOptions } from '../acp/engine.js'
import { type Agents } from '../acp/agents.js'
import { type Engine, type PlacedSpec, type RunIO, type RunOutcome } from '../engines/engine.js'
import { createLoopEngine, type Toolbox } from '../engines/loop.js'
import { type LoopTiming } from '../engines/model-calls.js'
import { type CommandReader, readHere } from '../policy/index.js'
import { compareHere, type Comparer } from '../foresight/index.js'
import {
  planningVersion, protocolVersion, type Control, type ControlAck, type FromHost, type RunError, type RunSpec, type SmallTaskReply,
  type SmallTaskRequest, type ToHost, type Toolset
} from '../protocol.js'
import { Boundary, findContainerBoundary, findSandbox, type SandboxKind, type SandboxStatus } from '../sandbox/index.js'
import { McpServers } from '../mcp/servers.js'
import { childEnvironment } from '../tools/child-environment.js'
import { createTools, type Tool } from '../tools/index.js'
import { answerSmallTask } from '../small-tasks/run.js'
import { KnownCalls } from './known-calls.js'
import { createModelResolver } from './model-resolver.js'
import { Outbox } from './outbox.js'
import { placedSpec } from './placed-spec.js'
import { Run } from './run.js'
import { type EventSpool } from './event-spool.js'

export interface HostOptions {
  profileHome: string
  /** Homes of the other profiles, including the default home, which contains them all. */
  otherHomes?: string[]
  /** The service's own folders: tools touch them only with permission. */
  serviceRoots: string[]
  /** Folder that commands cannot see, for records of what they left in workspaces. Without it nothing is watched. */
  boundaryFolder?: string
  /** `container`: the container is the boundary for commands. Default: commands have their own sandbox, where that works. */
  sandboxKind?: SandboxKind
  /** The service's port, if the service runs on this machine. */
  servicePort?: number | undefined
  /** Prefix of the mark by which processes of commands are recognised. */
  commandMark?: string
  /** Environment of the host, with the model providers' variables. */
  env: Record<string, string>
  timing?: Partial<LoopTiming>
  /** How long an MCP server may be idle before it is stopped, and how long a turn waits for a new one. */
  mcpTiming?: { idleStopMs?: number, patienceMs?: number, startPatienceMs?: number }
  /** How long another maker's agent may be idle before it is stopped, and how long it may take to answer and to open a session. */
  agentTiming?: { idleStopMs?: number, helloMs?: number }
  /** Finds out how terminal commands can be confined; default: with bubblewrap, where it works. */
  findSandbox?: () => Promise<SandboxStatus>
  /** Reads command lines for the policy; default: in this thread. */
  readCommand?: CommandReader
  /** Computes the difference that an approval shows; default: in this thread. */
  compare?: Comparer
  /** Words per second of the built-in demo. */
  demoWordsPerSecond?: number
  /** Returns false while no service is connected. */
  send: (message: FromHost) => boolean
  /** Keeps events that no service has stored yet; given only to hosts that may outlive a service. */
  spool?: EventSpool | undefined
  /** Called when a turn is over. */
  over?: () => void
}

/** A provider that hangs ends its turn within two minutes. */
export const remoteTiming: LoopTiming = { retryBaseMs: 1_000, firstChunkMs: 115_000, nextChunkMs: 90_000, silenceMs: 115_000 }
/** A long prompt takes minutes on a machine without a graphics card. The HTTP client itself gives up after five. */
export const localTiming: LoopTiming = { ...remoteTiming, firstChunkMs: 290_000, silenceMs: 600_000 }

const mcpIdleStopMs = 10 * 60_000
const agentIdleStopMs = 10 * 60_000

/** How long turns that were given up may take to end, and how often that is checked. */
const farewellMs = 5_000
const farewellPauseMs = 20

/** How many runs begin in one pass of the event loop, so that those that stream are not held up. */
const startsAtOnce = 2

interface AgentsRoom { agents: Agents, engine: Engine }

/** How many acknowledged controls are remembered, so that one that arrives twice counts once. */
const mostRemembered = 1_024

/** The agent of one profile: runs turns side by side and reports what happens in them. */
export class Host {
  readonly #runs = new Map<string, Run>()
  readonly #outbox: Outbox
  readonly #resolveModel: ReturnType<typeof createModelResolver>
  readonly #engine: Engine
  /** What every engine needs to run tool calls. */
  readonly #calls: Omit<AgentEngineOptions, 'agents'>
  /** Loaded with the first turn of another maker's agent; most hosts never run one. */
  readonly #agents = once(async () => await this.#openAgents())
  readonly #mcp: McpServers
  readonly #toolboxes = new Map<string, Tool[]>()
  readonly #acknowledged = new Map<string, ControlAck>()
  readonly #sandbox: Promise<SandboxStatus>
  readonly #intake = createIntake(startsAtOnce)

  constructor (private readonly options: HostOptions) {
    this.#outbox = new Outbox(options.send, options.spool)
    this.#resolveModel = createModelResolver(options)
    const find = options.sandboxKind === 'container' ? findContainerBoundary : findSandbox
    const sandbox = (options.findSandbox ?? (() => find(options.env)))()
    this.#sandbox = sandbox
    this.#mcp = new McpServers({
      profileHome: options.profileHome,
      env: options.env,
      childEnv: childEnvironment(options.env),
      commandMark: options.commandMark,
      sandbox: () => sandbox,
      hidden: this.#hidden,
      idleStopMs: mcpIdleStopMs,
      refreshed: () => this.#after({ type: 'mcp_tokens' }),
      endedBadly: (ended) => this.#after({ type: 'ended_badly', ended: { what: 'mcp_server', ...ended } }),
      ...options.mcpTiming
    })
    this.#calls = {
      sandbox: () => sandbox,
      policy: { home: options.profileHome, otherHomes: options.otherHomes, serviceRoots: options.serviceRoots, programRoots },
      childEnv: childEnvironment(options.env),
      readCommand: options.readCommand ?? readHere,
      compare: options.compare ?? compareHere,
      ...boundaryOf(options),
      commandMark: options.commandMark
    }
    this.#engine = createLoopEngine({
      ...this.#calls,
      resolveModel: this.#resolveModel,
      toolsFor: (spec, status) => this.#toolsFor(spec, status),
      timing: { remote: { ...remoteTiming, ...options.timing }, local: { ...localTiming, ...options.timing } }
    })
    this.#introduce()
  }

  receive (message: ToHost): void {
    switch (message.type) {
      case 'start': return this.#start(message.spec)
      case 'control': return this.#control(message.control)
      case 'aux':
        void this.#smallTask(message.request).then((reply) => this.options.send({ type: 'aux', reply }))
        return
      case 'reply': return this.#runs.get(message.reply.runId)?.reply(message.reply)
      case 'stored': return this.#outbox.stored(message.runId, message.seq)
      case 'end': return // handled by the process that owns this host
      case 'observe':
        void this.#outbox.repeat(message).then(() => this.#runs.get(message.runId)?.meet())
        return
      case 'mcp':
        void this.#mcp.answer(message.query).then((reply) => this.options.send({ type: 'mcp', reply }))
        return
      case 'ping': return this.#stand(message.beat)
    }
  }

  /** Aborts every run; their tools' children are killed. Resolves when the MCP servers have ended. */
  async close (): Promise<void> {
    for (const run of this.#runs.values()) run.cancel()
    await Promise.all([this.#mcp.close(), this.#agents.begun()?.then(async ({ agents }) => await agents.running.close()).catch(() => {})])
  }

  /** Number of running turns. */
  get runs (): number { return this.#runs.size }

  /** Called when the service has gone: events are kept for the next one. */
  leave (): void { this.#outbox.leave() }

  /** Called when another service has connected. */
  meet (): void {
    this.#outbox.meet()
    this.#introduce()
    // They may have been renewed while no service was connected.
    this.options.send({ type: 'mcp_tokens' })
  }

  /**
   * Ends the turns with an error, and writes events that no service has stored to the file. A turn that only waits for a person, and is
   * stored up to there, is left alone: the next service continues it. Returns false if the file had no room for everything.
   */
  async giveUp (farewell: RunError): Promise<boolean> {
    const given = [...this.#runs].filter(([runId, { isAsking }]) => !(isAsking && this.#outbox.isStored(runId)))
    for (const [, run] of given) run.giveUp(farewell)
    const until = performance.now() + farewellMs
    while (given.some(([runId]) => this.#runs.has(runId)) && performance.now() < until) await delay(farewellPauseMs)
    return this.handOver()
  }

  /** Writes events that no service has stored to the file. Returns false if it had no room for everything. */
  handOver (): boolean { return this.#outbox.handOver() }

  #introduce (): void {
    const { send } = this.options
    send({ type: 'ready', v: protocolVersion, pid: process.pid })
    void this.#sandbox.then((status) => send({ type: 'sandbox', status }))
  }

  /** Folders of the service and its profiles, which are hidden in the sandbox. */
  get #hidden (): string[] {
    const { profileHome, otherHomes = [], serviceRoots } = this.options
    return [profileHome, ...otherHomes, ...serviceRoots]
  }

  /** Ignores a run that is already known: it was sent twice. */
  #start (spec: RunSpec): void {
    const { runId, generation } = spec
    if (!this.#outbox.open(runId, generation)) return
    const calls = new KnownCalls(spec)
    const run = new Run(placedSpec(spec), {
      emit: (event) => this.#outbox.push(runId, calls.reduce(event)),
      drained: () => this.#outbox.drained(runId),
      request: (request) => this.#after({ type: 'request', request })
    })
    this.#runs.set(runId, run)
    const over = (): void => {
      if (this.#runs.get(runId) === run) this.#runs.delete(runId)
      this.#outbox.close(runId)
      this.options.over?.()
    }
    if (spec.v === (spec.planning === undefined ? protocolVersion : planningVersion)) {
      const engine = spec.engine === 'acp' ? { run: async (placed: PlacedSpec, io: RunIO) => await this.#runAgent(placed, io) } : this.#engine
      void this.#intake().then(async () => await run.perform(engine)).finally(over)
      return
    }
    run.refuse(`The agent speaks version ${protocolVersion} of the protocol, and was given a turn of version ${String(spec.v)}. Service and agent are of different releases; restart the service.`)
    over()
  }

  async #runAgent (spec: PlacedSpec, io: RunIO): Promise<RunOutcome> {
    return await (await this.#agents()).engine.run(spec, io)
  }

  async #openAgents (): Promise<AgentsRoom> {
    const { profileHome, env, commandMark, agentTiming, servicePort } = this.options
    const { Agents, createAgentEngine } = await import('../acp/index.js')
    const agents = new Agents({
      profileHome, env, childEnv: this.#calls.childEnv, commandMark, hidden: this.#hidden, sandbox: () => this.#sandbox, servicePort,
      idleStopMs: agentIdleStopMs, ...agentTiming,
      endedBadly: (ended) => this.#after({ type: 'ended_badly', ended: { what: 'agent', ...ended } })
    })
    return { agents, engine: createAgentEngine({ ...this.#calls, agents }) }
  }

  /** Agents of other makers do no small tasks, except `probe`, which starts one to see whether it answers. */
  async #smallTask (request: SmallTaskRequest): Promise<SmallTaskReply> {
    if (request.model.isAgent !== true) {
      // Somebody waits for the first word of a turn, and hardly for the title of the one before.
      await this.#intake({ isPatient: true })
      return await answerSmallTask(this.#resolveModel, request)
    }
    const { requestId, task, model, input } = request
    if (task !== 'probe') return { requestId, result: null, error: 'An agent does no small tasks' }
    const { probeAgent } = await import('../acp/index.js')
    return { requestId, result: await probeAgent((await this.#agents()).agents, model.provider, fieldsOf(input)['sandbox'] === 'off' ? 'off' : 'auto') }
  }

  #control ({ controlId, runId, ...body }: Control): void {
    const ack = this.#acknowledged.get(controlId) ?? { controlId, result: this.#runs.get(runId)?.control(body) ?? 'not_running' }
    this.#acknowledged.set(controlId, ack)
    keepNewest(this.#acknowledged, mostRemembered)
    this.#after({ type: 'ack', ack })
  }

  #stand (beat: number): void {
    this.#outbox.flush()
    const runs = this.#outbox.standings().map((standing) => ({ ...standing, requests: this.#runs.get(standing.runId)?.requests ?? [] }))
    this.options.send({ type: 'pong', beat, runs })
  }

  /** Sends a message after all events that were emitted before it. */
  #after (message: FromHost): boolean {
    this.#outbox.flush()
    return this.options.send(message)
  }

  /** Returns the tools that a run may use. */
  async #toolsFor (spec: RunSpec, sandbox: SandboxStatus | null): Promise<Toolbox> {
    const own = this.#ownTools(spec, sandbox)
    const mcp = await this.#mcp.open(spec)
    return {
      offered: () => [...own, ...mcp.offered()],
      find: (name) => own.find((tool) => tool.name === name) ?? mcp.find(name)
    }
  }

  #ownTools ({ toolset, planning }: RunSpec, sandbox: SandboxStatus | null): Tool[] {
    const isPlanning = planning !== undefined
    const key = `${toolset} ${sandbox?.available ?? false} ${isPlanning}`
    const tools = this.#toolboxes.get(key) ?? createTools({ sandbox: sandbox ?? undefined }).filter((tool) =>
      isOffered(tool, toolset) && (isPlanning ? !changing.has(tool.name) : tool.name !== 'write_plan'))
    this.#toolboxes.set(key, tools)
    return tools
  }
}

/** Tools that a model in plan mode is not offered. The policy would refuse them, too. */
const changing: ReadonlySet<string> = new Set(['write_file', 'edit_file', 'memory', 'skill_save', 'schedule'])

function isOffered (tool: Tool, toolset: Toolset): boolean {
  switch (toolset) {
    case 'all': return true
    case 'delegated': return tool.name !== 'delegate' && tool.name !== 'write_plan'
    case 'reading': return tool.risk === 'read'
  }
}

function boundaryOf ({ boundaryFolder: folder, profileHome, otherHomes = [], serviceRoots, env }: HostOptions): { boundary?: Boundary } {
  if (folder === undefined) return {}
  const closed = [profileHome, ...otherHomes, ...serviceRoots].map(realPath)
  return { boundary: new Boundary({ folder, closed, userHome: realPath(env.HOME ?? homedir()) }) }
}
