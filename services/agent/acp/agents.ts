import { fieldsOf } from '../../ground/fields.js'
import { readProfileSettings } from '../../ground/home/settings.js'
import { inScratch } from '../../ground/files/scratch.js'
import { agentOf, type ConfiguredAgent } from '../../providers/index.js'
import { type PlacedSpec } from '../engines/engine.js'
import { type AttachedConversation } from '../run-spec.js'
import { agentFailure, AgentFailure } from './failure.js'
import { placeOf, type Place } from './isolation.js'
import { keepSession, lastMarker, readSession, stillHolds, type KeptSession } from './kept-sessions.js'
import { passedServers } from './mcp-servers.js'
import { serversOf } from '../mcp/plugin-servers.js'
import { agentTarget, keepOffer, offerOf, readOptions, type AgentOffer } from './offer.js'
import { type SandboxStatus } from '../sandbox/index.js'
import { type AgentProcess } from './process.js'
import { RunningAgents, type RunningOptions } from './running-agents.js'
import { AgentSession } from './session.js'
import { text } from './wire.js'

export interface AgentsOptions extends RunningOptions {
  sandbox: () => Promise<SandboxStatus>
}

/** The conversation for which a session is opened. */
type Conversation = Pick<PlacedSpec, 'sessionId' | 'workspace' | 'history' | 'toolset' | 'planning' | 'attached'>

/** A session of an agent, ready for a turn; `known`: how many messages of the history it already holds. */
export interface OpenedSession { session: AgentSession, turn: number, known: number, leftOut: string[] }

const openMs = 20_000
/** How long loading may take: the agent sends everything that was said in the session again. */
const loadMs = 60_000
const mostLive = 256

/** The agents of one profile, with a session for each conversation. */
export class Agents {
  readonly running: RunningAgents
  readonly #live = new Map<string, AgentSession>()

  constructor (readonly options: AgentsOptions) {
    this.running = new RunningAgents(options)
  }

  /** Returns the agent with this id, as the profile configures it now. Throws AgentFailure. */
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

  /** Returns where a turn of an agent runs. Throws AgentFailure if it must run in the sandbox and there is none. */
  async placeOf (agent: ConfiguredAgent, spec: Pick<PlacedSpec, 'workspace' | 'readable' | 'sandbox' | 'planning'>): Promise<Place> {
    return await placeOf(agent, spec, this.options)
  }

