import { isAbsolute } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { realPath, within } from '../../ground/containment.js'
import { fieldsOf } from '../../ground/fields.js'
import { readProfileSettings } from '../../ground/home/settings.js'
import { inScratch } from '../../ground/scratch.js'
import { variablesOut } from '../../ground/proxy/way-out.js'
import { agentOf, agentPresets, type ConfiguredAgent } from '../../providers/index.js'
import { type PlacedSpec } from '../engines/engine.js'
import { type EndedBadly } from '../protocol.js'
import { untilAborted } from '../engines/model-step.js'
import { agentFailure, AgentFailure } from './failure.js'
import { nameOf, placeOf, prepare, type Isolation, type Place } from './isolation.js'
import { keepSession, lastMarker, readSession, stillHolds, type KeptSession } from './kept-sessions.js'
import { passedServers } from './mcp-servers.js'
import { serversOf } from '../mcp/plugin-servers.js'
import { agentTarget, keepOffer, offerOf, readOptions, type AgentOffer } from './offer.js'
import { type SandboxStatus } from '../sandbox/index.js'
import { statsOf } from '../sandbox/texts.js'
import { AgentProcess } from './process.js'
import { AgentSession } from './session.js'
import { text } from './wire.js'

export interface AgentsOptions {
  profileHome: string
  /** Environment of the host; PATH leads to agents. */
  env: Readonly<Record<string, string>>
  /** What a program sees besides its own variables: nothing of the service's secrets. */
  childEnv: Readonly<Record<string, string>>
  commandMark: string | undefined
  /** Folders of the service and of its profiles, which nobody sees in a sandbox. */
  hidden: readonly string[]
  sandbox: () => Promise<SandboxStatus>
  idleStopMs: number
  /** How long one has to say hello, and to open a session. */
  helloMs?: number
  /** One ended by itself while no turn was with it. */
  endedBadly?: (ended: Omit<EndedBadly, 'what'>) => void
}

/** `start`: aborted when nobody waits for the agent to come up any more. */
interface Running {
  /** What it is known by; another command or environment takes the place of the one before. */
  slot: string
  key: string
  isolation: Isolation | null
  agent: ConfiguredAgent
  env: Record<string, string>
  process: Promise<AgentProcess>
  start: AbortController
  isStarted: boolean
  uses: number
  idle: NodeJS.Timeout | null
  /** Nobody uses it, and it comes to a standstill. */
  rest: Promise<void> | null
}

/** What a session is opened for. */
type Conversation = Pick<PlacedSpec, 'sessionId' | 'workspace' | 'history' | 'toolset'>

/** A session of an agent, ready for a turn; `known`: so many messages of the history it holds already. */
export interface OpenedSession { session: AgentSession, turn: number, known: number, leftOut: string[] }

const never = new AbortController().signal
const openMs = 20_000
/** All that was said in it is told once more. */
const loadMs = 60_000
const mostLive = 256
/** Agents that stand still, each for a workspace of its own. */
const mostAtRest = 4
const settlePauseMs = 20

/** The agents of one profile: a process for each that is in use, with a session for each conversation. */
export class Agents {
  readonly #running = new Map<string, Running>()
  readonly #live = new Map<string, AgentSession>()

  constructor (readonly options: AgentsOptions) {}

  /** The agent of an id, as the profile has it now. Throws AgentFailure. */
  agent (id: string): ConfiguredAgent {
    const { profileHome, env } = this.options
    const agent = agentOf(readProfileSettings(profileHome, env).config, id, env['PATH'])
    if (agent === undefined) {
      throw agentFailure(
        'model_not_found', `The agent "${id.slice(0, 80)}" is not set up in this profile any more.`,
        'Choose another model, or add it under "agents" in config.yaml.'
      )
    }
    return agent
  }

