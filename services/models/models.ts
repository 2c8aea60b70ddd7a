import {
  canonicalProviderId, createLocalProbe, defaultModel, describeModel, isEffort, keyedProviders, missingCredential, resolveProviders, staticModels, tokenCount, type Effort, type ModelInfo, type ProviderEntry
} from '../providers/index.js'
import { type Clock } from '../ground/clock.js'
import { type Profiles } from '../profiles/index.js'
import { createModelLists, type ModelList } from './lists.js'
import { redact } from '../ground/redaction/index.js'

export interface ListedModel { id: string, label: string }

/** One provider in the model picker. Ids carry `@provider:` unless the provider is the active one. */
export interface ModelGroup {
  providerId: string
  displayName: string
  models: ListedModel[]
  /** What did not fit into `models`, for search and "show all". */
  extraModels: ListedModel[]
  /** Why the provider's own list is missing; `models` are then what is known without it. */
  endpointError: string | null
}

export interface ModelGroups {
  activeProvider: string | null
  defaultModel: string | null
  groups: ModelGroup[]
  aliases: Record<string, string>
}

export interface ListedProvider {
  /** Null = known by name only: nothing is set up for it. */
  entry: ProviderEntry | null
  id: string
  displayName: string
  problem: string | null
  models: ListedModel[]
}

export type Choice = { entry: ProviderEntry, model: ModelInfo } | { error: string }

const pickerLimit = 25
const pickerVisible = 15

/**
 * Which models a profile can use, from its files, the environment, servers on this machine and the providers' own lists.
 * Nothing in here throws for a provider's sake; an unknown profile throws NotFound.
 */
