import { isDeepStrictEqual } from 'node:util'
import { Value } from '@sinclair/typebox/value'
import { asError } from '../../ground/errors.js'
import { inTime } from '../../ground/concurrency/in-time.js'
import { readProfileSettings } from '../../ground/home/settings.js'
import { keepNewest } from '../../ground/keep-newest.js'
import { type RunSpec } from '../protocol.js'
import { type Tool } from '../tools/index.js'
import { mcpBudgetOf, type McpBudget, type McpServerConfig } from './configuration.js'
import { Accepted, forgetListing } from './kept-listings.js'
import { toolState } from './last-known.js'
import { modelName } from './names.js'
import { createOffer, createToolSearch, type Offer, type OfferedTool } from './offered-tools.js'
import { mcpQueries, type McpQuery, type McpQueryAnswer, type McpQueryBody, type McpQueryKind, type McpReply, type McpServerState } from './queries.js'
import { McpServer } from './server.js'
import { type ServerSurroundings } from './surroundings.js'
import { createMcpTool, createResourceTools, createTaskTools } from './tools.js'
import { serversOf } from './plugin-servers.js'
import { callOfView } from './view-calls.js'

export interface McpServersOptions extends ServerSurroundings {
  /** Environment of the host. */
  env: Record<string, string>
  /** How long a turn waits for servers that have never said what they offer. */
  patienceMs?: number
}

/** The tools of servers for one turn. They may change between its steps. */
export interface McpTools {
  offered (): Tool[]
  find (name: string): Tool | undefined
}

const usualPatienceMs = 3_000
/** A list that is older is requested again, while turns continue with the old one. */
const staleMs = 24 * 60 * 60_000
const mostSessions = 200
const mostLoaded = 60

