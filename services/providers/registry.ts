import { fieldsOf } from '../ground/fields.js'
import { agentOf, configuredAgents, profileAgentId, type ConfiguredAgent } from './agents.js'
import { canonicalProviderId, customProviderId, keyed, known, text, type KnownProvider, type ProviderKind } from './known-providers.js'
import {
  hostnameOf, httpUrl, isLocalNetworkHost, kindOfAddress, leadsToThisMachine, ollamaAddress, publicHosts, withVersionPath
} from './server-address.js'

/** A model server that answered on this machine. `baseUrl` is its OpenAI-compatible address. */
export interface LocalServer { id: string, displayName: string, baseUrl: string }

type KeySource = 'env_file' | 'env_var' | 'config_yaml' | 'none'

/** A model that config.yaml lists for a provider. */
interface DeclaredModel { id: string, contextLength: number | null }

/** A provider that this profile can use, with its credential. */
export interface ProviderEntry {
  id: string
  displayName: string
  kind: ProviderKind
  /** null: the provider's public address. */
  baseUrl: string | null
  apiKey: string | null
  keySource: KeySource
  /** Whether it runs on this machine or network, and so costs nothing per token. */
  isSelfHosted: boolean
  /** Whether it comes from `custom_providers[]`, or from a bare base address. */
  isCustom?: boolean
  /** The models that config.yaml lists for it. */
  declaredModels?: DeclaredModel[]
  /** Why it is in the list, for people. */
  reason: string
  /** Only for another maker's agent: how it is started, and what it told about itself. */
  agent?: Omit<ConfiguredAgent, 'id' | 'displayName' | 'reason'> & {
    models: Array<{ id: string, label: string }>
    modes: Array<{ id: string, label: string }>
    wasReached: boolean
    /** The version of the protocol that it last used. */
    speaks?: number
    efforts: string[]
    seesImages: boolean
    commands: Array<{ name: string, description: string, hint: string }>
    problem: string | null
  }
  /** Only for the offline demo: its speed; 0: no delay. */
  wordsPerSecond?: number
}

export interface ResolveInput {
  env: Readonly<Record<string, string>>
  /** Names in `env` that come from the profile's `.env` file. */
  envFileKeys?: ReadonlySet<string>
  config: Readonly<Record<string, unknown>>
  /** Servers that answered on this machine. */
  local: readonly LocalServer[]
  /** Other makers' agents that are installed on this machine. */
  agents?: readonly ConfiguredAgent[]
  /** The PATH in which programs are searched. */
  path?: string | undefined
}

/**
 * Returns the providers of a profile in order of preference: those in config.yaml, then those with keys in the environment, then servers
 * found on this machine. The offline demo is added only if there are none of these; it never replaces a configured provider that fails.
 */
export function resolveProviders (input: ResolveInput): ProviderEntry[] {
  const entries: ProviderEntry[] = []
  const add = (entry: ProviderEntry | undefined) => {
    if (entry === undefined) return
    if (!entries.some(({ id }) => id === entry.id)) entries.push(entry)
  }
  const model = fieldsOf(input.config['model'])
  const configured = fieldsOf(input.config['providers'])

  const wanted = text(model['provider'])
  const agent = agentOf(input.config, profileAgentId(input.config) ?? wanted ?? '', input.path)
  if (agent !== undefined) add(agentEntry(agent))
  if (wanted === 'offline-demo') add(offlineDemo(input, 'model.provider in config.yaml chooses it'))
  else if (wanted === undefined || wanted !== agent?.id) add(chosenEntry(input, model, configured))
  for (const id of Object.keys(configured)) add(configuredEntry(input, id, fieldsOf(configured[id])))
  for (const custom of customProviders(input)) add(custom)
  for (const other of configuredAgents(input.config, input.path)) add(agentEntry(other))
  for (const [id, provider] of Object.entries(keyed)) add(environmentEntry(input, id, provider))
  add(remoteOllama(input))
  for (const server of input.local) {
    const isConfigured = entries.some(({ baseUrl }) => baseUrl === server.baseUrl)
    if (!isConfigured) add(localEntry(input, server))
  }

  if (entries.length === 0) add(offlineDemo(input, 'no provider is configured and no local model server answered'))
  // They answer only if they are chosen, and are never the default.
  for (const found of input.agents ?? []) add(agentEntry(found))
  return entries
}

/**
 * Returns the entry that a model reference means, in the process that runs the turn. For a server that was found by probing in another
 * process, the reference's own address is used, without a key. Returns undefined if it is not configured here.
 */