export function createModelCatalog ({ profiles, clock, probeLocal, fetch = globalThis.fetch, probeServers }: {
  profiles: Profiles
  clock: Clock
  probeLocal: boolean
  fetch?: typeof globalThis.fetch
  /** Which local servers to look for; all by default. */
  probeServers?: string[]
}) {
  const probe = createLocalProbe({ enabled: probeLocal, clock, fetch, ...(probeServers !== undefined && { servers: probeServers }) })
  const lists = createModelLists({ clock, fetch })

  async function entries (profile: string): Promise<ProviderEntry[]> {
    const { env, envFileKeys, config } = profiles.settings(profile)
    const all = resolveProviders({ env, envFileKeys, config, local: await probe(env['OLLAMA_HOST']) })
    const active = activeOf(profile, all)
    return active === undefined ? all : [active, ...all.filter((entry) => entry !== active)]
  }

  /** The provider `model.default` belongs to, unless config.yaml names one: then that is the first already. */
  function activeOf (profile: string, all: ProviderEntry[]): ProviderEntry | undefined {
    const { id, provider } = wanted(profile)
    if (provider !== undefined) return all.find((entry) => entry.id === canonicalProviderId(provider))
    const { provider: named, base_url: address } = section(profiles.settings(profile).config, 'model')
    const isNamed = providerName(typeof named === 'string' ? named : undefined) !== undefined || typeof address === 'string'
    return isNamed || id === undefined ? all[0] : homeOf(profile, all, id)
  }

  /** `model.default` of the profile, without a prefix, and the provider it belongs to. */
  function wanted (profile: string): { id: string | undefined, provider: string | undefined, aliases: Record<string, string> } {
    const model = section(profiles.settings(profile).config, 'model')
    const aliases = Object.fromEntries(Object.entries(section(model, 'aliases')).filter((pair): pair is [string, string] => typeof pair[1] === 'string'))
    const written = typeof model['default'] === 'string' ? model['default'].trim() : ''
    const { provider, id } = splitPrefix(aliases[written] ?? written)
    return { id: id === '' || id === 'offline-demo' ? undefined : id, provider, aliases }
  }

  async function groups (profile: string): Promise<ModelGroups> {
    const all = await entries(profile)
    const found = await lists.all(profile, profiles.settings(profile).version, all)
    const { id, aliases } = wanted(profile)
    const [active] = all
    const first = active === undefined ? undefined : (found.get(active.id)?.models ?? staticModels(active))[0]?.id
    const selected = id ?? first ?? null
    return {
      activeProvider: active?.id ?? null,
      defaultModel: selected,
      groups: all.map((entry) => groupOf(entry, found.get(entry.id), entry === active, selected)),
      aliases
    }
  }

  async function choose (profile: string, { model, provider }: { model?: string | null, provider?: string | null }, timeoutMs: number): Promise<Choice> {
    try {
      const all = await entries(profile)
      const config = wanted(profile)
      const asked = splitPrefix((model == null ? undefined : config.aliases[model.trim()]) ?? model?.trim() ?? '')
      // A conversation begun with the demo goes on with a real model once there is one.
      const isStale = asked.id === 'offline-demo' && all.every(({ kind }) => kind !== 'offline-demo')
      const askedId = isStale ? '' : asked.id
      const askedProvider = isStale ? undefined : asked.provider ?? providerName(provider)
      const named = askedProvider ?? (askedId === '' ? config.provider : undefined)

      const entry = named === undefined ? homeOf(profile, all, askedId) : all.find(({ id }) => id === named || id === canonicalProviderId(named))
      if (entry === undefined) return { error: `The provider ${named ?? ''} is not configured in this profile.` }
      const problem = missingCredential(entry)
      if (problem !== null) return { error: problem }
      const configuredId = entry === all[0] ? config.id : undefined
      const id = entry.kind === 'offline-demo' ? 'offline-demo' : askedId !== '' ? askedId : configuredId
      return id === undefined
        ? await firstModel(profile, entry, timeoutMs)
        : { entry, model: withConfiguredWindow(profile, entry, id, lists.known(profile, entry.id)?.find((row) => row.id === id) ?? describeModel(entry, id)) }
    } catch (error) {
      return { error: error instanceof Error ? redact(error.message) : 'No model can be chosen.' }
    }
  }

  /** The provider of a bare id: the active one, unless only another one is known to have it. */
  function homeOf (profile: string, all: ProviderEntry[], id: string): ProviderEntry | undefined {
    const has = (entry: ProviderEntry): boolean => knownModels(profile, entry).some((model) => model.id === id)
    const [active] = all
    if (active === undefined || id === '' || knownModels(profile, active).length === 0 || has(active)) return active
    return all.find(has) ?? active
  }

  function knownModels (profile: string, entry: ProviderEntry): ModelInfo[] {
    return lists.known(profile, entry.id) ?? staticModels(entry)
  }

  async function firstModel (profile: string, entry: ProviderEntry, timeoutMs: number): Promise<Choice> {
    const list = await lists.one(profile, profiles.settings(profile).version, entry, timeoutMs)
    const model = list.models?.[0] ?? entry.declaredModels?.map(({ id }) => describeModel(entry, id))[0] ?? fallbackModel(entry)
    return model === undefined
      ? { error: `${list.error ?? `${entry.displayName} offers no model.`} Set model.default in config.yaml to name one.` }
      : { entry, model: withConfiguredWindow(profile, entry, model.id, model) }
  }

  /** `model.context_length` is the owner's word on the default model. */
  function withConfiguredWindow (profile: string, entry: ProviderEntry, id: string, model: ModelInfo): ModelInfo {
    const { context_length: configuredLength, default: configured } = section(profiles.settings(profile).config, 'model')
    const contextLength = tokenCount(configuredLength)
    const isDefault = typeof configured !== 'string' || splitPrefix(configured.trim()).id === id
    return contextLength !== null && isDefault ? { ...model, contextLength } : model
  }

  return {
    /** The providers of a profile, the active one first. */
    entries,

    /** Everything the model picker shows. Asks the providers at most once a day, or after a change of the profile. */
    groups,

    /** A provider's own list, at most a minute old. */
    async live (profile: string, provider?: string): Promise<{ provider: string | null, models: ListedModel[], error?: string }> {
      const all = await entries(profile)
      const name = providerName(provider)
      const entry = name === undefined ? all[0] : all.find(({ id }) => id === name || id === canonicalProviderId(name))
      if (entry === undefined) return { provider: name ?? null, models: [], error: 'no_provider' }
      const list = await lists.one(profile, profiles.settings(profile).version, entry)
      if (list.models === null) return { provider: entry.id, models: [], error: list.error ?? 'no answer' }
      const { id: selected = null } = wanted(profile)
      return { provider: entry.id, models: split(list.models.map(listed), selected).models }
    },

    /** What `GET /api/providers` tells: the configured providers in order of choice, then those that could be set up. */
    async providers (profile: string): Promise<{ active: string | null, providers: ListedProvider[] }> {
      const all = await entries(profile)
      const [active, ...others] = all
      const rank = (entry: ProviderEntry): number => entry.isCustom === true ? 0 : entry.apiKey !== null ? 1 : 2
      const ordered = active === undefined ? [] : [active, ...others.toSorted((a, b) => rank(a) - rank(b))]
      const absent = keyedProviders.filter(({ id }) => !all.some((entry) => entry.id === id))
      return {
        active: active?.id ?? null,
        providers: [
          ...ordered.map((entry) => ({
            entry, id: entry.id, displayName: entry.displayName, problem: missingCredential(entry), models: knownModels(profile, entry).map(listed)
          })),
          ...absent.map(({ id, displayName }) => ({ entry: null, id, displayName, problem: null, models: [] }))
        ]
      }
    },

    /**
     * The model a turn is to use: the requested one, else `model.default` of config.yaml, else the first of the active
     * provider's own list, else the usual one of that provider. Ids nobody knows are passed on. Never throws.
     */
    choose,

    /** Has the lists ready before somebody asks; failures wait until then. */
    warm (profile: string): void {
      groups(profile).catch(() => {})
    },

    /** `agent.reasoning_effort` of the profile. */
    effort (profile: string): Effort | undefined {
      const effort = section(profiles.settings(profile).config, 'agent')['reasoning_effort']
      return isEffort(effort) ? effort : undefined
    },

    /** Forgets what providers have listed: for one profile, or all. */
    forget: lists.forget
  }

  function groupOf (entry: ProviderEntry, list: ModelList | undefined, isActive: boolean, selected: string | null): ModelGroup {
    const offered = (list?.models ?? staticModels(entry)).map(listed)
    const isListed = offered.some(({ id }) => id === selected)
    const rows = isActive && selected !== null && !isListed ? [listed(describeModel(entry, selected)), ...offered] : offered
    const { models, extraModels } = split(rows, isActive ? selected : null)
    const prefixed = (row: ListedModel): ListedModel => isActive ? row : { ...row, id: `@${entry.id}:${row.id}` }
    return {
      providerId: entry.id,
      displayName: extraModels.length > 0 ? `${entry.displayName} (${models.length} of ${rows.length})` : entry.displayName,
      models: models.map(prefixed),
      extraModels: extraModels.map(prefixed),
      endpointError: list?.error ?? missingCredential(entry)
    }
  }
}
export type ModelCatalog = ReturnType<typeof createModelCatalog>

