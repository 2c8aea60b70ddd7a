import {
  agentPresets, agentRefusal, canonicalProviderId, guardedFetch, keyedProviders, missingCredential, presetIds, resolveProviders,
  type Effort, type ModelInfo, type ProviderEntry
} from '../../providers/index.js'
import { monotonicMs, type Clock } from '../../ground/time/clock.js'
import { Invalid } from '../../ground/errors.js'
import { type Profiles } from '../profiles/index.js'
import { redact } from '../../ground/redaction/index.js'
import { finishedAnswer, groupsToWire, type ModelAnswer } from './wire.js'
import { chooseModel, meantModel, type Choice } from './meant-model.js'
import { assertKeyStays } from './key-bounds.js'
import { ModelLists, type ModelList, type ModelListsOptions } from './lists.js'
import { modelGroups, splitForPicker, toListedModel, type ListedModel, type ModelGroups } from './picker.js'
import { type ProfileModels } from './profile-models.js'
import { ModelReadings } from './readings.js'
import { configuredEffort, providerName, splitPrefix, type WantedModel } from './configured-models.js'

export interface ListedProvider {
  /** Null = known by name only, not set up. */
  entry: ProviderEntry | null
  id: string
  displayName: string
  problem: string | null
  models: ListedModel[]
  /** For an external agent that is not on this machine: how to install it. */
  install?: string
}

export interface ModelCatalogOptions {
  profiles: Pick<Profiles, 'settings'>
  clock: Clock
  /** Whether to look for model servers on this machine. */
  probeLocal: boolean
  fetch?: typeof globalThis.fetch
  /** Which local servers to look for; default: all. */
  probeServers?: string[]
  /** Where programs are searched, including external agents. */
  path?: string | undefined
  /** How time passes while waiting for providers. */
  passed?: ModelListsOptions['passed']
}

/** How long the picker waits for providers that were never asked, including servers of this machine. */
const coldMs = 8_000

/**
 * Finds which models a profile can use, from its files, the environment, servers on this machine and the providers' own lists. Failing
 * providers cause no exceptions here; an unknown profile throws NotFound.
 */
export class ModelCatalog {
  readonly #profiles: ModelCatalogOptions['profiles']
  readonly #clock: Clock
  readonly #lists: ModelLists
  readonly #readings: ModelReadings
  readonly #probesLocal: boolean
  readonly #answers = new WeakMap<ProfileModels, ModelAnswer>()

  constructor ({ profiles, clock, probeLocal, fetch = guardedFetch, probeServers, passed, path }: ModelCatalogOptions) {
    this.#profiles = profiles
    this.#clock = clock
    this.#probesLocal = probeLocal
    this.#lists = new ModelLists({ clock, fetch, ...(passed !== undefined && { passed }) })
    this.#readings = new ModelReadings({ profiles, clock, lists: this.#lists, probeLocal, fetch, probeServers, path })
  }

  /** Returns everything the model picker shows. Waits for providers that were never asked, at most 8 s. */
  async groups (profile: string): Promise<ModelGroups> {
    const { models, found } = await this.#readWithLists(profile)
    return modelGroups(models, found)
  }

  /** Returns the same as finished bytes, which are made again when the content may have changed. */
  async answer (profile: string): Promise<ModelAnswer> {
    const { models, found } = await this.#readWithLists(profile)
    const known = this.#answers.get(models)
    if (known !== undefined) return known
    const made = finishedAnswer(groupsToWire(modelGroups(models, found)))
    this.#answers.set(models, made)
    return made
  }

  /** Returns a provider's own list, at most a minute old; that of the active provider if none is named. */
  async live (profile: string, provider?: string): Promise<{ provider: string | null, models: ListedModel[], error?: string }> {
    const models = await this.#readings.read(profile)
    const name = providerName(provider)
    const entry = name === undefined ? models.active : models.find(name)
    if (entry === undefined) return { provider: name ?? null, models: [], error: 'no_provider' }
    const list = await this.#lists.one(profile, entry)
    if (list.models === null) return { provider: entry.id, models: [], error: list.error ?? 'no answer' }
    return { provider: entry.id, models: splitForPicker(list.models.map(toListedModel), models.selection.id ?? null).models }
  }

