import { Conflict, Invalid, NotFound, Unavailable } from '../../ground/errors.js'
import { fieldsOf } from '../../ground/fields.js'
import { redact, redactDeep } from '../../ground/redaction/index.js'
import { statSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { homeFiles } from '../../ground/home/settings.js'
import {
  filledIn, forgetCredentials, forgetOtherCredentials, forgetViews, hasCredentials, headerName, keptViewsOf, lastKnownPrompts,
  lastKnownState, mcpServersOf, readView, serverName, serverOfView, serversOf, variableName, type AgentRuntime, type KeptView,
  type McpCredentials, type McpQueryAnswer, type McpServerConfig,
  type McpServerState
} from '../../agent/index.js'
import { type ConfigEdit, type Profiles, type ProfileSettings } from '../profiles/index.js'
import { reachedAddressProblem } from '../../providers/index.js'
import { keepMasked } from './masked.js'
import { type McpServerChange } from './server-change.js'
import { ViewCalls, type ViewCallOutcome, type ViewCallsOptions, type ViewWish } from './view-calls.js'

/** A server as it is set up, and how it does. */
export interface McpServerView { config: McpServerConfig, state: McpServerState, isSignedIn: boolean }
export interface McpPromptView {
  server: string
  name: string
  description: string
  arguments: Array<{ name: string, description: string, required: boolean }>
}

const keys = [
  'command', 'args', 'env', 'cwd', 'sandbox', 'url', 'headers', 'oauth', 'enabled', 'tools', 'sampling', 'timeout', 'connect_timeout'
] as const
/** A host has to be started for it, perhaps. */
const askLimitMs = 15_000
const promptLimitMs = 60_000
const mostServers = 100
/** An editor may have written half of a config.yaml; one that is so old is meant. */
const settledMs = 60_000

export interface McpOptions extends Omit<ViewCallsOptions, 'agent'> {
  profiles: Pick<Profiles, 'settings' | 'configure'>
  agent: Pick<AgentRuntime, 'mcp'>
  /** The profile of a session. Throws NotFound. */
  profileOf: (sessionId: string) => string
  /** A server is gone that somebody had signed in at. */
  removed: (had: McpCredentials, issuer: string | null) => void
}

/** The MCP servers of profiles: how they are set up, and how they do. The hosts run them. */
export class Mcp {
  readonly #viewCalls: ViewCalls

  constructor (private readonly options: McpOptions) {
    this.#viewCalls = new ViewCalls(options)
    this.#viewCalls.takeUp()
  }

  /** In the order of config.yaml. Starts no host: one that does not run has no server that does. Throws NotFound for an unknown profile. */
  async list (profile: string): Promise<McpServerView[]> {
    this.#forgetOthers(profile)
    const configs = this.#configs(profile)
    if (configs.length === 0) return []
    const answered = await this.options.agent.mcp(profile, 'status', {}, { timeoutMs: askLimitMs, start: false })
    return this.#views(profile, configs, answered !== null && 'answer' in answered ? answered.answer : [])
  }

  /**
   * The same, with servers that nobody has asked yet, or that have failed, started anew; at least `server`, whatever
   * its state. Throws NotFound and Unavailable.
   */
  async reload (profile: string, server: string | null = null): Promise<McpServerView[]> {
    const configs = this.#configs(profile)
    if (server !== null && !configs.some(({ name }) => name === server)) throw new NotFound('MCP server not found')
    if (configs.length === 0) return []
    return this.#views(profile, configs, await this.#ask(profile, 'reload', { server }, askLimitMs))
  }

  /** The same for one server. Throws NotFound. */
  async restart (profile: string, name: string): Promise<McpServerView> {
    const view = (await this.reload(profile, name)).find(({ config }) => config.name === name)
    if (view === undefined) throw new NotFound('MCP server not found')
    return view
  }

  /** The same as servers told it when they were asked last. Starts nothing, and asks nobody. */
  knownPrompts (profile: string): McpPromptView[] {
    const { home } = this.options.profiles.settings(profile)
    return redactDeep(this.#configs(profile).flatMap((config) =>
      (lastKnownPrompts(home, config) ?? []).map((prompt) => ({ server: config.name, ...prompt }))))
  }

  /** Prompts that servers offer, for people to choose from. Starts servers that are known to have some. */
  async prompts (profile: string): Promise<McpPromptView[]> {
    const { home } = this.options.profiles.settings(profile)
    if (!this.#configs(profile).some((config) => lastKnownPrompts(home, config) !== null)) return []
    return redactDeep(await this.#ask(profile, 'prompts', {}, promptLimitMs))
  }

  /** The text that a prompt makes of its arguments. Throws NotFound for an unknown server, Unavailable when it cannot be had. */
  async prompt (profile: string, server: string, name: string, args: Record<string, string>): Promise<string> {
    if (!this.#configs(profile).some((config) => config.name === server)) throw new NotFound('MCP server not found')
    return (await this.#ask(profile, 'prompt', { server, name, args }, promptLimitMs)).text
  }

  /**
   * Writes a server into config.yaml; comments stay. `replace`: what is not said goes. Throws Invalid for what is no server,
   * NotFound for one that is to be changed and is not there, Conflict for a config.yaml that is broken and for a server of a plugin.
   */
  async write (profile: string, name: string, change: McpServerChange, { replace }: { replace: boolean }): Promise<McpServerView> {
    if (!serverName.test(name)) throw new Invalid('name: letters, digits, ".", "_" and "-", 64 at most')
    for (const [values, form, field] of [[change.env, variableName, 'env'], [change.headers, headerName, 'headers']] as const) {
      const bad = Object.keys(values ?? {}).find((key) => !form.test(key))
      if (bad !== undefined) throw new Invalid(`${field}: a name is not valid`)
    }
    const shown = this.#configs(profile).find((config) => config.name === name)
    refuseOfPlugin(shown)
    await assertReachable(change, this.options.profiles.settings(profile))
    await this.options.profiles.configure(profile, (config) => {
      const before = config.get(['mcp_servers', name])
      const section = config.get(['mcp_servers'])
      if (before === undefined && !replace) throw new NotFound('MCP server not found')
      if (before === undefined && typeof section === 'object' && section !== null && Object.keys(section).length >= mostServers) {
        throw new Invalid(`The limit of ${mostServers} MCP servers is reached. Remove one first`)
      }
      if (before !== undefined && (typeof before !== 'object' || before === null || Array.isArray(before))) {
        throw new Conflict(`"mcp_servers.${name}" of config.yaml must be a mapping.`, 'config_broken')
      }
      const whole = keepMasked(change, shown, before)
      for (const key of keys) writeKey(config, name, key, whole[key], replace)
      assertHeadersStay(before, config.get(['mcp_servers', name]), change.headers ?? {})
      const [written] = mcpServersOf({ mcp_servers: { [name]: config.get(['mcp_servers', name]) } })
      if (written?.problem != null) throw new Invalid(written.problem)
    })
    return await this.#changed(profile, name)
  }

  /** Throws NotFound, and Conflict for a config.yaml that is broken and for a server of a plugin. */
  async remove (profile: string, name: string): Promise<void> {
    const before = this.#configs(profile).find((config) => config.name === name)
    refuseOfPlugin(before)
    await this.options.profiles.configure(profile, (config) => {
      if (config.get(['mcp_servers', name]) === undefined) throw new NotFound('MCP server not found')
      config.delete(['mcp_servers', name])
    })
    const had = forgetCredentials(this.options.profiles.settings(profile).home, name)
    if (had !== null) this.options.removed(had, before?.target?.transport === 'http' ? before.target.oauth?.issuer ?? null : null)
    await this.follow(profile)
  }

  /** The calls of a session that have a view. Throws NotFound for an unknown session. */
  viewsOf (sessionId: string): string[] {
    return keptViewsOf(this.#homeOf(sessionId), sessionId)
  }

  /** The view of a call: its page as the server wrote it, and what goes to it with credentials masked. Throws NotFound. */
  async view (sessionId: string, callId: string): Promise<KeptView> {
    const found = await readView(this.#homeOf(sessionId), sessionId, callId)
    if (found === null) throw noView()
    return { ...found, args: redactDeep(found.args), answer: redactDeep(found.answer) }
  }

  /** What views of a session have called, the oldest first, with credentials masked. Throws NotFound for an unknown session. */
  callsOfViews (sessionId: string): ReturnType<ViewCalls['made']> {
    this.options.profileOf(sessionId)
    return redactDeep(this.#viewCalls.made(sessionId))
  }

  /**
   * A view of a session calls a tool of its own server, or reads a resource of it. Throws NotFound for a call without a view, and what
   * ViewCalls throws.
   */
  async callOfView (sessionId: string, callId: string, wish: ViewWish): Promise<ViewCallOutcome> {
    const profile = this.options.profileOf(sessionId)
    const server = serverOfView(this.#homeOf(sessionId), sessionId, callId)
    if (server === null) throw noView()
    return masked(await this.#viewCalls.call({ sessionId, callId, profile, server, wish }))
  }

  /** A person answers what a call of a view has asked. Throws NotFound for what is not asked any more. */
  async answerView (sessionId: string, askId: string, choice: 'once' | 'session' | 'deny'): Promise<ViewCallOutcome> {
    return masked(await this.#viewCalls.answer(sessionId, askId, choice))
  }

  /** A session is gone. Never rejects. */
  async forgetViews (sessionId: string, homes: readonly string[]): Promise<void> {
    for (const home of homes) await forgetViews(home, sessionId)
  }

  #homeOf (sessionId: string): string {
    return this.options.profiles.settings(this.options.profileOf(sessionId)).home
  }

  /** Tells a host that runs to look at the configuration, and to start `server` anew. Never rejects. */
  async follow (profile: string, server: string | null = null): Promise<void> {
    const { agent } = this.options
    const options = { timeoutMs: askLimitMs, start: false }
    await (server === null ? agent.mcp(profile, 'status', {}, options) : agent.mcp(profile, 'reload', { server }, options)).catch(() =>
      null)
  }

  /** Of servers that no host knows, what they offered when they were asked last. */
  #views (profile: string, configs: readonly McpServerConfig[], states: readonly McpServerState[]): McpServerView[] {
    const { home } = this.options.profiles.settings(profile)
    return configs.map((config) => ({
      config, isSignedIn: hasCredentials(home, config.name),
      state: redactDeep(states.find(({ name }) => name === config.name) ?? lastKnownState(home, config))
    }))
  }

  #configs (profile: string): McpServerConfig[] {
    return serversOf(this.options.profiles.settings(profile))
  }

  /** A server that was taken out of config.yaml by hand leaves its tokens behind, and they are for nobody any more. */
  #forgetOthers (profile: string): void {
    const settings = this.options.profiles.settings(profile)
    const { home, configAsWritten: { mcp_servers: section }, configError, configText } = settings
    const isRead = configError === undefined && configText !== undefined &&
      (section === undefined || (typeof section === 'object' && section !== null && !Array.isArray(section)))
    if (!isRead || !this.#isSettled(homeFiles.config(home))) return
    for (const had of forgetOtherCredentials(
      home, [...Object.keys(section ?? {}), ...serversOf(settings).map(({ name }) => name)]
    )) this.options.removed(had, null)
  }

  #isSettled (file: string): boolean {
    const stats = statSync(file, { throwIfNoEntry: false })
    return stats !== undefined && this.options.clock.now() - stats.mtimeMs > settledMs
  }

  async #changed (profile: string, name: string): Promise<McpServerView> {
    const found = (await this.list(profile)).find(({ config }) => config.name === name)
    if (found === undefined) throw new NotFound('MCP server not found')
    return found
  }

  async #ask<K extends 'reload' | 'prompts' | 'prompt'> (
    profile: string, what: K, body: Parameters<typeof this.options.agent.mcp<K>>[2], timeoutMs: number
  ): Promise<McpQueryAnswer<K>> {
    const answered = await this.options.agent.mcp(profile, what, body, { timeoutMs, start: true })
    if (answered === null) throw new Unavailable('The agent did not answer in time')
    if ('error' in answered) throw new Unavailable(redact(answered.error))
    return answered.answer
  }
}

const noView = (): NotFound => new NotFound('This call has no view')

/** What a server answers is shown as a model's call shows it. */
const masked = (outcome: ViewCallOutcome): ViewCallOutcome =>
  outcome.state === 'done' ? { ...outcome, result: redactDeep(outcome.result) } : outcome

function refuseOfPlugin (server: McpServerConfig | undefined): void {
  if (server?.plugin != null) {
    throw new Conflict(`This server belongs to the plugin ${server.plugin}. Turn the plugin off instead`, 'of_plugin')
  }
}

/**
 * Addresses may be private, as an administrator names them, but none of clouds' metadata, whatever their name; the connection is
 * judged again. What cannot be read as an address is refused by whoever reads the entry. Throws Invalid.
 */
async function assertReachable ({ url, oauth }: McpServerChange, { env, envFileKeys }: ProfileSettings): Promise<void> {
  const variables = Object.fromEntries(Object.entries(env).filter(([name]) => envFileKeys.has(name)))
  for (const [key, text] of [['url', url], ['oauth.issuer', oauth?.issuer]] as const) {
    const address = filledIn(text ?? '', variables)
    const problem = URL.canParse(address) ? await reachedAddressProblem(address) : null
    if (problem !== null) throw new Invalid(`${key} ${problem}`)
  }
}

/**
 * Whoever names another server brings what it is to be sent: clients never see a header's value, and what is kept goes to its own server.
 */
function assertHeadersStay (before: unknown, after: unknown, given: Record<string, string | null>): void {
  if (originOf(before) === null || originOf(before) === originOf(after)) return
  const { headers } = fieldsOf(after)
  const kept = Object.keys(typeof headers === 'object' && headers !== null ? headers : {}).filter((name) => typeof given[name] !== 'string')
  if (kept.length > 0) {
    throw new Invalid('headers: send their values with the new address; stored values are only sent to the previous server')
  }
}

function originOf (server: unknown): string | null {
  const url = fieldsOf(server).url
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).origin : null
}

function writeKey (config: ConfigEdit, name: string, key: typeof keys[number], value: McpServerChange[typeof key], replace: boolean): void {
  // A folder that is emptied is none.
  if (key === 'cwd' && value === '') return config.delete(['mcp_servers', name, key])
  if (value === undefined || value === null) return replace ? config.delete(['mcp_servers', name, key]) : undefined
  if (key !== 'env' && key !== 'headers') {
    if (!isDeepStrictEqual(config.get(['mcp_servers', name, key]), value)) config.set(['mcp_servers', name, key], value)
    return
  }
  const values = value as Record<string, string | null>
  const before = config.get(['mcp_servers', name, key])
  const present = typeof before === 'object' && before !== null ? Object.keys(before) : []
  if (replace) for (const each of present) if (!Object.hasOwn(values, each)) config.delete(['mcp_servers', name, key, each])
  for (const [each, item] of Object.entries(values)) {
    // Clients never see a value: null in the place of one that is there keeps it where all are said anew.
    if (item === null && replace && !present.includes(each)) throw new Invalid(`${key}.${each}: there is no stored value to keep`)
    if (item !== null) config.set(['mcp_servers', name, key, each], item)
    else if (!replace) config.delete(['mcp_servers', name, key, each])
  }
}