function fallbackModel (entry: ProviderEntry): ModelInfo | undefined {
  const model = entry.kind === 'openai-compatible' ? undefined : defaultModel(entry.kind)
  return model === undefined ? undefined : describeModel(entry, model.id)
}

/** More than 25 models become 15 and the rest; the selected one is always among the 15. */
function split (rows: ListedModel[], selected: string | null): { models: ListedModel[], extraModels: ListedModel[] } {
  if (rows.length <= pickerLimit) return { models: rows, extraModels: [] }
  const place = rows.findIndex(({ id }) => id === selected)
  const visible = new Set(rows.slice(0, place < pickerVisible ? pickerVisible : pickerVisible - 1))
  if (place >= pickerVisible) visible.add(rows[place] as ListedModel)
  return { models: [...visible], extraModels: rows.filter((row) => !visible.has(row)) }
}

/** `@provider:model` names a provider; model ids themselves may hold colons. */
function splitPrefix (model: string): { provider: string | undefined, id: string } {
  const match = /^@([^:]+):([^]*)$/.exec(model)
  return match === null ? { provider: undefined, id: model } : { provider: match[1], id: match[2] as string }
}

function providerName (provider: string | null | undefined): string | undefined {
  const name = provider?.trim() ?? ''
  return name === '' || name === 'auto' ? undefined : name
}

function listed ({ id, label }: ModelInfo): ListedModel {
  return { id, label }
}

function section (config: Record<string, unknown>, key: string): Record<string, unknown> {
  const value = config[key]
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value as Record<string, unknown> : {}
}