export function providerFor (entries: readonly ProviderEntry[], ref: { provider: string, baseUrl?: string }): ProviderEntry | undefined {
  const entry = entries.find(({ id }) => id === ref.provider)
  if (entry !== undefined || ref.baseUrl === undefined) return entry
  return localEntry({
    env: {}, config: {}, local: []
  }, { id: ref.provider, displayName: known[ref.provider]?.displayName ?? nameOf(ref.provider, ref.baseUrl), baseUrl: ref.baseUrl })
}

/** Returns why this entry cannot be used at all, as a sentence with the remedy; null if it can. */
export function missingCredential (entry: ProviderEntry): string | null {
  if (entry.kind === 'acp') return entry.agent?.problem ?? null
  if (entry.apiKey !== null || entry.baseUrl !== null || entry.kind === 'offline-demo') return null
  const name = Object.values(known).find(({ kind }) => kind === entry.kind)?.keys[0]
  if (name === undefined || entry.kind === 'openai-compatible') {
    return `${entry.displayName} has no address: set providers.${entry.id}.base_url in config.yaml.`
  }
  return `${entry.displayName} has no API key: set ${name} in the profile's .env file or in the environment.`
}

function agentEntry ({ id, displayName, reason, ...agent }: ConfiguredAgent): ProviderEntry {
  return {
    id, displayName, kind: 'acp', baseUrl: null, apiKey: null, keySource: 'none', isSelfHosted: false, isCustom: true, declaredModels: [],
    reason,
    agent: { ...agent, models: [], modes: [], wasReached: false, efforts: [], seesImages: false, commands: [], problem: null }
  }
}

/** Returns the entry of `model.provider` and `model.base_url`, which the profile's owner wants first. */
function chosenEntry (input: ResolveInput, model: Record<string, unknown>, configured: Record<string, unknown>): ProviderEntry | undefined {
  const named = text(model['provider'])
  const baseUrl = httpUrl(model['base_url'])
  if (named === undefined || named === 'auto') {
    return baseUrl === undefined
      ? undefined
      : entryOf(input, 'custom', { base_url: baseUrl, api_key: model['api_key'] }, 'model.base_url in config.yaml')
  }
  const id = canonicalProviderId(named)
  const custom = customProviders(input).find((entry) => entry.id === id)
  if (custom !== undefined && baseUrl === undefined) return { ...custom, reason: 'model.provider in config.yaml chooses it' }
  const own = fieldsOf(configured[id] ?? configured[named])
  const overlay = {
    ...own, ...(baseUrl !== undefined && { base_url: baseUrl }), ...(text(model['api_key']) !== undefined && { api_key: model['api_key'] })
  }
  return entryOf(input, id, overlay, 'model.provider in config.yaml chooses it')
}

/** Returns an entry of `providers.<id>`, only if it has an address or a key that makes it usable. */
function configuredEntry (input: ResolveInput, name: string, section: Record<string, unknown>): ProviderEntry | undefined {
  const entry = entryOf(input, canonicalProviderId(name), section, `providers.${name} in config.yaml`)
  return missingCredential(entry) === null ? entry : undefined
}

function customProviders (input: ResolveInput): ProviderEntry[] {
  const list = input.config['custom_providers']
  if (!Array.isArray(list)) return []
  return list.map(fieldsOf).flatMap((section) => {
    const id = customProviderId(section)
    const displayName = text(section['name'])
    if (id === undefined || displayName === undefined || httpUrl(section['base_url']) === undefined) return []
    return [{
      ...entryOf(input, id, section, 'custom_providers in config.yaml', 'openai-compatible'), displayName, isCustom: true
    }]
  })
}

function environmentEntry (input: ResolveInput, id: string, provider: KnownProvider): ProviderEntry | undefined {
  const name = [...provider.keys, provider.baseUrlKey].find((candidate) =>
    candidate !== undefined && text(input.env[candidate]) !== undefined)
  if (name === undefined) return undefined
  const place = input.envFileKeys?.has(name) === true ? 'the profile\'s .env file' : 'the environment'
  const entry = entryOf(input, id, {}, `${name} in ${place}`)
  return missingCredential(entry) === null ? entry : undefined
}

/**
 * Returns the Ollama server of OLLAMA_HOST if it is on another machine: such a setting is deliberate, while one on this machine must answer
 * a probe.
 */
