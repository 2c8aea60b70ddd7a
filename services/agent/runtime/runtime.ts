import { randomUUID } from 'node:crypto'
import { Conflict, RelayFailed } from '../../ground/errors.js'
import { type AuxRequest, type AuxTask, type AuxTasks, type Control, type ControlAck, type ControlBody, type FromHost, type RunBatch, type RunSpec, type ToHost } from '../protocol.js'
import { type SandboxStatus } from '../sandbox/index.js'
import { FollowedRun, type RunObserver } from './followed-run.js'

/** A connection to a host, however it is reached. Messages are plain JSON and arrive in order. */
export interface HostConnection {
  send (message: ToHost): void
  onMessage (listener: (message: FromHost) => void): void
  /** Called once when the host is gone, whatever the reason. */
  onExit (listener: (reason: string) => void): void
  /** Ends the host; its runs die with it. Resolves when it is gone, and the commands of its runs. */
  stop (): Promise<void>
  /** Ends a host that does not listen any more. */
  kill (): void
  readonly pid: number | null
}

/** Starts or reaches the host of a profile. */
export interface HostTransport {
  (profile: string): HostConnection
  /** Called once, when no host is left. */
  close? (): Promise<void>
}

export interface HostHealth {
  running: boolean
  pid: number | null
  sinceMs: number | null
  runs: number
  /** How it confines terminal commands; null until it has told. */
  sandbox: SandboxStatus | null
}

/** What the rest of the service knows of the agent. */
export interface AgentRuntime {
  /** Hands a turn to the host of its profile, starting the host if need be. */
  start (spec: RunSpec, observer: RunObserver): void
  /**
   * Sends a control and waits for its acknowledgement. Throws Conflict (`gateway_run_unavailable`) when the run has no
   * live owner, and RelayFailed when the owner does not answer in time.
   */
  control (profile: string, control: ControlBody & { runId: string }): Promise<ControlAck>
  /** A small model task beside the turns; null when there is no answer in time. */
  aux<T extends AuxTask> (profile: string, request: Omit<AuxRequest<T>, 'requestId'>, timeoutMs: number): Promise<AuxTasks[T]['result'] | null>
  /** Starts the host ahead of its first turn. */
  warm (profile: string): void
  health (profile: string): HostHealth
  /** What it holds, for tests and metrics. */
  size (): { hosts: number, runs: number, waiting: number }
  /** Resolves when every host has ended. */
  stop (): Promise<void>
}

interface Host {
  connection: HostConnection
  ready: boolean
  sandbox: SandboxStatus | null
  sinceMs: number
  runs: Map<string, FollowedRun>
  idleTimer: NodeJS.Timeout | null
  heartbeat: NodeJS.Timeout
  /** Pings in a row that had no answer. */
  missed: number
}

export interface RuntimeOptions {
  transport: HostTransport
  log?: (message: string, details: Record<string, unknown>) => void
  controlTimeoutMs?: number
  heartbeatMs?: number
  idleStopMs?: number
  /** Calls back when everything that observers were handed so far is stored. Default: at once. */
  whenStored?: (callback: () => void) => void
}

/** After so many heartbeats without an answer a host counts as stuck: it is killed and its turns end honestly. */
const missedHeartbeats = 3

