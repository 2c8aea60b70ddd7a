import { type FastifyInstance } from 'fastify'
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asset } from '../../services/ground/assets.js'
import { buildApp } from '../../app.js'
import { machinesOf } from '../../plugins/areas/agent.js'
import { type AuthPluginOptions } from '../../plugins/areas/auth.js'
import { type GoalsPluginOptions } from '../../plugins/areas/goals.js'
import { readConfig } from '../../plugins/ground/config.js'
import { loggerOptions } from '../../plugins/ground/logging.js'
import { type SharedPorts } from '../../plugins/ground/shared-app.js'
import { type MachinesPluginOptions } from '../../plugins/areas/machines.js'
import { type UpdatesPluginOptions } from '../../plugins/areas/updates.js'
import { type VoicePluginOptions } from '../../plugins/areas/voice.js'
import { boundaryFolder, dispatching, forkTransport } from '../../services/agent/index.js'
import { type HostTransport } from '../../services/agent/runtime/connection.js'
import { inprocTransport } from '../../services/agent/runtime/inproc.js'
import { type CommandReader } from '../../services/agent/policy/index.js'
import { type Clock } from '../../services/ground/time/clock.js'
import { openDatabase } from '../../services/ground/database/index.js'
import { shareCompiled } from './compiled.js'
import { fresh } from './database.js'
import { type TestMachine } from './relayed-machine.js'
import { openEvents, type EventReader } from './events.js'
import { eventually, type CardKind } from './eventually.js'
import { foundSandbox } from './sandbox.js'
import { assertTemporary } from './temporary.js'
import { checkWire } from './wire.js'

export type Json = any // eslint-disable-line @typescript-eslint/no-explicit-any -- what the wire carries is what a test looks into

/** The parts of a test that are used here, so that nested tests can be passed too. */
export interface TestLike {
  teardown (callback: () => unknown): unknown
  fail (message: string): unknown
}

export interface StartOptions {
  /** Variables of the service, including those of the model providers. */
  env?: Record<string, string>
  /** `fork`: a real host process (from dist). Default: the host in this process. */
  hosts?: 'inproc' | 'fork'
  clock?: Clock
  /** Uses an existing folder, to start a service on what another one has left. */
  folder?: string
  /** Keeps the database in a file although no folder was given. Default: in memory. */
  onDisk?: boolean
  timing?: { retryBaseMs?: number, firstChunkMs?: number, nextChunkMs?: number, silenceMs?: number }
  /** Timing of the host. Default: a turn waits for new MCP servers as long as a busy machine may take. */
  mcpTiming?: { idleStopMs?: number, patienceMs?: number }
  agentTiming?: { idleStopMs?: number, helloMs?: number }
  /** Words per second of the built-in demo; 0 = at once. */
  demoWordsPerSecond?: number
  /** Called with each log line, warnings and worse, as it would be printed. */
  log?: (line: Record<string, unknown>) => void
  /** How the host in this process parses commands. Default: in its own thread. */
  readCommand?: CommandReader
  /** How hosts are reached; `local` is the default transport. */
  transport?: (local: HostTransport, app: FastifyInstance) => HostTransport
  updates?: UpdatesPluginOptions
  /** Default: password hashes that cost next to nothing. */
  auth?: AuthPluginOptions
  goals?: GoalsPluginOptions
  voice?: VoicePluginOptions
  machines?: MachinesPluginOptions
  /** Makes sessions work on a machine of this name, which has joined the service; their folders are nevertheless on this machine. */
  machine?: string
  /** Folders that this machine opens for workspaces, besides the service's own. */
  opens?: string[]
}

export interface Answer { status: number, headers: Headers, body: any, text: string } // eslint-disable-line @typescript-eslint/no-explicit-any -- what the wire carries is what a test looks into

export interface RegisteredRoute { method: string, url: string, bodyLimit: number | undefined, query: string[], isPublic: boolean, scope: string | undefined, changes: true | 'opened' | undefined, isRelayed: boolean, isAudited: boolean, response: Record<string, object> }