function remoteOllama (input: ResolveInput): ProviderEntry | undefined {
  const address = ollamaAddress(input.env['OLLAMA_HOST'])
  if (address === undefined || leadsToThisMachine(address)) return undefined
  return entryOf(input, 'ollama', { base_url: `${address}/v1` }, 'OLLAMA_HOST names it')
}

function localEntry (input: ResolveInput, server: LocalServer): ProviderEntry {
  const entry = entryOf(input, server.id, { base_url: server.baseUrl }, `answered at ${server.baseUrl}`, 'openai-compatible')
  return { ...entry, displayName: server.displayName, isSelfHosted: true, isCustom: false }
}

function offlineDemo ({ env, config }: ResolveInput, reason: string): ProviderEntry {
  const wordsPerSecond = Number(env['OFFLINE_DEMO_WORDS_PER_SECOND'] ?? fieldsOf(config['offline_demo'])['words_per_second'] ?? 60)
  return {
    id: 'offline-demo', displayName: 'Offline demo (no AI model)', kind: 'offline-demo', baseUrl: null, apiKey: null, keySource: 'none',
    isSelfHosted: true, isCustom: false, declaredModels: [], reason,
    wordsPerSecond: Number.isFinite(wordsPerSecond) && wordsPerSecond >= 0 ? wordsPerSecond : 60
  }
}

/** Names a provider that has only an address by its host: people know that, and not that such an entry is called `custom`. */
const nameOf = (id: string, baseUrl: string | null): string => id === 'custom' && baseUrl !== null ? new URL(baseUrl).host : id

/** Returns an entry from a config section, completed from the environment and from what is known about the provider. */
function entryOf (input: ResolveInput, id: string, section: Record<string, unknown>, reason: string, kind?: ProviderKind): ProviderEntry {
  const provider = kind === undefined || kind === known[id]?.kind ? known[id] : undefined
  const fromEnvironment = provider?.baseUrlKey === undefined ? undefined : httpUrl(input.env[provider.baseUrlKey])
  const address = httpUrl(section['base_url']) ?? fromEnvironment ?? provider?.baseUrl ?? null
  const resolvedKind = provider?.kind ?? kind ?? kindOfAddress(address)
  // Clients use the public address by default, so only another address is passed on.
  const baseUrl = address !== null && publicHosts.some(([host, kind]) => kind === resolvedKind && host.test(hostnameOf(address)))
    ? null
    : withVersionPath(address, resolvedKind)
  const keys = provider?.keys ?? (baseUrl === null ? Object.values(known).find((other) => other.kind === resolvedKind)?.keys : undefined) ??
    []
  return {
    id,
    displayName: provider?.displayName ?? text(section['name']) ?? nameOf(id, baseUrl),
    kind: resolvedKind === 'openai' && baseUrl !== null ? 'openai-compatible' : resolvedKind,
    baseUrl,
    ...credential(input, keys, section),
    isSelfHosted: baseUrl !== null && isLocalNetworkHost(hostnameOf(baseUrl)),
    isCustom: provider === undefined,
    declaredModels: declaredModels(section['models']),
    reason
  }
}

function credential (
  { env, envFileKeys }: ResolveInput, keys: string[], section: Record<string, unknown>
): Pick<ProviderEntry, 'apiKey' | 'keySource'> {
  const inConfig = text(section['api_key'])
  if (inConfig !== undefined) return { apiKey: inConfig, keySource: 'config_yaml' }
  for (const name of [text(section['key_env']), ...keys]) {
    if (name === undefined) continue
    const apiKey = text(env[name])
    if (apiKey !== undefined) return { apiKey, keySource: envFileKeys?.has(name) === true ? 'env_file' : 'env_var' }
  }
  return { apiKey: null, keySource: 'none' }
}

/** Returns a whole number of tokens, as clients expect; null if the value cannot be one. */
export function tokenCount (value: unknown): number | null {
  const count = typeof value === 'number' ? Math.floor(value) : 0
  return count > 0 && Number.isSafeInteger(count) ? count : null
}

/** Reads `models`: a list of ids, a list of objects, or a mapping of ids to objects. */
function declaredModels (models: unknown): DeclaredModel[] {
  const rows: Array<[unknown, unknown]> = Array.isArray(models)
    ? models.map((model: unknown) => [typeof model === 'string' ? model : fieldsOf(model)['id'] ?? fieldsOf(model)['name'], model])
    : Object.entries(fieldsOf(models))
  return rows.flatMap(([id, facts]) => {
    return typeof id === 'string' && id !== '' ? [{ id, contextLength: tokenCount(fieldsOf(facts)['context_length']) }] : []
  })
}
