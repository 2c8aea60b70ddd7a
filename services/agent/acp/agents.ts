import { isAbsolute } from 'node:path'
import { realPath, within } from '../../ground/containment.js'
import { fieldsOf } from '../../ground/fields.js'
import { readProfileSettings } from '../../ground/home/settings.js'
import { variablesOut } from '../../ground/proxy/way-out.js'
import { agentOf, agentPresets, type ConfiguredAgent } from '../../providers/index.js'
import { type PlacedSpec } from '../engines/engine.js'
import { type EndedBadly } from '../protocol.js'
import { untilAborted } from '../engines/model-step.js'
import { agentFailure, AgentFailure } from './failure.js'
import { keepSession, lastMarker, readSession, stillHolds, type KeptSession } from './kept-sessions.js'
import { passedServers } from './mcp-servers.js'
import { serversOf } from '../mcp/plugin-servers.js'
import { agentTarget, keepOffer, offerOf, readOptions, type AgentOffer } from './offer.js'
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
  idleStopMs: number
  /** How long one has to say hello. */
  helloMs?: number
  /** One ended by itself while no turn was with it. */
  endedBadly?: (ended: Omit<EndedBadly, 'what'>) => void
}

/** `start`: aborted when nobody waits for the agent to come up any more. */
interface Running {
  key: string
  agent: ConfiguredAgent
  env: Record<string, string>
  process: Promise<AgentProcess>
  start: AbortController
  isStarted: boolean
  uses: number
  idle: NodeJS.Timeout | null
}

/** What a session is opened for. */
type Conversation = Pick<PlacedSpec, 'sessionId' | 'workspace' | 'history' | 'toolset'>

/** A session of an agent, ready for a turn; `known`: so many messages of the history it holds already. */
export interface OpenedSession { session: AgentSession, turn: number, known: number, leftOut: string[] }

const never = new AbortController().signal
const openMs = 120_000
const mostLive = 256

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
   * @param signal ends the wait for the start at once, and the start itself when nobody else waits for it; `work` sees to itself
   */
  async use<T> (agent: ConfiguredAgent, work: (process: AgentProcess) => Promise<T>, signal: AbortSignal = never): Promise<T> {
    const running = this.#runningOf(agent)
    running.uses++
    if (running.idle !== null) clearTimeout(running.idle)
    try {
      return await work(await untilAborted(running.process, signal))
    } finally {
      if (--running.uses === 0) this.#restOf(running)
    }
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
  async look (id: string): Promise<{ agent: ConfiguredAgent, offer: AgentOffer }> {
    const agent = this.agent(id)
    return await this.use(agent, async (process) => {
      const session = await this.#new(agent, process, {
        cwd: restingFolder(this.options.profileHome, this.#environmentOf(agent)), mcpServers: []
      })
      await session.settled()
      const offer = offerOf(session.process.initialized, session.options, session.commands)
      await keepOffer(this.options.profileHome, agent.id, agent, offer)
      session.leave()
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

  /** Another command or environment is another process; the one of before ends with its last turn. */
  #runningOf (agent: ConfiguredAgent): Running {
    const env = this.#environmentOf(agent)
    const key = JSON.stringify([agent.command, env])
    const known = this.#running.get(agent.id)
    if (known?.key === key) return known
    if (known !== undefined) {
      this.#running.delete(agent.id)
      if (known.uses === 0) void end(known)
    }
    const { profileHome, commandMark: mark, helloMs } = this.options
    const start = new AbortController()
    const running: Running = {
      key, agent, env, uses: 0, idle: null, isStarted: false, start,
      process: AgentProcess.start(agent, { cwd: restingFolder(profileHome, env), env, mark, signal: start.signal, helloMs })
    }
    this.#running.set(agent.id, running)
    const forget = (): void => { if (this.#running.get(agent.id) === running) this.#running.delete(agent.id) }
    running.process.then((process) => {
      running.isStarted = true
      void process.pipe.closed.then(() => {
        forget()
        // A turn tells of its end by itself, and what was ended by us is no news.
        if (running.uses === 0 && !start.signal.aborted) {
          this.options.endedBadly?.({
            name: agent.id, host: null, code: 'interrupted', attempts: 1,
            reason: `${agent.displayName} has ended: ${process.pipe.ending}.`.slice(0, 300)
          })
        }
      })
    }, forget)
    return running
  }

  #restOf (running: Running): void {
    const isCurrent = this.#running.get(running.agent.id) === running
    if (isCurrent && running.isStarted) {
      running.idle = setTimeout(() => { void end(running) }, this.options.idleStopMs)
      running.idle.unref()
      return
    }
    // The next turn is not to wait for one that comes up no more.
    if (isCurrent) this.#running.delete(running.agent.id)
    void end(running)
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
    let opened: Readonly<Record<string, unknown>>
    try {
      opened = await process.request('session/new', params, openMs)
    } catch (error) {
      if (!(error instanceof AgentFailure) || error.failure.type !== 'auth_mismatch' ||
        !await process.authenticate(this.#environmentOf(agent))) throw error
      opened = await process.request('session/new', params, openMs)
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
      session.options = readOptions(await process.request(method, { sessionId: id, cwd, mcpServers }, openMs))
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
