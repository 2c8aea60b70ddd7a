import {
  agentPresets, agentRefusal, canonicalProviderId, guardedFetch, keyedProviders, missingCredential, presetIds, resolveProviders,
  type Effort, type ModelInfo, type ProviderEntry
} from '../../providers/index.js'
import { monotonicMs, type Clock } from '../../ground/clock.js'
import { Invalid } from '../../ground/errors.js'
import { type Profiles } from '../profiles/index.js'
import { redact } from '../../ground/redaction/index.js'
import { finishedAnswer, groupsToWire, type ModelAnswer } from './answer.js'
import { chooseModel, meantModel, type Choice } from './choosing.js'
import { assertKeyStays } from './key-bounds.js'
import { ModelLists, type ModelList, type ModelListsOptions } from './lists.js'
import { listed, modelGroups, splitForPicker, type ListedModel, type ModelGroups } from './picker.js'
import { type ProfileModels } from './profile-models.js'
import { ModelReadings } from './readings.js'
import { configuredEffort, providerName, splitPrefix, type WantedModel } from './selection.js'

export interface ListedProvider {
  /** Null = known by name only: nothing is set up for it. */
  entry: ProviderEntry | null
  id: string
  displayName: string
  problem: string | null
  models: ListedModel[]
  /** Of an agent of another maker that is not on this machine: how it gets there. */
  install?: string
}

export interface ModelCatalogOptions {
  profiles: Pick<Profiles, 'settings'>
  clock: Clock
  /** Whether to look for model servers on this machine. */
  probeLocal: boolean
  fetch?: typeof globalThis.fetch
  /** Which local servers to look for; all by default. */
  probeServers?: string[]
  /** Where programs are looked for, agents of other makers among them. */
  path?: string | undefined
  /** How time passes while providers are waited for. */
  passed?: ModelListsOptions['passed']
}

/** How long the picker waits for providers that were never asked, servers of this machine included. */
const coldMs = 8_000

