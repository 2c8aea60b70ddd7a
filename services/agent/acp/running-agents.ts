import { type Reason } from '../../../reasons/index.js'
import { isAbsolute } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { realPath, within } from '../../ground/files/containment.js'
import { readProfileSettings } from '../../ground/home/settings.js'
import { hostPortText } from '../../ground/network/host-port.js'
import { proxyVariables } from '../../ground/proxy/outgoing.js'
import { agentPlace, agentPresets, type ConfiguredAgent } from '../../providers/index.js'
import { untilAborted } from '../../ground/concurrency/until-aborted.js'
import { type EndedBadly } from '../protocol.js'
import { type OutOfReach } from '../sandbox/index.js'
import { statsOf } from '../sandbox/texts.js'
import { serversOf } from '../mcp/plugin-servers.js'
import { agentFailure } from './failure.js'
import { nameOf, prepare, type Isolation } from './isolation.js'
import { AgentProcess } from './process.js'
import { reachOf, refusedBy, routesOf } from './agent-reach.js'

export interface RunningOptions {
  profileHome: string
  /** Environment of the host; PATH leads to agents. */
  env: Readonly<Record<string, string>>
  /** Environment of a program in addition to its own variables. It contains no secrets of the service. */
  childEnv: Readonly<Record<string, string>>
  commandMark: string | undefined
  /** Folders of the service and of its profiles, which are hidden in every sandbox. */
  hidden: readonly string[]
  /** The port that the service listens on. */
  servicePort?: number | undefined
  idleStopMs: number
  /** How long an agent may take to initialise, and to open a session. */
  helloMs?: number
  /** Called when an agent ended on its own while no turn was using it. */
  endedBadly?: (ended: Omit<EndedBadly, 'what'>) => void
}

/** `start`: aborted when no turn waits for the agent to start any more, and when it is ended. */
interface Running {
  /** Identifies the agent and its sandbox: a process with another `key` replaces the one before. */
  slot: string
  key: string
  isolation: Isolation | null
  agent: ConfiguredAgent
  env: Record<string, string>
  /** Whether it works for one conversation and ends with each of its turns. */
  isApart: boolean
  process: Promise<AgentProcess>
  start: AbortController
  isStarted: boolean
  uses: number
  idle: NodeJS.Timeout | null
  /** Set while it is being paused or ended because no turn uses it. */
  rest: Promise<void> | null
}

const never = new AbortController().signal
/** How many agents may be paused, each for its own workspace. */
const mostAtRest = 4
const settlePauseMs = 20

/** The processes of a profile's agents: one for each agent and sandbox that is in use. */
export class RunningAgents {
  readonly #running = new Map<string, Running>()

  constructor (private readonly options: RunningOptions) {}

  /**
   * Runs `work` with the process of an agent, which is started if necessary and kept for a while. Throws AgentFailure.
   *
   * @param options.signal ends the wait for the start at once, and the start itself if no other turn waits for it; `work` is not aborted
   * @param options.apart a conversation that gets a process of its own, which ends with the work
   * @param options.onRest called with a promise that resolves when the agent no longer acts for this work
   */
  async use<T> (
    agent: ConfiguredAgent, isolation: Isolation | null, work: (process: AgentProcess) => Promise<T>,
    { signal = never, apart, onRest }: { signal?: AbortSignal, apart?: string | undefined, onRest?: (rest: Promise<void>) => void } = {}
  ): Promise<T> {
    const running = await this.#taken(agent, isolation, apart)
    try {
      return await work(await untilAborted(running.process, signal))
    } finally {
      const rest = --running.uses === 0 ? this.#restOf(running) : Promise.resolve()
      onRest?.(rest)
    }
  }

  /** Ends the process of an agent in one sandbox, if there is one. */
  async end (agent: ConfiguredAgent, isolation: Isolation): Promise<void> {
    const running = this.#running.get(slotOf(agent, isolation))
    if (running !== undefined) await this.#end(running)
  }

