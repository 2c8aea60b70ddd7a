import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Test } from '#test'
import { createAgentRuntime, type AgentRuntime, type HostConnection, type HostTransport } from '../../../services/agent/index.js'
import { protocolVersion, type FromHost, type RunEvent, type RunSpec, type ToHost } from '../../../services/agent/protocol.js'
import { type RuntimeOptions } from '../../../services/agent/runtime/runtime.js'
import { RelayFailed } from '../../../services/ground/errors.js'
import { eventually, type ScriptedAnswer } from '../chat.js'
import { startModelEndpoint, type ModelRequest } from '../model-endpoint.js'

/** Where a host of the transport under test runs. */
export interface HostPlace { folder: string, env: Record<string, string> }
/** What is different about a transport with hosts on another machine. */
export interface Elsewhere {
  /** Whether events are stored between both ends: then they are safe once they are there, whatever happens to the service. */
  keepsWhatIsSaid?: true
  /** Removes what is stored of a run. Without this, the host drops events that it is told are stored. */
  forget?: (runId: string) => Promise<void>
  /** Kills every host as a crash does. */
  crash?: () => void
}
export type OpenTransport = (place: HostPlace) => Promise<HostTransport & Elsewhere> | (HostTransport & Elsewhere)

/** The connection between both ends: returns what becomes of a message. By default it passes. */
export interface Way {
  toHost: (message: ToHost) => unknown[]
  fromHost: (message: FromHost) => unknown[]
}

/** A host's line, which a test can manipulate. */
export interface Line {
  /** What each end has sent, before anything happened to it. */
  sent: ToHost[]
  heard: FromHost[]
  /** Sends a message in the host's name, or in the service's. */
  say (message: unknown): void
  tell (message: unknown): void
  /** Makes both ends compare their positions, as with each heartbeat. Resolves when they have; no run may begin meanwhile. */
  compare (): Promise<void>
  kill (): void
  isStopped: boolean
}

export interface Followed {
  spec: RunSpec
  events: RunEvent[]
  lost: Array<{ reason: string, message: string }>
  /** Resolves to the last event, or the loss. */
  over: Promise<RunEvent | { reason: string, message: string }>
}

export interface Bench {
  runtime: AgentRuntime
  way: Way
  /** One line for each host, in the order of their start. */
  lines: Line[]
  workspace: string
  logs: string[]
  requests (model: string): ModelRequest[]
  /** Sets a model's answers, request by request. */
  script (model: string, answers: ScriptedAnswer[]): void
  run (answers: ScriptedAnswer[], more?: Partial<RunSpec>): Followed
  /** Lets every message pass again. */
  mend (): void
  /** Removes a run's events before a number. */
  forget (runId: string, seq: number): Promise<void>
  keepsWhatIsSaid: boolean
  /** Kills the first host. */
  crash (): void
}

const passes: Way = { toHost: (message) => [message], fromHost: (message) => [message] }
/** Higher than the number of any heartbeat in a test. */
let beats = 1_000_000
let runs = 0

/** Creates a runtime, a host behind the transport, and a model that answers what a test scripts. */
export async function bench (t: Test, open: OpenTransport, options: Partial<RuntimeOptions> = {}): Promise<Bench> {
  const endpoint = await startModelEndpoint()
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'transport-')))
  const workspace = join(folder, 'workspace')
  for (const name of ['workspace', 'home', 'state']) mkdirSync(join(folder, name))
  const scripts = new Map<string, ScriptedAnswer[]>()
  endpoint.script((request) => {
    const answer = scripts.get(request.model)?.shift() ?? [{ text: 'Done.' }]
    return typeof answer === 'function' ? answer(request) : answer
  })
  const way: Way = { ...passes }
  const lines: Line[] = []
  const logs: string[] = []
  const transport = await open({ folder, env: { PATH: process.env.PATH ?? '', HOME: folder, OPENAI_BASE_URL: endpoint.url, OPENAI_API_KEY: 'test-key-12345' } })
  const tapped: HostTransport = Object.assign((profile: string) => tap(transport(profile), way, lines), { close: async () => { await transport.close?.() } })
  const runtime = createAgentRuntime({ heartbeatMs: 60_000, log: (message, details) => { logs.push(`${message} ${JSON.stringify(details)}`) }, ...options, transport: tapped })
  t.teardown(async () => {
    await runtime.stop()
    await endpoint.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    runtime,
    way,
    lines,
    workspace,
    logs,
    requests: (model) => endpoint.requests.filter((request) => request.model === model),
    script (model, answers) { scripts.set(model, answers) },
    run (answers, more = {}) {
      const runId = `run-${++runs}`
      scripts.set(runId, answers)
      return follow(runtime, specOf(runId, workspace, more))
    },
    mend () { Object.assign(way, passes) },
    async forget (runId, seq) {
      if (transport.forget !== undefined) return await transport.forget(runId)
      lines[0]!.tell({ type: 'stored', runId, seq: seq - 1 })
    },
    crash () { transport.crash === undefined ? lines[0]!.kill() : transport.crash() },
    keepsWhatIsSaid: transport.keepsWhatIsSaid === true
  }
}