/** One host per profile, started when needed and again after it has died. */
export function createAgentRuntime ({ transport, log = () => {}, controlTimeoutMs = 10_000, heartbeatMs = 5_000, idleStopMs = 30 * 60_000, whenStored = (callback) => callback() }: RuntimeOptions): AgentRuntime {
  const hosts = new Map<string, Host>()
  const waiting = new Map<string, { settle: (ack: ControlAck) => void, fail: () => void, host: Host }>()
  const auxWaiting = new Map<string, { settle: (result: unknown) => void, host: Host }>()
  /** Hosts on their way out. */
  const leaving = new Set<Promise<void>>()
  let stopped = false

  function leave (host: Host): Promise<void> {
    clearInterval(host.heartbeat)
    const left = host.connection.stop().finally(() => leaving.delete(left))
    leaving.add(left)
    return left
  }

  function hostOf (profile: string): Host {
    const known = hosts.get(profile)
    if (known !== undefined) return known
    const connection = transport(profile)
    const host: Host = { connection, ready: false, sandbox: null, sinceMs: Date.now(), runs: new Map(), idleTimer: null, heartbeat: setInterval(() => beat(profile, host), heartbeatMs), missed: 0 }
    host.heartbeat.unref()
    hosts.set(profile, host)
    connection.onMessage((message) => receive(host, message))
    connection.onExit((reason) => gone(profile, host, reason))
    return host
  }

  function beat (profile: string, host: Host): void {
    if (host.missed >= missedHeartbeats) {
      log('an agent host does not respond and is killed', { profile, pid: host.connection.pid, runs: host.runs.size })
      host.connection.kill()
      return
    }
    host.missed++
    host.connection.send({ type: 'ping' })
  }

  function receive (host: Host, message: FromHost): void {
    host.missed = 0
    switch (message.type) {
      case 'pong':
        return
      case 'ready':
        host.ready = true
        return
      case 'sandbox':
        host.sandbox = message.status
        return
      case 'events':
        return relay(host, message.batches)
      case 'ack':
        return waiting.get(message.ack.controlId)?.settle(message.ack)
      case 'aux':
        if (message.reply.error !== undefined) log('a model task beside the turn failed', { reason: message.reply.error })
        return auxWaiting.get(message.reply.requestId)?.settle(message.reply.result)
    }
  }

  /** Hands each run its events in one call per batch, so that they are committed together. */
  function relay (host: Host, batches: RunBatch[]): void {
    for (const batch of batches) {
      const run = host.runs.get(batch.runId)
      if (run === undefined) continue
      const taken = run.take(batch)
      if (taken === 'missed') {
        host.runs.delete(run.runId)
        run.lost('events of the run were lost on their way')
      } else if (taken === 'portion') tellStored(host, run)
      if (run.isOver) host.runs.delete(run.runId)
    }
    if (host.runs.size === 0) stopWhenIdle(host)
  }

  /** Lets the host go on with a run whose events are stored. It is told in portions: a slow run never waits for that. */
  function tellStored (host: Host, { runId, received }: FollowedRun): void {
    whenStored(() => { if (!stopped) host.connection.send({ type: 'stored', runId, seq: received }) })
  }

  function stopWhenIdle (host: Host): void {
    if (host.idleTimer !== null) clearTimeout(host.idleTimer)
    host.idleTimer = setTimeout(() => {
      const isBusy = host.runs.size > 0 || [...auxWaiting.values()].some((entry) => entry.host === host)
      if (isBusy) return stopWhenIdle(host)
      // Whoever comes from now on gets a new host, not the one that is leaving.
      for (const [profile, known] of hosts) if (known === host) hosts.delete(profile)
      void leave(host)
    }, idleStopMs)
    host.idleTimer.unref()
  }

  function gone (profile: string, host: Host, reason: string): void {
    if (hosts.get(profile) === host) hosts.delete(profile)
    if (host.idleTimer !== null) clearTimeout(host.idleTimer)
    clearInterval(host.heartbeat)
    if (!stopped && host.runs.size > 0) log('an agent host ended with turns running', { profile, reason, runs: host.runs.size })
    for (const entry of [...waiting.values()]) if (entry.host === host) entry.fail()
    for (const entry of [...auxWaiting.values()]) if (entry.host === host) entry.settle(null)
    const runs = [...host.runs.values()]
    host.runs.clear()
    for (const run of runs) run.lost(reason)
  }

  return {
    start (spec, observer) {
      if (stopped) return observer.lost('the service is stopping')
      const host = hostOf(spec.profile)
      if (host.idleTimer !== null) clearTimeout(host.idleTimer)
      host.runs.set(spec.runId, new FollowedRun(spec.runId, spec.generation, observer))
      host.connection.send({ type: 'start', spec })
    },

    async control (profile, body) {
      const host = hosts.get(profile)
      if (host === undefined || !host.runs.has(body.runId)) {
        throw new Conflict('The run is not reachable any more', 'gateway_run_unavailable', { ok: false })
      }
      const control: Control = { ...body, controlId: randomUUID() }
      return await new Promise<ControlAck>((resolve, reject) => {
        const timer = setTimeout(() => entry.fail(), controlTimeoutMs)
        const leave = () => {
          clearTimeout(timer)
          waiting.delete(control.controlId)
        }
        const entry = {
          host,
          settle (ack: ControlAck) {
            leave()
            resolve(ack)
          },
          fail () {
            leave()
            reject(new RelayFailed('The agent did not acknowledge in time', 'gateway_approval_relay_failed', { ok: false }))
          }
        }
        waiting.set(control.controlId, entry)
        host.connection.send({ type: 'control', control })
      })
    },

    async aux<T extends AuxTask> (profile: string, request: Omit<AuxRequest<T>, 'requestId'>, timeoutMs: number) {
      const requestId = randomUUID()
      const host = hostOf(profile)
      return await new Promise<AuxTasks[T]['result'] | null>((resolve) => {
        const settle = (result: unknown) => {
          clearTimeout(timer)
          auxWaiting.delete(requestId)
          resolve(result as AuxTasks[T]['result'] | null)
        }
        const timer = setTimeout(() => settle(null), timeoutMs)
        auxWaiting.set(requestId, { settle, host })
        host.connection.send({ type: 'aux', request: { ...request, requestId } as AuxRequest })
      })
    },

    warm (profile) {
      hostOf(profile)
    },

    health (profile) {
      const host = hosts.get(profile)
      if (host === undefined) return { running: false, pid: null, sinceMs: null, runs: 0, sandbox: null }
      return { running: host.ready, pid: host.connection.pid, sinceMs: host.sinceMs, runs: host.runs.size, sandbox: host.sandbox }
    },

    size () {
      let runs = 0
      for (const host of hosts.values()) runs += host.runs.size
      return { hosts: hosts.size, runs, waiting: waiting.size + auxWaiting.size }
    },

    async stop () {
      stopped = true
      for (const host of hosts.values()) void leave(host)
      await Promise.all(leaving)
      await transport.close?.()
    }
  }
}
