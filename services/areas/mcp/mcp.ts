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

/** A server's configuration, and its state. */
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
/** A host may have to be started for it. */
const askLimitMs = 15_000
const promptLimitMs = 60_000
const mostServers = 100
/** An editor may have written only half of a config.yaml; a file this old is taken as intended. */
const settledMs = 60_000

export interface McpOptions extends Omit<ViewCallsOptions, 'agent'> {
  profiles: Pick<Profiles, 'settings' | 'configure'>
  agent: Pick<AgentRuntime, 'mcp'>
  /** Returns the profile of a session. Throws NotFound. */
  profileOf: (sessionId: string) => string
  /** Called when a server has been removed at which a person had signed in. */
  removed: (had: McpCredentials, issuer: string | null) => void
}

/** The MCP servers of profiles: their configuration, and their state. The hosts run them. */
export class Mcp {
  readonly #viewCalls: ViewCalls

  constructor (private readonly options: McpOptions) {
    this.#viewCalls = new ViewCalls(options)
    this.#viewCalls.recover()
  }

  /**
   * Returns the servers in the order of config.yaml. Starts no host: a host that is not running has no running servers. Throws NotFound for
   * an unknown profile.
   */
  async list (profile: string): Promise<McpServerView[]> {
    this.#forgetOthers(profile)
    const configs = this.#configs(profile)
    if (configs.length === 0) return []
    const answered = await this.options.agent.mcp(profile, 'status', {}, { timeoutMs: askLimitMs, start: false })
    return this.#views(profile, configs, answered !== null && 'answer' in answered ? answered.answer : [])
  }

  /**
   * Does the same, and starts servers that have not been asked yet or have failed; always starts `server`, whatever its state. Throws
   * NotFound and Unavailable.
   */
  async reload (profile: string, server: string | null = null): Promise<McpServerView[]> {
    const configs = this.#configs(profile)
    if (server !== null && !configs.some(({ name }) => name === server)) throw new NotFound('MCP server not found')
    if (configs.length === 0) return []
    return this.#views(profile, configs, await this.#ask(profile, 'reload', { server }, askLimitMs))
  }

  /** Does the same for one server. Throws NotFound. */
  async restart (profile: string, name: string): Promise<McpServerView> {
    const view = (await this.reload(profile, name)).find(({ config }) => config.name === name)
    if (view === undefined) throw new NotFound('MCP server not found')
    return view
  }

  /** Returns the prompts that servers offered when they were last asked. Starts nothing, and sends no request. */
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

  /** Returns the text that a prompt makes of its arguments. Throws NotFound for an unknown server, Unavailable if it cannot be fetched. */
  async prompt (profile: string, server: string, name: string, args: Record<string, string>): Promise<string> {
    if (!this.#configs(profile).some((config) => config.name === server)) throw new NotFound('MCP server not found')
    return (await this.#ask(profile, 'prompt', { server, name, args }, promptLimitMs)).text
  }

  /**
   * Writes a server into config.yaml; comments are kept. `replace`: fields that are not given are removed. Throws Invalid for an invalid
   * server, NotFound if a server to change does not exist, Conflict if config.yaml is broken and for a server of a plugin.
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

  /** Throws NotFound, and Conflict if config.yaml is broken and for a server of a plugin. */
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

  /** Returns the calls of a session that have a view. Throws NotFound for an unknown session. */
  viewsOf (sessionId: string): string[] {
    return keptViewsOf(this.#homeOf(sessionId), sessionId)
  }

  /** Returns the view of a call: its page as the server wrote it, and its data with credentials masked. Throws NotFound. */
  async view (sessionId: string, callId: string): Promise<KeptView> {
    const found = await readView(this.#homeOf(sessionId), sessionId, callId)
    if (found === null) throw noView()
    return { ...found, args: redactDeep(found.args), answer: redactDeep(found.answer) }
  }

  /** Returns what views of a session have called, oldest first, with credentials masked. Throws NotFound for an unknown session. */
  callsOfViews (sessionId: string): ReturnType<ViewCalls['made']> {
    this.options.profileOf(sessionId)
    return redactDeep(this.#viewCalls.made(sessionId))
  }

  /**
   * Called when a view of a session calls a tool of its own server, or reads a resource of it. Throws NotFound for a call without a view,
   * and the errors of ViewCalls.
   */
  async callOfView (sessionId: string, callId: string, wish: ViewWish): Promise<ViewCallOutcome> {
    const profile = this.options.profileOf(sessionId)
    const server = serverOfView(this.#homeOf(sessionId), sessionId, callId)
    if (server === null) throw noView()
    return masked(await this.#viewCalls.call({ sessionId, callId, profile, server, wish }))
  }

  /** Called when a person answers what a call of a view has asked. Throws NotFound if it is no longer asked. */
  async answerView (sessionId: string, askId: string, choice: 'once' | 'session' | 'deny'): Promise<ViewCallOutcome> {
    return masked(await this.#viewCalls.answer(sessionId, askId, choice))
  }

  /** Called when a session is gone. Never rejects. */
  async forgetViews (sessionId: string, homes: readonly string[]): Promise<void> {
    for (const home of homes) await forgetViews(home, sessionId)
  }

  #homeOf (sessionId: string): string {
    return this.options.profiles.settings(this.options.profileOf(sessionId)).home
  }

  /** Tells a running host to read the configuration again, and to restart `server`. Never rejects. */
  async follow (profile: string, server: string | null = null): Promise<void> {
    const { agent } = this.options
    const options = { timeoutMs: askLimitMs, start: false }
    await (server === null ? agent.mcp(profile, 'status', {}, options) : agent.mcp(profile, 'reload', { server }, options)).catch(() =>
      null)
  }

  /** For servers that no host knows, uses what they offered when they were last asked. */
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

  /** A server that was removed from config.yaml by hand leaves its tokens behind; they are deleted here. */
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

/** Masks a server's answer in the same way as for a model's call. */
const masked = (outcome: ViewCallOutcome): ViewCallOutcome =>
  outcome.state === 'done' ? { ...outcome, result: redactDeep(outcome.result) } : outcome

function refuseOfPlugin (server: McpServerConfig | undefined): void {
  if (server?.plugin != null) {
    throw new Conflict(`This server belongs to the plugin ${server.plugin}. Turn the plugin off instead`, 'of_plugin')
  }
}

/**
 * Addresses may be private, if an administrator names them, but never those of clouds' metadata, whatever their name; the connection is
 * checked again. Text that is not an address is refused by the reader of the entry. Throws Invalid.
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
 * A change to another server must bring the header values that it is to be sent: clients never see stored values, and those are sent only
 * to their own server.
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
  // An emptied folder means none.
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
    // Clients never see a value: with `replace`, null for an existing value keeps it.
    if (item === null && replace && !present.includes(each)) throw new Invalid(`${key}.${each}: there is no stored value to keep`)
    if (item !== null) config.set(['mcp_servers', name, key, each], item)
    else if (!replace) config.delete(['mcp_servers', name, key, each])
  }
}
