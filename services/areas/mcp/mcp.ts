import { statSync } from 'node:fs'
import { isRecord } from '../../ground/fields.js'
import { Conflict, NotFound, Unavailable } from '../../ground/errors.js'
import { homeFiles } from '../../ground/home/settings.js'
import { redact, redactDeep } from '../../ground/redaction/index.js'
import {
  forgetCredentials, forgetOtherCredentials, hasCredentials, lastKnownPrompts, lastKnownState, serversOf,
  type McpCredentials, type McpQueryAnswer, type McpServerConfig, type McpServerState
} from '../../agent/index.js'
import { type Profiles } from '../profiles/index.js'
import { assertNames, assertReachable, writeEntry } from './config-entry.js'
import { type McpServerChange } from './server-change.js'
import { McpViews, type McpViewsOptions } from './views.js'

/** A server's configuration, and its state. */
export interface McpServerView { config: McpServerConfig, state: McpServerState, isSignedIn: boolean }
export interface McpPromptView {
  server: string
  name: string
  description: string
  arguments: Array<{ name: string, description: string, required: boolean }>
}

/** A host may have to be started for it. */
const askLimitMs = 15_000
const promptLimitMs = 60_000
/** An editor may have written only half of a config.yaml; a file this old is taken as intended. */
const settledMs = 60_000

export interface McpOptions extends McpViewsOptions {
  profiles: Pick<Profiles, 'settings' | 'configure'>
  /** Called when a server has been removed at which a person had signed in. */
  removed: (had: McpCredentials, issuer: string | null) => void
}

/** The MCP servers of profiles: their configuration, and their state. The hosts run them. */
export class Mcp {
  readonly views: McpViews

  constructor (private readonly options: McpOptions) {
    this.views = new McpViews(options)
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
    assertNames(name, change)
    const shown = this.#configs(profile).find((config) => config.name === name)
    refuseOfPlugin(shown)
    await assertReachable(change, this.options.profiles.settings(profile))
    await this.options.profiles.configure(profile, (config) => writeEntry(config, name, { change, shown, replace }))
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
    const isRead = configError === undefined && configText !== undefined && (section === undefined || isRecord(section))
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

function refuseOfPlugin (server: McpServerConfig | undefined): void {
  if (server?.plugin != null) {
    throw new Conflict(`This server belongs to the plugin ${server.plugin}. Turn the plugin off instead`, 'of_plugin')
  }
}