  /**
   * Runs `work` with the process of an agent, which is started if need be and goes on for a while. Throws AgentFailure.
   *
   * @param options.signal ends the wait for the start at once, and the start itself when nobody else waits for it; `work` sees to itself
   * @param options.onRest gets a promise that resolves when nothing of the agent acts for this work any more
   */
  async use<T> (
    agent: ConfiguredAgent, isolation: Isolation | null, work: (process: AgentProcess) => Promise<T>,
    { signal = never, onRest }: { signal?: AbortSignal, onRest?: (rest: Promise<void>) => void } = {}
  ): Promise<T> {
    const running = await this.#taken(agent, isolation)
    try {
      return await work(await untilAborted(running.process, signal))
    } finally {
      const rest = --running.uses === 0 ? this.#restOf(running) : Promise.resolve()
      onRest?.(rest)
    }
  }

  /** Where a turn of an agent runs. Throws AgentFailure where it must be in the sandbox, and there is none. */
  async placeOf (agent: ConfiguredAgent, spec: Pick<PlacedSpec, 'workspace' | 'readable' | 'sandbox'>): Promise<Place> {
    return await placeOf(agent, spec, this.options)
  }

  /** The session that a conversation goes on in: the live one, a loaded one, or a new one that knows nothing. Throws AgentFailure. */
  async open (agent: ConfiguredAgent, process: AgentProcess, conversation: Conversation): Promise<OpenedSession> {
    const { profileHome, env } = this.options
    const { sessionId, workspace, history } = conversation
    const settings = readProfileSettings(profileHome, env)
    const variables = Object.fromEntries(Object.entries(settings.env).filter(([name]) => settings.envFileKeys.has(name)))
    const { servers, leftOut } = passedServers(serversOf(settings), variables, process.initialized)
    const marker = lastMarker(history, agent.id)
    const kept = readSession(profileHome, sessionId)
    const fits = kept !== null && kept.agent === agent.id && kept.target === agentTarget(agent) && kept.folder === workspace &&
      stillHolds(kept, marker)
    if (fits) {
      const live = this.#live.get(sessionId)
      const session = live?.id === kept.session && live.process === process && live.isUsable
        ? live
        : await this.#load(process, kept, servers)
      if (session !== null) {
        return {
          session: this.#remember(sessionId, session), turn: kept.isOpen ? kept.turn : kept.turn + 1,
          known: marker === null ? 0 : marker.index + 1, leftOut: []
        }
      }
    }
    const opened = await this.#new(agent, process, { cwd: workspace, mcpServers: servers })
    return { session: this.#remember(sessionId, opened), turn: 1, known: 0, leftOut }
  }

  /** A turn begins in a session, or has come to its end. */
  async keep (
    agent: ConfiguredAgent, { sessionId, workspace }: Conversation, { session, turn }: OpenedSession, isOpen: boolean
  ): Promise<void> {
    const kept: KeptSession = { agent: agent.id, target: agentTarget(agent), session: session.id, folder: workspace, turn, isOpen }
    await keepSession(this.options.profileHome, sessionId, kept)
  }

  /** Starts an agent and asks it what it has. Throws AgentFailure. */
  async look (id: string, rule: PlacedSpec['sandbox']): Promise<{ agent: ConfiguredAgent, offer: AgentOffer }> {
    const agent = this.agent(id)
    return await inScratch('agent', async (scratch) => {
      const { isolation } = await this.placeOf(agent, { workspace: scratch, readable: [], sandbox: rule })
      const cwd = isolation?.workspace ?? restingFolder(this.options.profileHome, this.#environmentOf(agent))
      const offer = await this.use(agent, isolation, async (process) => {
        const session = await this.#new(agent, process, { cwd, mcpServers: [] })
        await session.settled()
        const found = offerOf(session.process.initialized, session.options, session.commands)
        await keepOffer(this.options.profileHome, agent.id, agent, found)
        session.leave()
        return found
      })
      const running = isolation === null ? undefined : this.#running.get(slotOf(agent, isolation))
      if (running !== undefined) await this.#end(running)
      return { agent, offer }
    })
  }

  /** Keeps what a session has shown of its agent, where that is news. */
  async note (agent: ConfiguredAgent, session: AgentSession): Promise<void> {
    const offer = offerOf(session.process.initialized, session.options, session.commands)
    const noted = JSON.stringify(offer)
    if (session.noted === noted) return
    session.noted = noted
    await keepOffer(this.options.profileHome, agent.id, agent, offer)
  }

  /** Ends all of them. Resolves when nothing of them is left. */
  async close (): Promise<void> {
    const all = [...this.#running.values()]
    this.#running.clear()
    await Promise.all(all.map(async (running) => {
      if (running.idle !== null) clearTimeout(running.idle)
      await end(running)
    }))
  }

  /** A process that goes on, counted as used; one that comes to a standstill is let do so first. */
  async #taken (agent: ConfiguredAgent, isolation: Isolation | null): Promise<Running> {
    for (;;) {
      const running = this.#runningOf(agent, isolation)
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

  /** Another command or environment is another process; the one of before ends with its last turn. */
  #runningOf (agent: ConfiguredAgent, isolation: Isolation | null): Running {
    const env = this.#environmentOf(agent)
    const slot = slotOf(agent, isolation)
    const key = JSON.stringify([agent.command, env, agent.network, agent.writable])
    const known = this.#running.get(slot)
    if (known?.key === key) return known
    if (known !== undefined) {
      this.#running.delete(slot)
      if (known.uses === 0) void end(known)
    }
    const { profileHome, commandMark: mark, helloMs, hidden } = this.options
    const start = new AbortController()
    const prepared = isolation === null ? undefined : async (file: string) => await prepare(agent, file, isolation, { env, hidden })
    const running: Running = {
      slot, key, agent, env, isolation, uses: 0, idle: null, isStarted: false, start, rest: null,
      process: AgentProcess.start(
        agent, { cwd: restingFolder(profileHome, env), env, mark, signal: start.signal, helloMs, prepare: prepared }
      )
    }
    this.#running.set(slot, running)
    running.process.then((process) => {
      running.isStarted = true
      void process.pipe.closed.then(() => {
        this.#forget(running)
        // A turn tells of its end by itself, and what was ended by us is no news.
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

  #forget (running: Running): void {
    if (this.#running.get(running.slot) === running) this.#running.delete(running.slot)
  }

  async #restOf (running: Running): Promise<void> {
    if (this.#running.get(running.slot) !== running) return await end(running)
    // The next turn is not to wait for one that comes up no more.
    if (!running.isStarted) return await this.#end(running)
    running.idle = setTimeout(() => { void this.#end(running) }, this.options.idleStopMs)
    running.idle.unref()
    if (running.isolation === null) return
    running.rest = this.#rest(running)
    await running.rest
  }

  /**
   * What an agent does in its sandbox is looked at after each turn, so between turns it does nothing: it stands still, or ends where that
   * cannot be had. Never rejects.
   */
  async #rest (running: Running): Promise<void> {
    const { pipe, sessions } = await running.process
    // One that was cancelled says so first.
    while (running.uses === 0 && !pipe.isClosed && [...sessions.values()].some(({ isBusy }) => isBusy)) await delay(settlePauseMs)
    if (running.uses > 0 || pipe.isClosed) return
    // Processes that share the container with the service cannot be told by their parents.
    if (running.isolation?.sandbox.kind !== 'bwrap' || !await pipe.stop()) return await this.#end(running)
    const resting = [...this.#running.values()].filter(({ uses, rest }) => uses === 0 && rest !== null)
    for (const oldest of resting.slice(0, Math.max(0, resting.length - mostAtRest))) void this.#end(oldest)
  }

  async #end (running: Running): Promise<void> {
    this.#forget(running)
    if (running.idle !== null) clearTimeout(running.idle)
    await end(running)
  }

  /** Throws AgentFailure for a variable that is not there. */
  #environmentOf ({ id, displayName, env, preset, unaskedModes }: ConfiguredAgent): Record<string, string> {
    const { profileHome, env: own, childEnv } = this.options
    const { env: values, envFileKeys } = readProfileSettings(profileHome, own)
    const filled = Object.entries(env).map(([name, value]) =>
      [name, value.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, variable: string) => {
        if (!envFileKeys.has(variable)) {
          throw agentFailure(
            'error', `${displayName} cannot be started: agents.${id}.env names ${variable}, which is not in the profile's .env.`
          )
        }
        return values[variable] ?? ''
      })])
    const asking = preset === null || unaskedModes === true ? {} : agentPresets[preset].askingEnv
    return { ...childEnv, ...variablesOut(true), ...Object.fromEntries(filled), ...asking }
  }

  async #new (agent: ConfiguredAgent, process: AgentProcess, params: { cwd: string, mcpServers: unknown[] }): Promise<AgentSession> {
    const { helloMs: limitMs = openMs } = this.options
    let opened: Readonly<Record<string, unknown>>
    try {
      opened = await process.request('session/new', params, limitMs)
    } catch (error) {
      // The next message is to have another one, unless others are at work in it.
      const isHung = error instanceof AgentFailure && error.failure.type === 'no_response'
      if (isHung && ![...process.sessions.values()].some(({ isBusy }) => isBusy)) void process.close('it opened no session')
      if (!(error instanceof AgentFailure) || error.failure.type !== 'auth_mismatch' ||
        !await process.authenticate(this.#environmentOf(agent))) throw error
      opened = await process.request('session/new', params, limitMs)
    }
    const id = text(opened['sessionId'])
    if (id === undefined || id === '') throw agentFailure('error', `${agent.displayName} opened a session without an id.`)
    if (process.sessions.has(id)) throw agentFailure('error', `${agent.displayName} opened a session under the id of another one.`)
    return new AgentSession(process, id, readOptions(opened))
  }

  /** Null where the agent cannot, or does not have it any more. */
  async #load (process: AgentProcess, { session: id, folder: cwd }: KeptSession, mcpServers: unknown[]): Promise<AgentSession | null> {
    const { loadSession, sessionCapabilities } = fieldsOf(process.initialized['agentCapabilities'])
    const method = fieldsOf(sessionCapabilities)['resume'] != null ? 'session/resume' : loadSession === true ? 'session/load' : null
    if (method === null) return null
    // What it says again meanwhile is ours already.
    const session = new AgentSession(process, id, readOptions({}))
    try {
      session.options = readOptions(await process.request(method, { sessionId: id, cwd, mcpServers }, loadMs))
      return session
    } catch (error) {
      session.leave()
      if (process.isClosed || !(error instanceof AgentFailure)) throw error
      return null
    }
  }

  #remember (sessionId: string, session: AgentSession): AgentSession {
    const before = this.#live.get(sessionId)
    if (before !== undefined && before !== session) before.leave()
    this.#live.delete(sessionId)
    this.#live.set(sessionId, session)
    for (const [oldest, live] of this.#live) {
      if (this.#live.size <= mostLive) break
      if (live.isBusy) continue
      this.#live.delete(oldest)
      live.leave()
    }
    return session
  }
}

const slotOf = (agent: ConfiguredAgent, isolation: Isolation | null): string => `${agent.id} ${nameOf(isolation)}`

/** Where an agent runs that works nowhere yet: some take a `.env` that lies there, or above, for theirs, and the profile's holds keys. */
function restingFolder (profileHome: string, { HOME: home }: Readonly<Record<string, string>>): string {
  return home !== undefined && isAbsolute(home) && statsOf(home)?.isDirectory() === true && !within(realPath(profileHome), realPath(home))
    ? home
    : '/'
}

/** Resolves when nothing of it is left, however far its start has come. */
async function end ({ process, start }: Running): Promise<void> {
  start.abort()
  await process.then(async (started) => await started.close(), () => {})
}