  /** Opens the session in which a conversation continues: the live one, a loaded one, or a new, empty one. Throws AgentFailure. */
  async open (agent: ConfiguredAgent, process: AgentProcess, conversation: Conversation): Promise<OpenedSession> {
    const { profileHome, env } = this.options
    const { sessionId, workspace, history } = conversation
    const settings = readProfileSettings(profileHome, env)
    const variables = Object.fromEntries(Object.entries(settings.env).filter(([name]) => settings.envFileKeys.has(name)))
    const passed = passedServers(serversOf(settings), variables, process.initialized, process.proxyVariables)
    // The agent's MCP servers act without asking the user, so plan mode has none.
    const { servers, leftOut } = conversation.planning === undefined ? passed : { servers: [], leftOut: [] }
    if (conversation.attached?.agent === agent.id) return await this.#goOn(agent, process, conversation, conversation.attached, servers)
    const marker = lastMarker(history, agent.id)
    const kept = readSession(profileHome, sessionId)
    const fits = kept !== null && kept.agent === agent.id && kept.target === agentTarget(agent) && kept.folder === workspace &&
      stillHolds(kept, marker)
    if (fits) {
      const live = this.#live.get(sessionId)
      if (live?.id === kept.session && live.process === process) await live.over()
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

  /** Stores that a turn begins in a session (`isOpen`), or that it has ended. */
  async keep (
    agent: ConfiguredAgent, { sessionId, workspace }: Conversation, { session, turn }: OpenedSession, isOpen: boolean
  ): Promise<void> {
    const kept: KeptSession = { agent: agent.id, target: agentTarget(agent), session: session.id, folder: workspace, turn, isOpen }
    await keepSession(this.options.profileHome, sessionId, kept)
  }

  /** Starts an agent and asks it what it offers. Throws AgentFailure. */
  async look (id: string, rule: PlacedSpec['sandbox']): Promise<{ agent: ConfiguredAgent, offer: AgentOffer }> {
    const agent = this.agent(id)
    return await inScratch('agent', async (scratch) => {
      const { isolation } = await this.placeOf(agent, { workspace: scratch, readable: [], sandbox: rule })
      const cwd = isolation?.workspace ?? this.running.restingFolder(agent)
      const offer = await this.running.use(agent, isolation, async (process) => {
        const session = await this.#new(agent, process, { cwd, mcpServers: [] })
        await session.settled()
        const found = offerOf(session.process.initialized, session.options, session.commands)
        await keepOffer(this.options.profileHome, agent.id, agent, found)
        session.leave()
        return found
      })
      if (isolation !== null) await this.running.end(agent, isolation)
      return { agent, offer }
    })
  }

  /** Stores what a session has shown about its agent's offer, if that is new. */
  async note (agent: ConfiguredAgent, session: AgentSession): Promise<void> {
    const offer = offerOf(session.process.initialized, session.options, session.commands)
    const noted = JSON.stringify(offer)
    if (session.noted === noted) return
    session.noted = noted
    await keepOffer(this.options.profileHome, agent.id, agent, offer)
  }

  /** Opens the same session that the agent's own program also continues. Throws AgentFailure if that fails. */
  async #goOn (
    agent: ConfiguredAgent, process: AgentProcess, { sessionId, workspace, history }: Conversation,
    { session: id, folder, isShared }: AttachedConversation, servers: unknown[]
  ): Promise<OpenedSession> {
    const { displayName } = agent
    if (workspace !== folder) {
      throw agentFailure('error', `${displayName} continues this conversation only in the folder where it began.`, 'Go back to that folder, or branch the conversation.')
    }
    const session = await this.#load(process, { session: id, folder }, servers)
    if (session === null) {
      throw agentFailure('error', `${displayName} could not take up this conversation, so the message was not sent: its own program may have it open.`, 'Close it there and send the message again, or branch the conversation.')
    }
    const marker = lastMarker(history, agent.id)
    return {
      session: this.#remember(sessionId, session), turn: (marker?.turn ?? 0) + 1,
      known: isShared && marker !== null ? marker.index + 1 : history.length, leftOut: []
    }
  }

  async #new (agent: ConfiguredAgent, process: AgentProcess, params: { cwd: string, mcpServers: unknown[] }): Promise<AgentSession> {
    const limitMs = agent.startMs ?? this.options.helloMs ?? openMs
    let opened: Readonly<Record<string, unknown>>
    try {
      opened = await process.request('session/new', params, limitMs)
    } catch (error) {
      // The process is ended, so that the next message gets a new one, unless other sessions are at work in it.
      const isHung = error instanceof AgentFailure && error.failure.type === 'no_response'
      if (isHung && ![...process.sessions.values()].some(({ isBusy }) => isBusy)) void process.close('it opened no session')
      if (!(error instanceof AgentFailure) || error.failure.type !== 'auth_mismatch' ||
        !await process.authenticate(this.running.environmentOf(agent))) throw error
      opened = await process.request('session/new', params, limitMs)
    }
    const id = text(opened['sessionId'])
    if (id === undefined || id === '') throw agentFailure('error', `${agent.displayName} opened a session without an id.`)
    if (process.sessions.has(id)) throw agentFailure('error', `${agent.displayName} opened a session under the id of another one.`)
    const session = new AgentSession(process, id, readOptions(opened))
    // Some agents send their commands with the session, others after it.
    const { availableCommands } = opened
    if (Array.isArray(availableCommands)) session.update({ sessionUpdate: 'available_commands_update', availableCommands })
    return session
  }

  /** Loads a session. Null if the agent cannot do that, or no longer has the session. */
  async #load (
    process: AgentProcess, { session: id, folder: cwd }: Pick<KeptSession, 'session' | 'folder'>, mcpServers: unknown[]
  ): Promise<AgentSession | null> {
    const { loadSession, sessionCapabilities } = fieldsOf(process.initialized['agentCapabilities'])
    const method = fieldsOf(sessionCapabilities)['resume'] != null ? 'session/resume' : loadSession === true ? 'session/load' : null
    if (method === null) return null
    // What the agent repeats meanwhile is already stored here.
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