  /** Returns the answer of `GET /api/providers`: the configured providers in order of choice, then those that could be set up. */
  async providers (profile: string): Promise<{ active: string | null, providers: ListedProvider[] }> {
    return listProviders(await this.#readings.read(profile), this.#probesLocal, (entry) =>
      missingCredential(entry) ?? refusalOf(entry) ?? this.#lists.refusal(profile, entry))
  }

  /**
   * Chooses the model of a turn: the requested one, else `model.default` of config.yaml, else the first of the active provider's own list,
   * else the usual one of that provider. Unknown ids are passed on. Never throws.
   */
  async choose (profile: string, wanted: WantedModel, timeoutMs: number): Promise<Choice> {
    try {
      return await chooseModel(await this.#readings.read(profile), this.#lists, wanted, timeoutMs)
    } catch (error) {
      return { error: error instanceof Error ? redact(error.message) : 'No model can be chosen.' }
    }
  }

  /** Returns the provider that is known to have a model, the active one first; null when none is, and the active one lists its models. */
  async providerOf (profile: string, modelId: string): Promise<string | null> {
    // The active provider's list may be unknown, and then it would be taken for the provider of the built-in demo.
    if (modelId === 'offline-demo') return modelId
    const models = await this.#readings.read(profile)
    const home = models.homeOf(modelId)
    return home === undefined || home.kind === 'offline-demo' ? null : home.id
  }

  /** Whether the profile's files or lists determine the provider of the model. */
  async isKnown (profile: string, { model, provider }: WantedModel): Promise<boolean> {
    return providerName(provider) !== undefined || isNamed(await this.#readings.read(profile), model?.trim() ?? '')
  }

  /**
   * Whether a model of this name may be requested: the files or lists of the profile know it, or it cannot be checked, because its provider
   * does not list its models. Lists older than a minute are fetched again before the answer is false.
   */
  async isThere (profile: string, model: string): Promise<boolean> {
    const { models } = await this.#readWithLists(profile)
    const name = model.trim()
    if (isNamed(models, name) || models.selection.id === name) return true
    const lists = new Map(
      await Promise.all(models.entries.map(async (entry) => [entry, (await this.#lists.one(profile, entry)).models] as const))
    )
    const home = models.homeOf(name)
    return isNamed(models, name) || (home !== undefined && home.kind !== 'offline-demo' && lists.get(home) === null)
  }

  /** Returns the first model of a provider that is known to accept images, those that config.yaml lists for it first. Sends no requests. */
  async seeing (profile: string, provider: string): Promise<string | undefined> {
    const models = await this.#readings.read(profile)
    const entry = models.find(provider)
    if (entry === undefined) return undefined
    const declared = (entry.declaredModels ?? []).map(({ id }) => models.describe(entry, id))
    return [...declared, ...models.known(entry)].find(({ input }) => input.includes('image'))?.id
  }

  /** Returns the first provider of models, without external agents and the demo. */
  async firstModelProvider (profile: string): Promise<string | undefined> {
    return (await this.#readings.read(profile)).entries.find(({ kind }) => kind !== 'acp' && kind !== 'offline-demo')?.id
  }

  /** Returns what is known of the model that `wanted` means, without sending requests; undefined when its provider is not set up. */
  async describe (profile: string, wanted: WantedModel): Promise<{ entry: ProviderEntry, model: ModelInfo } | undefined> {
    const models = await this.#readings.read(profile)
    const meant = meantModel(models, wanted)
    return meant === undefined ? undefined : { entry: meant.entry, model: models.describe(meant.entry, meant.id) }
  }

  /**
   * Returns a provider as it would be with another key or address than the configured one; undefined for an unknown one. Throws Invalid for
   * the address of another server than the stored key is for, if no key is given.
   */
  async candidate (
    profile: string, provider: string, { apiKey, baseUrl }: { apiKey: string | null, baseUrl: string | null }
  ): Promise<ProviderEntry | undefined> {
    if (apiKey === null && baseUrl === null) return (await this.#readings.read(profile)).find(provider)
    const settings = this.#profiles.settings(profile)
    const { env, envFileKeys, config } = settings
    const id = canonicalProviderId(provider)
    const asChosen = {
      ...config, model: { provider: id, ...(apiKey !== null && { api_key: apiKey }), ...(baseUrl !== null && { base_url: baseUrl }) }
    }
    if (apiKey === null) assertKeyStays(settings, id, asChosen)
    return resolveProviders({ env, envFileKeys, config: asChosen, local: [] }).find((entry) => entry.id === id)
  }

  /** Drops the cached list of a provider, so that it is fetched again. Throws Invalid for a provider that is not set up. */
  async refresh (profile: string, provider: string): Promise<string> {
    const entry = (await this.#readings.read(profile)).find(provider)
    if (entry === undefined) throw new Invalid(`provider: "${provider.slice(0, 80)}" is not set up in this profile`)
    this.#lists.forget(profile, entry.id)
    return entry.id
  }

  /** Returns external agents that the profile can use, its own first. */
  async agents (profile: string): Promise<ProviderEntry[]> {
    return (await this.#readings.read(profile)).entries.filter(({ agent }) => agent !== undefined)
  }

  /** `agent.reasoning_effort` of the profile. */
  effort (profile: string): Effort | undefined {
    return configuredEffort(this.#profiles.settings(profile).config)
  }

  /** Reads the models, with those lists of providers that arrive in time. */
  async #readWithLists (profile: string): Promise<{ models: ProfileModels, found: Map<string, ModelList> }> {
    const startedMs = monotonicMs(this.#clock)
    const models = await this.#readings.read(profile)
    const { changes } = this.#lists
    const found = await this.#lists.all(profile, models.entries, Math.max(0, coldMs - (monotonicMs(this.#clock) - startedMs)))
    // New lists may determine the provider of a model.
    return { models: this.#lists.changes === changes ? models : await this.#readings.read(profile), found }
  }
}

const refusalOf = ({ agent, displayName }: ProviderEntry): string | null =>
  agent === undefined ? null : agentRefusal({ ...agent, displayName })

/** Returns agents that the service supports but that are not on this machine. */
function absentAgents ({ entries, options: { config } }: ProfileModels, isLookedFor: boolean): ListedProvider[] {
  if (!isLookedFor && config['agents'] === undefined) return []
  return presetIds.filter((id) => !entries.some((entry) => entry.id === id || entry.agent?.preset === id))
    .map((id) => ({
      entry: null, id, displayName: agentPresets[id].displayName, problem: null, models: [],
      install: [`${agentPresets[id].install.replace(/\.$/, '')}.`, ...agentPresets[id].notes].join(' ')
    }))
}

function listProviders (
  models: ProfileModels, isLookedFor: boolean, problemOf: (entry: ProviderEntry) => string | null
): { active: string | null, providers: ListedProvider[] } {
  const [active, ...others] = models.entries
  const ordered = active === undefined ? [] : [active, ...others.toSorted((a, b) => rank(a) - rank(b))]
  const absent = keyedProviders.filter(({ id }) => !models.entries.some((entry) => entry.id === id))
  return {
    active: active?.id ?? null,
    providers: [
      ...ordered.map((entry) => ({
        entry, id: entry.id, displayName: entry.displayName, problem: problemOf(entry), models: models.known(entry).map(toListedModel)
      })),
      ...absent.map(({ id, displayName }) => ({ entry: null, id, displayName, problem: null, models: [] })),
      ...absentAgents(models, isLookedFor)
    ]
  }
}

/** Sorts providers with an address of their own first, then those with a key. */
function rank (entry: ProviderEntry): number {
  return entry.isCustom === true ? 0 : entry.apiKey !== null ? 1 : 2
}

/** Whether a name includes its provider, is an alias, or is that of a model which a provider is known to have. */
function isNamed (models: ProfileModels, name: string): boolean {
  return splitPrefix(name).provider !== undefined || Object.hasOwn(models.selection.aliases, name) ||
    models.entries.some((entry) => models.known(entry).some(({ id }) => id === name))
}