export interface TestService {
  app: FastifyInstance
  url: string
  folder: string
  workspace: string
  /** All routes, including undocumented ones. */
  routes: RegisteredRoute[]
  get (path: string, headers?: Record<string, string>): Promise<Answer>
  post (path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  events (path: string, headers?: Record<string, string>): Promise<EventReader>
  /** Returns the id of a new session. */
  newSession (body?: Record<string, unknown>): Promise<string>
  /** Sends a message; returns the id of its stream. */
  send (sessionId: string, message: string, more?: Record<string, unknown>): Promise<string>
  /** Waits for an open card of a session, or until exactly `count` are open; returns the oldest. */
  pending (sessionId: string, kind?: CardKind, count?: number): Promise<any> // eslint-disable-line @typescript-eslint/no-explicit-any -- as above
  /** Answers an approval; without an id, the oldest of the session. */
  respond (sessionId: string, choice: string, approvalId?: string): Promise<Answer>
  /** Returns the session object with all messages. */
  session (sessionId: string): Promise<any> // eslint-disable-line @typescript-eslint/no-explicit-any -- as above
  stop (): Promise<void>
  /** The machine that sessions work on; null if there is none. */
  machine: TestMachine | null
  /** What works in their folders: that machine, otherwise the service itself. */
  there: SharedPorts
  /** Returns the name under which sessions know a folder on that machine. */
  named (path: string): string
}

/** Starts a real service on a real socket, stopped at the end of the test. Every answer is checked against its route's schema. */
export async function start (t: TestLike, options: StartOptions = {}): Promise<TestService> {
  const folder = realpathSync(options.folder ?? mkdtempSync(join(tmpdir(), 'service-')))
  const workspace = join(folder, 'workspace')
  if (options.updates?.installation !== undefined && 'root' in options.updates.installation) assertTemporary(options.updates.installation.root)
  mkdirSync(join(folder, 'home', 'webui'), { recursive: true })
  mkdirSync(workspace, { recursive: true })
  const config = readConfig({
    PATH: process.env.PATH,
    HOME: folder,
    SVC_HOME: join(folder, 'home'),
    SVC_WEBUI_DEFAULT_WORKSPACE: workspace,
    SVC_WEBUI_PROBE_LOCAL: '0',
    // Without a sandbox, commands do the same on every machine; tests of the sandbox switch it on.
    SVC_WEBUI_SANDBOX: '0',
    SVC_WEBUI_PORT: '0',
    ...options.env
  })
  const onDisk = options.onDisk === true || options.folder !== undefined
  const shared = {
    serviceRoots: [config.stateDir, config.backup.folder],
    stateDir: config.stateDir,
    boundaryFolder: boundaryFolder(config.stateDir),
    env: config.env,
    timing: { retryBaseMs: 5, ...options.timing },
    mcpTiming: { patienceMs: 60_000, ...options.mcpTiming },
    agentTiming: options.agentTiming,
    servicePort: config.port,
    demoWordsPerSecond: options.demoWordsPerSecond ?? 0
  }
  const routes: RegisteredRoute[] = []
  const name = options.machine ?? process.env.TEST_MACHINE
  const inThisProcess = (profileHome: (profile: string) => string): HostTransport => inprocTransport({ ...shared, profileHome, findSandbox: () => foundSandbox(config.env), readCommand: options.readCommand })
  const machine = name === undefined
    ? null
    : await (await import('./relayed-machine.js')).joinMachine(t, { name, folders: [folder, ...options.opens ?? []], config, clock: options.clock, hosts: inThisProcess })
  const app = await buildApp({
    config,
    environment: process.env,
    db: openDatabase(onDisk ? { file: fresh(join(config.stateDir, 'service.db')) } : { file: ':memory:', from: fresh() }),
    clock: options.clock,
    logger: options.log === undefined ? undefined : loggerOptions('warn', { write: (line) => options.log?.(JSON.parse(line) as Record<string, unknown>) }),
    updates: options.updates,
    auth: options.auth ?? { passwordCost: { N: 2 ** 10, r: 8, p: 1 } },
    goals: options.goals,
    voice: options.voice,
    machines: options.machines,
    relay: machine?.relay,
    transport (instance) {
      const profileHome = instance.profiles.homeOf
      const local = options.hosts === 'fork'
        ? forkTransport({ ...shared, profileHome, defaultHome: config.home, entry: asset('dist/services/agent/host/main.js') })
        : inThisProcess(profileHome)
      const own = options.transport?.(local, instance) ?? (config.nats === null ? local : dispatching(local, machinesOf(instance)))
      return machine?.transport(own, instance) ?? own
    },
    prepare (instance) {
      shareCompiled(instance)
      checkWire(instance, t)
      instance.addHook('onRoute', (route) => {
        const { method, url, bodyLimit, schema } = route
        // The final route: hooks that run later may still change it.
        for (const each of [method].flat()) {
          routes.push({
            method: each, url, bodyLimit,
            get query () { return Object.keys((schema?.querystring as { properties?: object } | undefined)?.properties ?? {}) },
            get response () { return (schema?.response ?? {}) as Record<string, object> },
            get isPublic () { return route.config?.access === 'public' },
            get scope () { return route.config?.scope },
            get changes () { return route.config?.changes },
            get isRelayed () { return route.config?.relay !== undefined },
            get isAudited () { return route.config?.audit !== undefined }
          })
        }
      })
    }
  })
  machine?.take(app)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  let stopped = false
  const stop = async () => {
    if (stopped) return
    stopped = true
    await app.close()
    await machine?.leave()
  }
  t.teardown(async () => {
    await stop()
    if (options.folder === undefined) rmSync(folder, { recursive: true, force: true })
  })

  const call = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await fetch(url + path, { redirect: 'manual', ...init })
    const text = await response.text()
    let body: unknown = null
    try {
      body = JSON.parse(text)
    } catch {}
    return { status: response.status, headers: response.headers, body, text }
  }
  const service: TestService = {
    app,
    url,
    folder,
    workspace,
    routes,
    machine,
    there: machine?.machine.app ?? app,
    named: (path) => name === undefined ? path : `${name}:${path}`,
    stop,
    get: (path, headers = {}) => call(path, { headers }),
    post: (path, body = {}, headers = {}) => call(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body)
    }),
    events: (path, headers) => openEvents(url + path, headers),
    async newSession (body = {}) {
      const answer = await service.post('/api/session/new', body)
      if (answer.status !== 200) throw new Error(`no session: ${answer.text}`)
      return answer.body.session.session_id as string
    },
    async send (sessionId, message, more = {}) {
      const answer = await service.post('/api/chat/start', { session_id: sessionId, message, ...more })
      if (answer.status !== 200) throw new Error(`no turn: ${answer.status} ${answer.text}`)
      return answer.body.stream_id as string
    },
    pending: async (sessionId, kind = 'approval', count) => await eventually(`an open ${kind}`, async () => {
      const { body } = await service.get(`/api/${kind}/pending?session_id=${sessionId}`)
      return (count === undefined || body.pending_count === count) && body.pending
    }),
    respond: (sessionId, choice, approvalId) => service.post('/api/approval/respond', { session_id: sessionId, choice, approval_id: approvalId }),
    session: async (sessionId) => (await service.get(`/api/session?session_id=${sessionId}`)).body.session
  }
  return service
}