/**
 * Which models a profile can use, from its files, the environment, servers on this machine and the providers' own lists.
 * Nothing in here throws for a provider's sake; an unknown profile throws NotFound.
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

  /** Everything the model picker shows. Waits for providers that were never asked, 8 s at most. */
  async groups (profile: string): Promise<ModelGroups> {
    const { models, found } = await this.#readWithLists(profile)
    return modelGroups(models, found)
  }

  /** The same as it is sent: finished bytes, made anew when something of it may have changed. */
  async answer (profile: string): Promise<ModelAnswer> {
    const { models, found } = await this.#readWithLists(profile)
    const known = this.#answers.get(models)
    if (known !== undefined) return known
    const made = finishedAnswer(groupsToWire(modelGroups(models, found)))
    this.#answers.set(models, made)
    return made
  }

  /** A provider's own list, at most a minute old; the active provider's if none is named. */
  async live (profile: string, provider?: string): Promise<{ provider: string | null, models: ListedModel[], error?: string }> {
    const models = await this.#readings.read(profile)
    const name = providerName(provider)
    const entry = name === undefined ? models.active : models.find(name)
    if (entry === undefined) return { provider: name ?? null, models: [], error: 'no_provider' }
    const list = await this.#lists.one(profile, entry)
    if (list.models === null) return { provider: entry.id, models: [], error: list.error ?? 'no answer' }
    return { provider: entry.id, models: splitForPicker(list.models.map(listed), models.selection.id ?? null).models }
  }

  /** What `GET /api/providers` tells: the configured providers in order of choice, then those that could be set up. */
  async providers (profile: string): Promise<{ active: string | null, providers: ListedProvider[] }> {
    return listProviders(await this.#readings.read(profile), this.#probesLocal, (entry) =>
      missingCredential(entry) ?? refusalOf(entry) ?? this.#lists.refusal(profile, entry))
  }

  /**
   * The model a turn is to use: the requested one, else `model.default` of config.yaml, else the first of the active
   * provider's own list, else the usual one of that provider. Ids nobody knows are passed on. Never throws.
   */
  async choose (profile: string, wanted: WantedModel, timeoutMs: number): Promise<Choice> {
    try {
      return await chooseModel(await this.#readings.read(profile), this.#lists, wanted, timeoutMs)
    } catch (error) {
      return { error: error instanceof Error ? redact(error.message) : 'No model can be chosen.' }
    }
  }

  /** The provider that is known to have a model, the active one first; null when none is, and the active one lists its models. */
  async providerOf (profile: string, modelId: string): Promise<string | null> {
    // The active provider may have a list that nobody knows, and would be taken for the home of what is built in.
    if (modelId === 'offline-demo') return modelId
    const models = await this.#readings.read(profile)
    const home = models.homeOf(modelId)
    return home === undefined || home.kind === 'offline-demo' ? null : home.id
  }

  /** Whether the profile's files or lists say whose model is meant. */
  async isKnown (profile: string, { model, provider }: WantedModel): Promise<boolean> {
    return providerName(provider) !== undefined || isNamed(await this.#readings.read(profile), model?.trim() ?? '')
  }

  /**
   * Whether a model may be asked by this name: the files or lists of the profile know it, or nobody can tell, as the provider that
   * would be asked does not list what it has. Lists that are older than a minute are had anew before it is said to be none.
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

  /** The first model of a provider that is known to see images, those that config.yaml lists for it first. Asks nobody. */
  async seeing (profile: string, provider: string): Promise<string | undefined> {
    const models = await this.#readings.read(profile)
    const entry = models.find(provider)
    if (entry === undefined) return undefined
    const declared = (entry.declaredModels ?? []).map(({ id }) => models.describe(entry, id))
    return [...declared, ...models.known(entry)].find(({ input }) => input.includes('image'))?.id
  }

  /** The first provider of models, agents of other makers and the demo left out. */
  async firstModelProvider (profile: string): Promise<string | undefined> {
    return (await this.#readings.read(profile)).entries.find(({ kind }) => kind !== 'acp' && kind !== 'offline-demo')?.id
  }

  /** What is known of the model that `wanted` means, without asking anybody; undefined when its provider is not set up. */
  async describe (profile: string, wanted: WantedModel): Promise<{ entry: ProviderEntry, model: ModelInfo } | undefined> {
    const models = await this.#readings.read(profile)
    const meant = meantModel(models, wanted)
    return meant === undefined ? undefined : { entry: meant.entry, model: models.describe(meant.entry, meant.id) }
  }

  /**
   * A provider as it would be with another key or address than the one that is set; undefined for one that nobody knows.
   * Throws Invalid for the address of another server than the stored key is for, without a key.
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

  /** Forgets what a provider has listed, so that it is asked again. Throws Invalid for a provider that is not set up. */
  async refresh (profile: string, provider: string): Promise<string> {
    const entry = (await this.#readings.read(profile)).find(provider)
    if (entry === undefined) throw new Invalid(`provider: "${provider.slice(0, 80)}" is not set up in this profile`)
    this.#lists.forget(profile, entry.id)
    return entry.id
  }

  /** Agents of other makers that the profile can use, its own first. */
  async agents (profile: string): Promise<ProviderEntry[]> {
    return (await this.#readings.read(profile)).entries.filter(({ agent }) => agent !== undefined)
  }

  /** `agent.reasoning_effort` of the profile. */
  effort (profile: string): Effort | undefined {
    return configuredEffort(this.#profiles.settings(profile).config)
  }

  /** With the lists of its providers, as far as they have come in time. */
  async #readWithLists (profile: string): Promise<{ models: ProfileModels, found: Map<string, ModelList> }> {
    const startedMs = monotonicMs(this.#clock)
    const models = await this.#readings.read(profile)
    const { changes } = this.#lists
    const found = await this.#lists.all(profile, models.entries, Math.max(0, coldMs - (monotonicMs(this.#clock) - startedMs)))
    // What has been listed may say whose a model is.
    return { models: this.#lists.changes === changes ? models : await this.#readings.read(profile), found }
  }
}

const refusalOf = ({ agent, displayName }: ProviderEntry): string | null =>
  agent === undefined ? null : agentRefusal({ ...agent, displayName })

/** Agents that we know how to speak with and that are not here. */
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
        entry, id: entry.id, displayName: entry.displayName, problem: problemOf(entry), models: models.known(entry).map(listed)
      })),
      ...absent.map(({ id, displayName }) => ({ entry: null, id, displayName, problem: null, models: [] })),
      ...absentAgents(models, isLookedFor)
    ]
  }
}

/** Those with an address of their own first, then those with a key. */
function rank (entry: ProviderEntry): number {
  return entry.isCustom === true ? 0 : entry.apiKey !== null ? 1 : 2
}

/** Whether a name says by itself whose model it is, stands for one, or is that of a model which a provider is known to have. */
function isNamed (models: ProfileModels, name: string): boolean {
  return splitPrefix(name).provider !== undefined || Object.hasOwn(models.selection.aliases, name) ||
    models.entries.some((entry) => models.known(entry).some(({ id }) => id === name))
}