function tap (connection: HostConnection, way: Way, lines: Line[]): HostConnection {
  let listener: (message: unknown) => void = () => {}
  const line: Line = {
    sent: [],
    heard: [],
    say: (message) => listener(message),
    tell: (message) => connection.send(message as ToHost),
    async compare () {
      const beat = ++beats
      connection.send({ type: 'ping', beat })
      await eventually('the answer to a heartbeat', () => line.heard.some((message) => message.type === 'pong' && message.beat === beat))
    },
    kill: () => connection.kill(),
    isStopped: false
  }
  lines.push(line)
  return {
    get pid () { return connection.pid },
    ...(connection.letGo !== undefined && { letGo: (runId: string) => connection.letGo!(runId) }),
    send (message) {
      line.sent.push(message)
      for (const each of way.toHost(message)) connection.send(each as ToHost)
    },
    onMessage (take) {
      listener = take
      connection.onMessage((message) => {
        line.heard.push(message as FromHost)
        for (const each of way.fromHost(message as FromHost)) take(each)
      })
    },
    onExit: (gone) => connection.onExit(gone),
    onLost: (lost) => connection.onLost?.(lost),
    isAway: () => connection.isAway?.() ?? false,
    ...(connection.control !== undefined && { control: controlOver(connection, way, line) }),
    async stop () {
      line.isStopped = true
      await connection.stop()
    },
    kill: () => connection.kill()
  }
}

/** For transports on which a control is a request with its own answer. */
function controlOver (connection: HostConnection, way: Way, line: Line): NonNullable<HostConnection['control']> {
  return async (control, timeoutMs) => {
    const message: ToHost = { type: 'control', control }
    line.sent.push(message)
    const acks = way.toHost(message).map(async () => await connection.control!(control, timeoutMs))
    if (acks.length > 0) return (await Promise.all(acks))[0]!
    await delay(timeoutMs)
    throw new RelayFailed('dropped', 'gateway_approval_relay_failed', { ok: false })
  }
}

function follow (runtime: AgentRuntime, spec: RunSpec): Followed {
  const events: RunEvent[] = []
  const lost: Followed['lost'] = []
  const over = new Promise<RunEvent | Followed['lost'][number]>((resolve) => {
    runtime.start(spec, {
      events (batch) {
        events.push(...batch)
        const last = batch.at(-1)
        if (last?.t === 'end') resolve(last)
      },
      lost (loss) {
        lost.push(loss)
        resolve(loss)
      }
    })
  })
  return { spec, events, lost, over }
}

/** Returns a run whose model has the same name as the run. It needs no approvals. */
export function specOf (runId: string, workspace: string, more: Partial<RunSpec> = {}): RunSpec {
  return {
    v: protocolVersion,
    runId,
    sessionId: `session of ${runId}`,
    profile: 'default',
    kind: 'chat',
    generation: 1,
    engine: 'loop',
    model: { provider: 'openai', id: runId },
    system: ['You are being tested.'],
    history: [],
    input: { text: 'Go', attachments: [] },
    places: { workspace },
    sandbox: 'off',
    toolset: 'all',
    attended: true,
    yolo: true,
    grants: [],
    denied: [],
    todos: [],
    limits: { steps: 10 },
    clarifyTimeoutS: 0,
    approvalTimeoutS: 0,
    context: { tokens: null, thresholdTokens: null },
    ...more
  }
}

/** Returns the model's text, as it was received. */
export const textOf = ({ events }: Followed): string => events.map((event) => event.t === 'token' ? event.text : '').join('')

/** Compares repeatedly until a run is over. */
export async function comparing (line: Line, followed: Followed): Promise<Awaited<Followed['over']>> {
  let last: Awaited<Followed['over']> | undefined
  void followed.over.then((value) => { last = value })
  return await eventually('the end', async () => {
    if (last === undefined) await line.compare()
    return last
  })
}

/** Waits for an event of a type. */
export async function arrived (followed: Followed, kind: RunEvent['t']): Promise<RunEvent> {
  return await eventually(`the event "${kind}"`, () => followed.events.find(({ t }) => t === kind))
}

/** Returns the numbers of a run's events as the host has assigned them, each once. */
export function numbersOf (line: Line, runId: string): number[] {
  const numbers = line.heard.flatMap((message) => message.type !== 'events'
    ? []
    : message.batches
      .filter((batch) => batch.runId === runId).flatMap(({ seq, events }) => events.map((_, index) => seq + index)))
  return [...new Set(numbers)]
}