/** The MCP servers of a profile. None is started before a turn, or a person who opens their list, needs it. */
export class McpServers {
  #servers = new Map<string, McpServer>()
  #budget: McpBudget
  #version: string | null = null
  #variables: Record<string, string> = {}
  #offer: { offer: Offer, others: Tool[] } | null = null
  readonly #accepted: Accepted
  /** Names of the tools that were found or called, by session. */
  readonly #loaded = new Map<string, Set<string>>()
  #isClosed = false
  readonly #answers: { [K in McpQueryKind]: (body: McpQueryBody<K>) => Promise<McpQueryAnswer<K>> } = {
    status: async () => this.#states(),
    reload: async ({ server }) => await this.#reload(server),
    prompts: async () => await this.#prompts(),
    view_call: async (body) => await callOfView(body, {
      accepted: this.#accepted, profileHome: this.options.profileHome, server: this.#servers.get(body.server)
    }),
    prompt: async ({ server: name, name: prompt, args }) => {
      const server = this.#servers.get(name)
      if (server?.isUsable !== true || !server.config.selection.prompts) throw new Error(`There is no MCP server "${name}" with prompts`)
      return { text: await server.prompt(prompt, args) }
    }
  }

  constructor (private readonly options: McpServersOptions) {
    this.#accepted = new Accepted(options.profileHome)
    this.#budget = mcpBudgetOf({})
  }

  /** Returns the tools for a turn. Waits a moment for new servers, once; the tools of others appear when they are ready. Never rejects. */
  async open ({ sessionId, history, toolset }: Pick<RunSpec, 'sessionId' | 'history' | 'toolset'>): Promise<McpTools> {
    if (toolset === 'reading') return { offered: () => [], find: () => undefined }
    this.#sync()
    const servers = [...this.#servers.values()].filter(({ isUsable }) => isUsable)
    const awaited = servers.filter(({ listing: { isAwaited } }) => isAwaited)
    const learning = servers.filter(({ listing: { kept } }) => kept === null || Date.now() - kept.listedAtMs > staleMs).map((server) => ({
      server, learned: server.learn()
    }))
    if (awaited.length > 0) {
      await inTime(this.options.patienceMs ?? usualPatienceMs, Promise.all(
        learning.filter(({ server }) => awaited.includes(server)).map(({ learned }) => learned)
      ))
    }
    for (const server of awaited) server.listing.giveUpWaiting()
    const loaded = this.#loadedOf(sessionId, history)
    return {
      offered: () => {
        const { offer, others } = this.#offered()
        if (!offer.isSearched) return [...offer.tools.map(({ tool }) => tool), ...others]
        return [
          createToolSearch(offer, (names) => load(loaded, names)),
          ...offer.tools.map(({ tool }) => tool).filter(({ name }) => loaded.has(name)), ...others
        ]
      },
      find: (name) => {
        const { offer, others } = this.#offered()
        if (name === 'tool_search' && offer.isSearched) return createToolSearch(offer, (names) => load(loaded, names))
        return offer.byName.get(name) ?? others.find((tool) => tool.name === name)
      }
    }
  }

  /** Answers the web tier. Never rejects. */
  async answer<K extends McpQueryKind> ({ requestId, what, body }: McpQuery<K>): Promise<McpReply> {
    try {
      if (!Object.hasOwn(mcpQueries, what) || !Value.Check(mcpQueries[what].body, body)) {
        throw new Error('This is not a question that a host knows')
      }
      this.#sync()
      return { requestId, answer: await this.#answers[what](body) }
    } catch (error) {
      return { requestId, answer: null, error: asError(error).message }
    }
  }

  /** Stops all servers. Resolves when they have ended. */
  async close (): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#servers.values()].map(async (server) => await server.close()))
  }

  /** Restarts failed servers, or the named one, and waits a moment for their lists. Later changes show in the next status. */
  async #reload (name: string | null): Promise<McpServerState[]> {
    const servers = [...this.#servers.values()].filter((server) => server.isUsable && (name === null || server.name === name))
    await Promise.all(servers.filter((server) => name !== null || server.status === 'failed').map(async (server) => await server.restart()))
    await inTime(this.options.patienceMs ?? usualPatienceMs, Promise.all(servers.map(async (server) => await server.learn())))
    return this.#states()
  }

  async #prompts (): Promise<McpQueryAnswer<'prompts'>> {
    const found = await Promise.all([...this.#servers.values()].filter(({ listing: { hasPrompts } }) => hasPrompts).map(async (server) => {
      const prompts = await server.prompts().catch(() => [])
      return prompts.map((prompt) => ({ server: server.name, ...prompt }))
    }))
    return found.flat()
  }

  #states (): McpServerState[] {
    const names = new Map(this.#offered().offer.tools.map(({ server, name, tool }) => [`${server}\0${name}`, tool.name]))
    return [...this.#servers.values()].map((server) => stateOf(server, (tool) => names.get(`${server.name}\0${tool}`) ?? ''))
  }

  /** Reads the configuration if it has changed. Servers whose entry has changed are stopped, the others continue. */
  #sync (): void {
    const { profileHome, env } = this.options
    const settings = readProfileSettings(profileHome, env)
    const { config, env: values, envFileKeys, version } = settings
    if (version === this.#version || this.#isClosed) return
    this.#version = version
    this.#budget = mcpBudgetOf(config)
    const variables = Object.fromEntries(Object.entries(values).filter(([name]) => envFileKeys.has(name)))
    const before = this.#servers
    this.#servers = new Map(serversOf(settings).map((wanted) => [wanted.name, this.#continued(before.get(wanted.name), wanted, variables)]))
    this.#variables = variables
    for (const [name, server] of before) {
      if (this.#servers.get(name) === server) continue
      void server.close()
      if (!this.#servers.has(name)) forgetListing(profileHome, name)
    }
    this.#offer = null
  }

  #continued (server: McpServer | undefined, config: McpServerConfig, variables: Record<string, string>): McpServer {
    const uses = JSON.stringify(config.target).match(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g)?.map((name) => name.slice(2, -1)) ?? []
    if (server !== undefined && isDeepStrictEqual(server.config, config) && uses.every((name) =>
      variables[name] === this.#variables[name])) return server
    return new McpServer({ config, variables, surroundings: this.options, changed: () => { this.#offer = null } })
  }

  #offered (): { offer: Offer, others: Tool[] } {
    if (this.#offer !== null) return this.#offer
    const taken = new Set<string>()
    const tools: OfferedTool[] = []
    for (const server of this.#servers.values()) {
      for (const definition of server.listing.definitions) {
        if (definition.ui?.forModel === false) continue
        const name = modelName(server.name, definition.tool, (candidate) => taken.has(candidate))
        if (taken.has(name)) continue
        taken.add(name)
        const options = { accepted: this.#accepted, profileHome: this.options.profileHome }
        tools.push({ tool: createMcpTool(server, definition, name, options), server: server.name, name: definition.tool })
      }
    }
    const servers = [...this.#servers.values()]
    this.#offer = {
      offer: createOffer(tools, this.#budget),
      others: [
        ...createResourceTools(servers.filter(({ listing }) => listing.hasResources)),
        ...createTaskTools(servers.filter(({ listing }) => listing.hasTasks))
      ]
    }
    return this.#offer
  }

  /** Returns the names of tools that a conversation has called, or has found since this host started. */
  #loadedOf (sessionId: string, history: RunSpec['history']): Set<string> {
    const loaded = this.#loaded.get(sessionId) ?? new Set()
    this.#loaded.delete(sessionId)
    this.#loaded.set(sessionId, loaded)
    keepNewest(this.#loaded, mostSessions)
    const called = history.flatMap(({ role, content }) =>
      role !== 'assistant' ? [] : content.flatMap((part) => part.type === 'tool-call' ? [part.toolName] : []))
    load(loaded, called.filter((name) => name.startsWith('mcp__')))
    return loaded
  }
}

function stateOf (server: McpServer, nameOf: (tool: string) => string): McpServerState {
  return {
    name: server.name,
    status: server.status,
    error: server.error,
    startedAtMs: server.startedAtMs,
    tools: server.listing.definitions.map((definition) => toolState(definition, nameOf(definition.tool))),
    leftOut: server.listing.kept?.listing.leftOut ?? [],
    log: server.log.tail()
  }
}

/** Adds names. If there are too many, the oldest are removed. */
function load (loaded: Set<string>, names: string[]): void {
  for (const name of names) {
    loaded.delete(name)
    loaded.add(name)
  }
  for (const name of loaded) {
    if (loaded.size <= mostLoaded) return
    loaded.delete(name)
  }
}