  /** Ends all agents. Resolves when they have ended. */
  async close (): Promise<void> {
    const all = [...this.#running.values()]
    this.#running.clear()
    await Promise.all(all.map(async (running) => {
      if (running.idle !== null) clearTimeout(running.idle)
      await end(running)
    }))
  }

  /** Returns the environment of an agent. Throws AgentFailure for a variable that is not set. */
  environmentOf (agent: ConfiguredAgent): Record<string, string> {
    const { preset, unaskedModes } = agent
    const asking = preset === null || unaskedModes === true ? {} : agentPresets[preset].askingEnv
    return { ...this.options.childEnv, ...proxyVariables(true), ...this.#ownVariables(agent), ...asking }
  }

  /** Returns the variables of its entry, filled in. Throws AgentFailure for one that is not set. */
  #ownVariables ({ id, displayName, env }: ConfiguredAgent): Record<string, string> {
    const { profileHome, env: own } = this.options
    const { env: values, envFileKeys } = readProfileSettings(profileHome, own)
    return Object.fromEntries(Object.entries(env).map(([name, value]) =>
      [name, value.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, variable: string) => {
        if (!envFileKeys.has(variable)) {
          throw agentFailure(
            'error', `${displayName} cannot be started: agents.${id}.env names ${variable}, which is not in the profile's .env.`
          )
        }
        return values[variable] ?? ''
      })]))
  }

  /** Returns what it may reach from its sandbox now. */
  #reach (agent: ConfiguredAgent, own: Readonly<Record<string, string>>): ReturnType<typeof reachOf> {
    const { profileHome, env, servicePort } = this.options
    const settings = readProfileSettings(profileHome, env)
    const variables = Object.fromEntries(Object.entries(settings.env).filter(([name]) => settings.envFileKeys.has(name)))
    return reachOf(agent, { own, servers: serversOf(settings), variables, servicePort })
  }

  /** Returns the folder of an agent that has no workspace yet. Throws AgentFailure like `environmentOf`. */
  restingFolder (agent: ConfiguredAgent): string {
    return restingFolder(this.options.profileHome, this.environmentOf(agent))
  }

  /** Returns a running process and counts it as used. Waits first for one that is just being paused. */
  async #taken (agent: ConfiguredAgent, isolation: Isolation | null, apart: string | undefined): Promise<Running> {
    for (;;) {
      const running = this.#runningOf(agent, isolation, apart)
      running.uses++
      if (running.idle !== null) clearTimeout(running.idle)
      if (running.rest === null) return running
      await running.rest
      running.rest = null
      if (this.#running.get(running.slot) === running) {
        (await running.process).pipe.continue()
        return running
      }
      running.uses--
    }
  }

  /** Returns the process for this agent. A changed command or environment starts a new one; the old one ends with its last turn. */
  #runningOf (agent: ConfiguredAgent, isolation: Isolation | null, apart: string | undefined): Running {
    const env = this.environmentOf(agent)
    const slot = apart === undefined ? slotOf(agent, isolation) : `${slotOf(agent, isolation)} ${apart}`
    const own = this.#ownVariables(agent)
    const reach = isolation === null ? 'all' : this.#reach(agent, own)
    const key = JSON.stringify([agent.command, env, reach, agent.writable, agent.protocol])
    const known = this.#running.get(slot)
    if (known?.key === key) return known
    if (known !== undefined) {
      this.#running.delete(slot)
      if (known.uses === 0) void end(known)
    }
    const { profileHome, commandMark: mark, helloMs, hidden } = this.options
    const start = new AbortController()
    const network = typeof reach === 'string'
      ? reach
      : { reach, routes: routesOf(own), refused: (refusal: OutOfReach) => this.#refused(running, refusal) }
    const prepared = isolation === null
      ? undefined
      : async (file: string) => await prepare(agent, file, isolation, { env, hidden, network })
    const running: Running = {
      slot, key, agent, env, isolation, isApart: apart !== undefined, uses: 0, idle: null, isStarted: false, start, rest: null,
      process: AgentProcess.start(
        agent, { cwd: restingFolder(profileHome, env), env, mark, signal: start.signal, helloMs, prepare: prepared }
      )
    }
    this.#running.set(slot, running)
    running.process.then((process) => {
      running.isStarted = true
      void process.pipe.closed.then(() => {
        this.#forget(running)
        // A turn reports the end itself, and an agent that the service has ended is no news.
        if (running.uses === 0 && !start.signal.aborted) {
          this.options.endedBadly?.({
            name: agent.id, host: null, code: 'interrupted', attempts: 1,
            reason: `${agent.displayName} has ended: ${process.pipe.ending}.`.slice(0, 300)
          })
        }
      })
    }, () => this.#forget(running))
    return running
  }

  #refused ({ agent, process }: Running, refusal: OutOfReach): void {
    const { profileHome, env } = this.options
    const said = (): Reason => {
      const key = `${agentPlace(readProfileSettings(profileHome, env).config, agent.id).join('.')}.network`
      return refusedBy(agent, refusal, key)
    }
    void process.then((started) => started.refused(hostPortText(refusal.place), said), () => {})
  }

  #forget (running: Running): void {
    if (this.#running.get(running.slot) === running) this.#running.delete(running.slot)
  }

  async #restOf (running: Running): Promise<void> {
    if (this.#running.get(running.slot) !== running) return await end(running)
    // The next turn must not wait for a process that no longer starts.
    if (!running.isStarted) return await this.#end(running)
    if (running.isApart) {
      running.rest = this.#endStill(running)
      return await running.rest
    }
    running.idle = setTimeout(() => { void this.#end(running) }, this.options.idleStopMs)
    running.idle.unref()
    if (running.isolation === null) return
    running.rest = this.#rest(running)
    await running.rest
  }

  /**
   * Pauses an agent between turns, or ends it if it cannot be paused: what it does in its sandbox is only checked after turns. Never
   * rejects.
   */
  async #rest (running: Running): Promise<void> {
    const { pipe } = await running.process
    await stillness(running)
    if (running.uses > 0 || pipe.isClosed) return
    // Processes that share the container with the service cannot be recognised by their parents.
    if (running.isolation?.sandbox.kind !== 'bwrap' || !await pipe.stop()) return await this.#end(running)
    const resting = [...this.#running.values()].filter(({ uses, rest }) => uses === 0 && rest !== null)
    for (const oldest of resting.slice(0, Math.max(0, resting.length - mostAtRest))) void this.#end(oldest)
  }

  /** Ends a process when none of its sessions is busy any more. */
  async #endStill (running: Running): Promise<void> {
    await stillness(running)
    await this.#end(running)
  }

  async #end (running: Running): Promise<void> {
    this.#forget(running)
    if (running.idle !== null) clearTimeout(running.idle)
    await end(running)
  }
}

/** Resolves when none of its sessions is busy: a cancelled turn is busy until the agent confirms it. */
async function stillness (running: Running): Promise<void> {
  const { pipe, sessions } = await running.process
  while (running.uses === 0 && !pipe.isClosed && [...sessions.values()].some(({ isBusy }) => isBusy)) await delay(settlePauseMs)
}

const slotOf = (agent: ConfiguredAgent, isolation: Isolation | null): string => `${agent.id} ${nameOf(isolation)}`

/** Returns the home folder, unless it is inside the profile: some agents read a `.env` there or above, and the profile's holds keys. */
function restingFolder (profileHome: string, { HOME: home }: Readonly<Record<string, string>>): string {
  return home !== undefined && isAbsolute(home) && statsOf(home)?.isDirectory() === true && !within(realPath(profileHome), realPath(home))
    ? home
    : '/'
}

/** Ends a process, however far its start has come. Resolves when it has ended. */
async function end ({ process, start }: Running): Promise<void> {
  start.abort()
  await process.then(async (started) => await started.close(), () => {})
}
